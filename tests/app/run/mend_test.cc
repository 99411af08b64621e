// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// One trial of a data set with a board of other squares: named without --mend, mended with it, and
// named as long as it stands in the file.

#include <gmock/gmock.h>
#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/app/program.h"
#include "tests/base/temporary_folder.h"

namespace percuss {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string Text(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// data/bar-drop with its first trial alone and that square [m].
std::string WithSquare(const std::string& square) {
  const fs::path data = fs::absolute(fs::path(PERCUSS_DATA_DIR) / "bar-drop");
  YAML::Node root = YAML::LoadFile((data / "experiment.yaml").string());
  YAML::Node calibration = root["calibration"];
  for (const char* side : {"left", "right"}) {
    calibration[side] = (data / calibration[side].as<std::string>()).string();
    calibration["surface"][side] = (data / calibration["surface"][side].as<std::string>()).string();
    root["trials"][0][side] = (data / root["trials"][0][side].as<std::string>()).string();
  }
  for (const int last : {3, 2, 1}) root["trials"].remove(last);
  root["board"]["square"] = square;
  return YAML::Dump(root);
}

TEST(Mend, ARunGoesOnWithTheSquareThatTheFlightsShow) {
  const testing::TemporaryFolder folder;
  const std::string file = folder.Write("experiment.yaml", WithSquare("0.025")).string();
  const std::string out = (folder / "out").string();
  const testing::ProgramRun typed = testing::RunPercuss({"run", file, "-o", out});
  EXPECT_EQ(typed.exit_code, 3);
  EXPECT_THAT(typed.err, HasSubstr("Write: square: 0.023"));
  const testing::ProgramRun mended = testing::RunPercuss({"run", file, "-o", out, "--mend"});
  EXPECT_EQ(mended.exit_code, 0) << mended.err;
  EXPECT_THAT(Text(folder / "out" / "report.md"), HasSubstr("goes on with square: 0.023"));
  EXPECT_EQ(Text(file), WithSquare("0.025"));
}

// What a run says of what was typed is what a run in a new folder says, whatever the runs before
// were told: that answer is recorded.
TEST(Mend, ARunDoubtsWhatIsTypedNow) {
  const testing::TemporaryFolder folder;
  const auto run_with = [&](const std::string& square) {
    const fs::path file = folder.Write("experiment.yaml", WithSquare(square));
    return testing::RunPercuss({"run", file.string(), "-o", (folder / "out").string()});
  };
  for (const char* square : {"0.025", "0.025", "0.023", "0.023", "0.025"}) {
    const testing::ProgramRun run = run_with(square);
    const bool doubts = std::string_view(square) == "0.025";
    EXPECT_EQ(run.exit_code, doubts ? 3 : 0) << run.err;
    EXPECT_EQ(run.err.find("Write: square: 0.023") != std::string::npos, doubts) << run.err;
    EXPECT_EQ(fs::exists(folder / "out/diagnosis.json"), doubts);
  }
}

}  // namespace
}  // namespace percuss
