// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// The commands of README.md and docs/, run by a shell in the order in which they stand, in a folder
// that holds what the document says its reader has. Fences mean:
//   sh        commands; run here
//   console   commands that are not run here; kNotRun says why
//   nothing   what the commands before it print; compared with what they print here
//   text, yaml, cpp, cmake, python   no commands; tests/python/documents_test.py runs the last
// Source of truth: the documents, and truth.json of what they render.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/files/files.h"
#include "tests/app/documents/document.h"
#include "tests/app/program.h"
#include "tests/base/temporary_folder.h"

namespace percuss {
namespace {

namespace fs = std::filesystem;
using testing::FencedBlock;
using testing::ProgramRun;
using testing::TemporaryFolder;

const fs::path kRepository = fs::path(PERCUSS_DATA_DIR) / "..";

// The block of a language, counted from 0.
std::string Block(const std::string& document, const std::string& language, int index = 0) {
  for (const FencedBlock& block : testing::FencedBlocks(testing::TextOfRepository(document))) {
    if (block.language == language && index-- == 0) return block.text;
  }
  throw std::runtime_error(document + " has fewer blocks of " + language);
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("there is no \"" + from + "\"");
  return text.replace(at, from.size(), to);
}

ProgramRun RunShell(const std::string& commands, const TemporaryFolder& folder) {
  return testing::RunProgram({"/bin/sh", "-e", "-c", commands}, folder.Path());
}

// ---- What the reader of each document has

// The videos and board pictures of data/bar-drop, without what is known of the truth.
void LinkBarDrop(const TemporaryFolder& folder) {
  for (const char* part : {"calibration", "trials"})
    fs::create_directory_symlink(kRepository / "data/bar-drop" / part, folder / part);
}

void PrepareReadme(const TemporaryFolder& folder) {
  LinkBarDrop(folder);
  folder.Write("experiment.yaml", Block("README.md", "yaml"));
}

void PrepareTutorial(const TemporaryFolder& folder) {
  folder.Write("phones.yaml", Block("docs/tutorial.md", "yaml"));
}

// A ball in free fall and two bounces, e = 0.8.
std::string TableOfBall() {
  std::string table = "t,x,y,z\n";
  double speed = 0.0, z = 0.4;
  for (int k = 0; k < 2000; ++k) {
    if (k % 10 == 0)
      table += std::to_string(5e-4 * k) + "," + std::to_string(1e-4 * k) + ",0," +
               std::to_string(z) + "\n";
    z += 5e-4 * speed - 0.5 * 9.81 * 25e-8;
    speed -= 9.81 * 5e-4;
    if (z < 0.0 && speed < 0.0) speed *= -0.8;
  }
  return table;
}

// The clip of the first line is that of the rehearsal.
void PrepareBall(const TemporaryFolder& folder) {
  folder.Write("centres.csv", TableOfBall());
  folder.Write("ball.yaml", Block("docs/one-phone-and-a-ball.md", "yaml"));
  folder.Write("experiment.yaml", Block("docs/one-phone-and-a-ball.md", "yaml", 1));
  const ProgramRun run =
      RunShell("percuss synthesize ball.yaml -o made && cp made/clip.mov ball.mp4", folder);
  ASSERT_EQ(run.exit_code, 0) << run.err;
}

void PrepareBench(const TemporaryFolder& folder) {
  folder.Write("marks.csv",
               "trial,x1_1,y1_1,x2_1,y2_1,x1_2,y1_2,x2_2,y2_2,x1_3,y1_3,x2_3,y2_3,x1_4,y1_4,x2_4,"
               "y2_4\nhead-on,0,700,130,700,0,500,130,500,0,430,130,430,0,610,130,610\n"
               // e = 0.9 and an impulse ratio of 0.15
               "oblique,0,700,130,700,250,500,380,500,469,509,594,472,662,689,751,594\n");
  // One puck stops nearly where it strikes another that rests, e = 0.85.
  folder.Write(
      "pairs.csv",
      "trial,x1_1,y1_1,x2_1,y2_1,x1_2,y1_2,x2_2,y2_2,x1_3,y1_3,x2_3,y2_3,x1_4,y1_4,x2_4,y2_4,x3_1,"
      "y3_1,x4_1,y4_1,x3_2,y3_2,x4_2,y4_2,x3_3,y3_3,x4_3,y4_3,x3_4,y3_4,x4_4,y4_4"
      "\nhead-on,-50.85,316.44,50.85,316.44,-50.85,216.44,50.85,216.44,-50.85,162.69,50.85,162.69,-"
      "50.85,155.19,50.85,155.19,"
      "-50.85,0,50.85,0,-50.85,0,50.85,0,-50.85,-46.25,50.85,-46.25,-50.85,-138.75,50.85,-138."
      "75\n");
}

// The campaign is that of README.md, one trial; OTHER is the same in one go.
void PrepareCampaigns(const TemporaryFolder& folder) {
  LinkBarDrop(folder);
  folder.Write("EXPERIMENT.yaml", Block("README.md", "yaml"));
  const ProgramRun run = RunShell("percuss run EXPERIMENT.yaml -o OTHER", folder);
  ASSERT_EQ(run.exit_code, 0) << run.err;
}

void PrepareSimulate(const TemporaryFolder& folder) {
  folder.Write("BODY.yaml", Block("docs/simulate.md", "yaml"));
  folder.Write("SCENE.yaml", Block("docs/simulate.md", "yaml", 1));
  folder.Write("SPEC.yaml", Block("docs/simulate.md", "yaml", 2));
  fs::copy_file(kRepository / "tests/fuzz/corpus/urdf/arm.urdf", folder / "robot.urdf");
}

// Fewer pixels, pictures and trials: what is shown is not about them.
void PrepareSynthesize(const TemporaryFolder& folder) {
  const std::string document = "docs/synthesize.md";
  const std::string rod = Block(document, "yaml", 2);  // behind that of slides
  std::string spec = Block(document, "yaml", 0);
  spec = Replaced(spec, "image_size: [1280, 720]", "image_size: [960, 540]");
  spec = Replaced(spec, "calibration_pairs: 12", "calibration_pairs: 6");
  folder.Write("SPEC.yaml", spec.substr(0, spec.find("  - {name: stick")));
  folder.Write("ROD.yaml", "image_size: [960, 540]\nframe_rate: 60\ncalibration_pairs: 6\n" + rod);
  const std::string ball = Replaced(Block(document, "yaml", 4), "frame_rate: 30", "frame_rate: 10");
  folder.Write("BALL.yaml", ball);
  const std::string four = Replaced(Block(document, "yaml", 3), "[960, 720]", "[240, 180]");
  folder.Write("FOUR.yaml", "calibration_pairs: 3\n" + four);
}

// ---- What else must hold after the commands

// Coefficients of the rendered experiments, mu 0.26 and e 0.55.
void ExpectTruth(const fs::path& file) {
  const auto fit = nlohmann::json::parse(ReadFile(file));
  for (const auto& [name, truth] : {std::pair{"mu", 0.26}, std::pair{"e", 0.55}}) {
    const auto& parameter = fit.at("laws").at("stronge").at("parameters").at(name);
    EXPECT_EQ(parameter.at("status"), "identified") << name;
    // Few drops: 4 sigmas, and 1 % whatever they are.
    const double sigma = parameter.at("sigma");
    EXPECT_NEAR(parameter.at("value").get<double>(), truth, std::min(4.0 * sigma, 0.01 * truth))
        << name;
  }
}

void CheckReadme(const TemporaryFolder& folder) { ExpectTruth(folder / "results/fit.json"); }

void CheckTutorial(const TemporaryFolder& folder) { ExpectTruth(folder / "fit.json"); }

void CheckBall(const TemporaryFolder& folder) {
  const auto bounce = nlohmann::json::parse(ReadFile(folder / "out/rehearsal/bounce.json"));
  const double e = bounce.at("e").at("value"), sigma = bounce.at("e").at("sigma");
  EXPECT_NEAR(e, 0.8, std::min(4.0 * sigma, 0.004));
  EXPECT_EQ(bounce.at("bounces").size(), 5U);
  const auto fit = nlohmann::json::parse(ReadFile(folder / "out/experiment/fit.json"));
  const auto& of_glass = fit.at("laws").at("stronge").at("parameters").at("e[glass]");
  EXPECT_NEAR(of_glass.at("value").get<double>(), 0.8, 0.01);
}

void CheckSynthesize(const TemporaryFolder& folder) {
  ExpectTruth(folder / "OUT/fit.json");
  ExpectTruth(folder / "ROD-OUT/fit.json");
  const auto ball = nlohmann::json::parse(ReadFile(folder / "BALL/truth.json"));
  EXPECT_EQ(ball.at("frames").size(), 21U);  // 2 s
  EXPECT_GT(ReadFile(folder / "BALL/clip.mov").size(), 100000U);
}

// The messages that docs/experiment-file.md shows are those of its own example with one mistake.
void CheckExperimentFile(const TemporaryFolder& folder) {
  const std::string document = testing::TextOfRepository("docs/experiment-file.md");
  const std::string example = Block("docs/experiment-file.md", "yaml");
  LinkBarDrop(folder);
  constexpr std::array<std::array<const char*, 2>, 3> kMistakes = {
      {{"square: 0.023", "square: 23"},
       {"mass:", "masss:"},
       {"[2.03892, 0, -9.59235]", "[2038.92, 0, -9592.35]"}}};
  std::size_t at = 0;
  for (const auto& [right, wrong] : kMistakes) {
    folder.Write("experiment.yaml", Replaced(example, right, wrong));
    const ProgramRun run =
        testing::RunPercuss({"run", "experiment.yaml", "-o", "OUT"}, folder.Path());
    EXPECT_EQ(run.exit_code, 2) << wrong;
    at = document.find("\n    experiment.yaml: ", at + 1);
    ASSERT_NE(at, std::string::npos);
    std::string shown = document.substr(at + 5, document.find('\n', at + 1) - at - 5);
    if (shown.ends_with("...")) shown.resize(shown.size() - 3);
    EXPECT_THAT(run.err, ::testing::HasSubstr(shown));
  }
}

// ---- The documents

struct Document {
  const char* name;
  const char* file;
  void (*prepare)(const TemporaryFolder&) = nullptr;
  void (*check)(const TemporaryFolder&) = nullptr;
};

void PrintTo(const Document& document, std::ostream* stream) { *stream << document.file; }

// All of them have the repository's data and workflow.
const std::vector<Document> kDocuments = {
    {"Readme", "README.md", PrepareReadme, CheckReadme},
    {"BenchMeasurements", "docs/bench-measurements.md", PrepareBench},
    {"Campaigns", "docs/campaigns.md", PrepareCampaigns},
    {"ExperimentFile", "docs/experiment-file.md", nullptr, CheckExperimentFile},
    {"FileFormats", "docs/file-formats.md"},
    {"Fitting", "docs/fitting.md"},
    {"ForeignCalibrations", "docs/foreign-calibrations.md"},
    {"ImpactLaws", "docs/impact-laws.md"},
    {"OnePhoneAndABall", "docs/one-phone-and-a-ball.md", PrepareBall, CheckBall},
    {"Simulate", "docs/simulate.md", PrepareSimulate},
    {"Synthesize", "docs/synthesize.md", PrepareSynthesize, CheckSynthesize},
    {"TableDescription", "docs/table-description.md"},
    {"ThesisTables", "docs/thesis-tables.md"},
    {"Tutorial", "docs/tutorial.md", PrepareTutorial, CheckTutorial},
};

struct NotRun {
  const char* file;
  const char* command;  // the whole block
  const char* reason;
  const char* instead;  // prints the output shown after it; nullptr: none is shown
};

const std::vector<NotRun> kNotRun = {
    {"README.md", "make demo\n", "installs packages and builds the program that is tested",
     "percuss run data/bar-drop/experiment.yaml -o out/bar-drop"},
    {"docs/campaigns.md", "percuss watch my-drops -o results\n",
     "it goes on until Ctrl-C; watch_command_test.cc does so", nullptr},
    {"docs/campaigns.md", "percuss watch clips -o balls -- --diameter 0.040\n",
     "as above; watch_command_test.cc does it once", nullptr},
    {"docs/campaigns.md",
     "snakemake -s workflow/Snakefile --config experiment=EXPERIMENT.yaml out=OUT --cores 8\n"
     "snakemake -s workflow/Snakefile --config experiment=EXPERIMENT.yaml out=OUT --profile "
     "workflow/slurm\n",
     "snakemake is not among the packages, and Slurm is a cluster; campaign_test.cc does both ways "
     "where snakemake is installed",
     nullptr},
    {"docs/slides.md",
     "percuss measure slide --video experiment.yaml -o slide.json\n"
     "percuss run experiment.yaml -o OUT --fix slide.json\n",
     "its videos are the reader's own; slide_run_test.cc runs rendered ones", nullptr},
};

const NotRun* FindNotRun(const std::string& file, const std::string& commands) {
  const auto found = std::find_if(kNotRun.begin(), kNotRun.end(), [&](const NotRun& entry) {
    return entry.file == file && entry.command == commands;
  });
  return found == kNotRun.end() ? nullptr : &*found;
}

class Documents : public ::testing::TestWithParam<Document> {
 protected:
  static void SetUpTestSuite() {
    const std::string program = fs::path(PERCUSS_PROGRAM).parent_path().string();
    ASSERT_EQ(setenv("PATH", (program + ":" + std::getenv("PATH")).c_str(), 1), 0);
  }
};

TEST_P(Documents, CommandsDoWhatIsSaid) {
  const Document& document = GetParam();
  const TemporaryFolder folder;
  for (const char* part : {"data", "workflow"})
    fs::create_directory_symlink(kRepository / part, folder / part);
  if (document.prepare) document.prepare(folder);
  if (HasFatalFailure()) return;

  std::optional<std::string> printed;
  for (const FencedBlock& block : testing::FencedBlocks(testing::TextOfRepository(document.file))) {
    SCOPED_TRACE(std::string(document.file) + ":" + std::to_string(block.line));
    std::string commands;
    if (block.language == "sh") {
      commands = block.text;
    } else if (block.language == "console") {
      const NotRun* entry = FindNotRun(document.file, block.text);
      if (entry && entry->instead) commands = entry->instead;
    } else if (block.language.empty()) {
      ASSERT_TRUE(printed) << "no command before this output";
      EXPECT_EQ(testing::MissingFromOutput(block.text, *printed), "");
      printed.reset();
    }
    if (commands.empty()) continue;
    const ProgramRun run = RunShell(commands, folder);
    ASSERT_EQ(run.exit_code, 0) << commands << run.err;
    printed = run.out;
  }
  if (document.check) document.check(folder);
}

INSTANTIATE_TEST_SUITE_P(All, Documents, ::testing::ValuesIn(kDocuments),
                         [](const auto& info) { return std::string(info.param.name); });

// README.md, docs/ and the READMEs of the data.
std::vector<std::string> AllDocuments() {
  std::vector<std::string> files = {"README.md"};
  for (const char* folder : {"docs", "data"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRepository / folder)) {
      if (entry.path().extension() == ".md")
        files.push_back(fs::relative(entry.path(), kRepository).string());
    }
  }
  return files;
}

TEST(DocumentsTable, HasEveryCommandOfEveryDocument) {
  const std::set<std::string> without_commands = {"text", "yaml", "cpp", "cmake", "python"};
  std::set<const NotRun*> found;
  for (const std::string& file : AllDocuments()) {
    const bool listed =
        std::any_of(kDocuments.begin(), kDocuments.end(),
                    [&](const Document& document) { return document.file == file; });
    const std::string text = testing::TextOfRepository(file);
    std::string before;
    for (const FencedBlock& block : testing::FencedBlocks(text)) {
      SCOPED_TRACE(file + ":" + std::to_string(block.line));
      const bool printed_by_python = block.language.empty() && before == "python";
      before = block.language;
      if (block.language == "console") {
        const NotRun* entry = FindNotRun(file, block.text);
        EXPECT_TRUE(entry) << "neither run nor in kNotRun:\n" << block.text;
        found.insert(entry);
      } else if (without_commands.count(block.language) == 0 && !printed_by_python) {
        EXPECT_TRUE(block.language == "sh" || block.language.empty())
            << "unknown fence " << block.language;
        EXPECT_TRUE(listed) << "not in kDocuments";
      }
      if (block.language != "sh" && block.language != "console") {
        std::istringstream lines(block.text);
        for (std::string line; std::getline(lines, line);)
          EXPECT_FALSE(line.starts_with("percuss ") || line.starts_with("make ")) << line;
      }
    }
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_FALSE(line.starts_with("    percuss ") || line.starts_with("    $ "))
          << file << " has a command outside of fences: " << line;
    }
  }
  for (const NotRun& entry : kNotRun)
    EXPECT_TRUE(found.count(&entry)) << entry.file << " no longer has: " << entry.command;
}

// The text of all sources, string literals that go on in the next line joined.
std::string AllSources() {
  std::string text;
  for (const char* folder :
       {"app", "calibration", "capture", "fitting", "pipeline", "report", "tracking"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRepository / folder)) {
      if (entry.path().extension() == ".cc") text += ReadFile(entry.path());
    }
  }
  return std::regex_replace(text, std::regex("\"\\s*\n\\s*\""), "");
}

// Of each message that the page quotes, the parts between its dots. Shorter ones are names.
TEST(DocumentsTable, VerdictsThatAreExplainedAreThoseOfTheProgram) {
  const std::string page = testing::TextOfRepository("docs/understanding-a-verdict.md");
  const std::string sources = AllSources();
  const std::regex quote("`([^`]+)`"), dots("\\.\\.\\.");
  int found = 0;
  for (std::sregex_iterator it(page.begin(), page.end(), quote), end; it != end; ++it) {
    const std::string text = (*it)[1];
    if (text.find(' ') == std::string::npos || text.find_first_of(":[{") != std::string::npos)
      continue;
    for (std::sregex_token_iterator part(text.begin(), text.end(), dots, -1), last; part != last;
         ++part) {
      const std::string words = std::regex_replace(part->str(), std::regex("^[ ,]+|[ ,]+$"), "");
      if (words.size() < 12) continue;
      EXPECT_NE(sources.find(words), std::string::npos) << "no message has: " << words;
      ++found;
    }
  }
  EXPECT_GT(found, 30);
}

TEST(DocumentsTable, DemoIsWhatTheMakefileDoes) {
  EXPECT_THAT(testing::TextOfRepository("Makefile"),
              ::testing::HasSubstr("\ndemo: build\n\t@$(PERCUSS) run "
                                   "data/bar-drop/experiment.yaml -o out/bar-drop\n"));
}

// Source files and tests that a document names.
TEST(DocumentsTable, NamedFilesAndTestsExist) {
  std::string tests;
  for (const auto& entry : fs::recursive_directory_iterator(kRepository / "tests")) {
    if (entry.path().extension() == ".cc") tests += ReadFile(entry.path());
  }
  const std::regex file_name(
      "`((?:base|solver|capture|impacts|calibration|tracking|fitting|report|pipeline|app|tests|"
      "benchmarks|workflow|"
      "scripts)/[A-Za-z0-9_./-]+[.][a-z]+)`");
  const std::regex test_name("`([A-Z][A-Za-z0-9]+)[.]([A-Z][A-Za-z0-9]*|(?=[*]))[*]?`");
  int files = 0, names = 0;
  for (const std::string& document : AllDocuments()) {
    const std::string text = testing::TextOfRepository(document);
    for (std::sregex_iterator at(text.begin(), text.end(), file_name), end; at != end; ++at) {
      const std::string name = (*at)[1];
      if (name.find("/sliding") != std::string::npos) continue;  // the law that a reader adds
      ++files;
      EXPECT_TRUE(fs::exists(kRepository / name)) << document << ": " << name;
    }
    for (std::sregex_iterator at(text.begin(), text.end(), test_name), end; at != end; ++at) {
      ++names;
      EXPECT_TRUE(tests.find("(" + (*at)[1].str() + ", " + (*at)[2].str()) != std::string::npos)
          << document;
    }
  }
  EXPECT_GT(files, 30);
  EXPECT_GT(names, 15);
}

// A sentence may name a command and some of its options without being a command to type.
TEST(DocumentsTable, InlineCommandsHaveTheOptionsThatTheyName) {
  std::map<std::string, std::string> help;
  for (const std::string& file : AllDocuments()) {
    for (const std::string& command : testing::InlineCommands(testing::TextOfRepository(file))) {
      std::istringstream words(command);
      std::string word, name;
      words >> word >> name;
      if (name == "calibration") continue;  // the format "percuss calibration 2"
      std::vector<std::string> arguments = {name};
      if (name == "measure" && words >> std::ws &&
          words.peek() >= 'a') {  // has commands of its own
        words >> word;
        arguments.push_back(word);
        name += " " + word;
      }
      if (help.count(name) == 0) {
        arguments.emplace_back("--help");
        const ProgramRun run = testing::RunPercuss(arguments);
        EXPECT_EQ(run.exit_code, 0) << file << ": " << command;
        help[name] = run.out;
      }
      while (words >> word) {
        if (!word.starts_with("-")) continue;
        EXPECT_THAT(help[name], ::testing::ContainsRegex("[ ,]" + word + "[ ,\n]"))
            << file << ": " << command;
      }
    }
  }
  EXPECT_GT(help.size(), 10U);
}

}  // namespace
}  // namespace percuss
