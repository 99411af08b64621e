// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// One trial of a data set with a board of other squares: named without --mend, mended with it.

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

TEST(Mend, ARunGoesOnWithTheSquareThatTheFlightsShow) {
  const fs::path data = fs::absolute(fs::path(PERCUSS_DATA_DIR) / "bar-drop");
  YAML::Node root = YAML::LoadFile((data / "experiment.yaml").string());
  YAML::Node calibration = root["calibration"];
  for (const char* side : {"left", "right"}) {
    calibration[side] = (data / calibration[side].as<std::string>()).string();
    calibration["surface"][side] = (data / calibration["surface"][side].as<std::string>()).string();
    root["trials"][0][side] = (data / root["trials"][0][side].as<std::string>()).string();
  }
  for (const int last : {3, 2, 1}) root["trials"].remove(last);
  root["board"]["square"] = "0.025";
  const testing::TemporaryFolder folder;
  const std::string file = folder.Write("experiment.yaml", YAML::Dump(root)).string();
  const std::string out = (folder / "out").string();
  const testing::ProgramRun typed = testing::RunPercuss({"run", file, "-o", out});
  EXPECT_EQ(typed.exit_code, 3);
  EXPECT_THAT(typed.err, HasSubstr("Write: square: 0.023"));
  const testing::ProgramRun mended = testing::RunPercuss({"run", file, "-o", out, "--mend"});
  EXPECT_EQ(mended.exit_code, 0) << mended.err;
  EXPECT_THAT(Text(folder / "out" / "report.md"), HasSubstr("goes on with square: 0.023"));
  EXPECT_EQ(Text(file), YAML::Dump(root));
}

}  // namespace
}  // namespace percuss
