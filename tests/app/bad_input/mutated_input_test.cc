// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// The program on damaged files. Source of truth: what every command promises. It ends by itself,
// with exit 0, or with 2 or 3, one line that names a file, nothing on stdout and no output; what it
// began to write is gone in any case.
//
// PERCUSS_MUTATIONS is how many (default 200), PERCUSS_FIRST_MUTATION their first seed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "base/files/files.h"
#include "tests/app/program.h"
#include "tests/app/run/campaign.h"
#include "tests/base/slow_down.h"
#include "tests/base/temporary_folder.h"
#include "tests/fuzz/form_mutation.h"
#include "tests/fuzz/mutation.h"

namespace percuss {
namespace {

namespace fs = std::filesystem;

constexpr double kLongest = 10.0 * testing::kSlowDown;  // a command may compute [s]
constexpr double kLongestWait =
    120.0 * testing::kSlowDown;  // and not end by the clock, on a machine with other work

// A command on one damaged file. IN stands for that file, OUT for what it writes.
struct Case {
  std::string file;      // its name in the folder where the command is run
  std::string examples;  // folder of tests/fuzz/corpus
  std::vector<std::string> arguments;
  std::string out;  // empty if it writes none
};

const std::vector<Case>& Cases() {
  static const std::vector<Case> cases = {
      {"request.json", "impact-request", {"impact", "IN"}, ""},
      {"spec.yaml", "sweep", {"sweep", "IN", "-o", "OUT"}, "sweep.csv"},
      {"impacts.csv",
       "impacts-csv",
       {"fit", "IN", "--body", "body.yaml", "--law", "newton", "-o", "OUT"},
       "fit.json"},
      {"impacts.json", "impacts-json", {"audit", "IN", "--body", "body.yaml", "--json"}, ""},
      {"box.yaml", "body", {"audit", "spatial.csv", "--body", "IN"}, ""},
      {"table.yaml", "table-description", {"audit", "IN"}, ""},
      {"lab_table.csv", "lab-table", {"audit", "lab_table.yaml"}, ""},
      {"readings.csv", "readings", {"measure", "incline", "--table", "IN"}, ""},
      {"markers.trc", "markers-trc", {"convert", "IN", "OUT"}, "markers.c3d"},
      {"markers.c3d", "markers-c3d", {"convert", "IN", "OUT"}, "out.csv"},
      {"markers.csv", "markers-csv", {"convert", "IN", "OUT", "--up", "y"}, "out.trc"},
      {"experiment.yaml", "experiment", {"run", "IN", "-o", "OUT", "--list-inputs"}, "out"},
      {"body.yaml", "simulation", {"simulate", "IN", "-o", "OUT"}, "poses.csv"},
      {"scene.yaml", "simulation-scene", {"simulate", "IN", "-o", "OUT"}, "poses.csv"},
      {"robot.urdf", "urdf", {"convert", "IN", "OUT"}, "robot.yaml"},
      {"rig.toml", "cameras-toml", {"convert", "IN", "OUT"}, "cameras.json"},
      {"camchain.yaml", "cameras-kalibr", {"convert", "IN", "OUT", "--to", "anipose"}, "out.toml"},
      {"robot.xml", "mjcf", {"convert", "IN", "OUT"}, "robot.yaml"},
      {"drops/calibration.json",
       "rendered-calibration",
       {"track", "drops/experiment.yaml", "--calibration", "IN", "-o", "OUT"},
       "tracked"},
      {"drops/left.h5",
       "tracks-hdf5",
       {"track", "drops/tracked.yaml", "--calibration", "calibration.json", "-o", "OUT"},
       "tracked"},
      {"drops/trials/drop-0/left.mp4",
       "rendered-video",
       {"track", "drops/experiment.yaml", "--calibration", "calibration.json", "-o", "OUT"},
       "tracked"},
  };
  return cases;
}

class MutatedInput : public ::testing::Test {
 protected:
  void SetUp() override {
    const fs::path corpus = PERCUSS_CORPUS_DIR;
    fs::copy(corpus / "companions", folder_.Path(), fs::copy_options::recursive);
    fs::copy_file(corpus / "body/box.yaml", folder_ / "body.yaml");
    fs::copy_file(corpus / "impacts-csv/spatial.csv", folder_ / "spatial.csv");
    testing::SynthesizeDrops(1, folder_ / "drops");
    // A trial with tracks of another program, too few to be a drop.
    std::string text = ReadFile(folder_ / "drops/experiment.yaml");
    text.erase(text.find("trials:"));
    folder_.Write("drops/tracked.yaml",
                  text +
                      "trials: [{name: t, left: {tracks: left.h5}, right: {tracks: "
                      "right.h5}}]\n");
    for (const char* side : {"left.h5", "right.h5"})
      fs::copy_file(corpus / "tracks-hdf5/sleap.h5", folder_ / "drops" / side);
    const testing::ProgramRun calibrated =
        Run({"calibrate", "drops/experiment.yaml", "-o", "calibration.json"});
    ASSERT_EQ(calibrated.exit_code, 0) << calibrated.err;
    for (const Case& command : Cases()) {
      std::vector<std::string>& examples = examples_[command.examples];
      if (!fs::exists(corpus / command.examples)) continue;
      std::vector<fs::path> files;
      for (const auto& entry : fs::directory_iterator(corpus / command.examples))
        files.push_back(entry.path());
      std::ranges::sort(files);
      for (const fs::path& file : files) examples.push_back(ReadFile(file));
    }
    examples_["rendered-calibration"] = {ReadFile(folder_ / "calibration.json")};
    examples_["rendered-video"] = {ReadFile(folder_ / "drops/trials/drop-0/left.mp4")};
  }

  testing::ProgramRun Run(const std::vector<std::string>& arguments) const {
    return testing::RunPercuss(arguments, folder_.Path(), {SIGKILL, kLongestWait});
  }

  // Whether "percuss: FILE: ..." begins with a file of the command, or one that the damaged file
  // names.
  bool NamesInput(const Case& command, const std::string& complaint) const {
    const std::string begin = "percuss: ";
    const fs::path named =
        complaint.substr(begin.size(), complaint.find(": ", begin.size()) - begin.size());
    const std::string name = named.filename().string();
    if (name.empty()) return false;
    if (name == fs::path(command.file).filename()) return true;
    for (const std::string& argument : command.arguments) {
      if (name == fs::path(argument).filename()) return true;
    }
    return ReadFile(folder_ / command.file).find(name) != std::string::npos;
  }

  // What is wrong with the end of a command; empty if nothing is.
  std::string Fault(const Case& command, const testing::ProgramRun& run) const {
    if (run.exit_code == 128 + SIGKILL) return "does not end";
    if (run.cpu_seconds > kLongest) return "computes too long";
    if (run.exit_code > 128) return "ended by a signal";
    for (const auto& entry : fs::recursive_directory_iterator(folder_.Path()))
      if (entry.path().extension() == ".part") return "leaves " + entry.path().string();
    if (run.exit_code == 0) return "";
    if (run.exit_code != 2 && run.exit_code != 3) return "undocumented exit";
    // A trial that failed is named while the others go on, and the results say so.
    const bool tracks = command.arguments[0] == "track";
    std::size_t complaints = 0, begin = 0;
    std::string complaint;
    for (std::size_t end; (end = run.err.find('\n', begin)) != std::string::npos; begin = end + 1) {
      const std::string line = run.err.substr(begin, end - begin);
      if (!line.starts_with("percuss: ")) continue;
      complaint = line;
      ++complaints;
    }
    if (begin != run.err.size()) return "a line without end";
    if (complaints == 0 || (complaints > 1 && !tracks)) return "not one line";
    if (!run.out.empty() && !tracks) return "prints on stdout";
    if (!tracks && !command.out.empty() && fs::exists(folder_ / command.out))
      return "leaves output";
    return NamesInput(command, complaint) ? "" : "does not begin with the name of an input";
  }

  testing::TemporaryFolder folder_;
  std::map<std::string, std::vector<std::string>> examples_;
};

int FromEnvironment(const char* name, int otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::atoi(value);
}

TEST_F(MutatedInput, EndsAsPromised) {
  const int first = FromEnvironment("PERCUSS_FIRST_MUTATION", 1);
  const int count = FromEnvironment("PERCUSS_MUTATIONS", 200);
  std::map<int, int> exits;
  std::map<std::string, double> slowest;
  for (int seed = first; seed < first + count; ++seed) {
    const Case& command = Cases()[static_cast<std::size_t>(seed) % Cases().size()];
    const std::vector<std::string>& examples = examples_.at(command.examples);
    ASSERT_FALSE(examples.empty()) << command.examples;
    const std::size_t round = static_cast<std::size_t>(seed) / Cases().size();
    const fs::path in = folder_ / command.file;
    const std::string good = fs::exists(in) ? ReadFile(in) : "";
    // Every other round in the form of the file.
    const std::string& example = examples[round % examples.size()];
    const std::string& other = examples[round / 3 % examples.size()];
    const auto draw = static_cast<std::uint32_t>(seed);
    folder_.Write(command.file, round % 2 == 0 ? fuzz::Mutated(example, other, draw)
                                               : fuzz::MutatedInForm(in.extension().string(),
                                                                     example, other, draw));
    if (!command.out.empty()) fs::remove_all(folder_ / command.out);
    std::vector<std::string> arguments = command.arguments;
    for (std::string& argument : arguments) {
      if (argument == "IN") argument = command.file;
      if (argument == "OUT") argument = command.out;
    }
    const testing::ProgramRun run = Run(arguments);
    ++exits[run.exit_code];
    slowest[arguments[0]] = std::max(slowest[arguments[0]], run.cpu_seconds);
    const std::string fault = Fault(command, run);
    EXPECT_EQ(fault, "") << "seed " << seed << ", " << command.examples << ", exit "
                         << run.exit_code << ": " << run.err << run.out.substr(0, 200);
    if (good.empty()) {
      fs::remove(in);
    } else {
      folder_.Write(command.file, good);
    }
  }
  for (const auto& [exit, number] : exits)
    std::cout << "exit " << exit << ": " << number << " of " << count << "\n";
  for (const auto& [command, seconds] : slowest)
    std::cout << "slowest " << command << ": " << seconds << " s\n";
}

}  // namespace
}  // namespace percuss
