// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Files made to take a program's time, its memory or other files. Source of truth: one line that
// names the file, within seconds, with 2 GB of addresses, and a folder in which nothing else
// changed. Names and texts are in untrusted_text_test.cc, damaged files in mutated_input_test.cc.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <set>

#include "base/files/files.h"
#include "tests/app/program.h"
#include "tests/app/replaced.h"
#include "tests/app/run/campaign.h"
#include "tests/base/temporary_folder.h"

namespace percuss {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::Replaced;
using ::testing::StartsWith;

std::string Repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

/// Ten times ten times ... of one word: 10^12 of them, in lists or in maps.
std::string Bomb(bool maps) {
  constexpr const char* kKeys = "abcdefghij";
  std::string text = maps ? "{kind: &a0 {a: 1}" : "[&a0 [x, x]";
  for (int i = 1; i <= 12; ++i) {
    text += maps ? fmt::format(", kind{0}: &a{0} {{", i) : fmt::format(", &a{} [", i);
    for (int k = 0; k < 10; ++k) {
      text += fmt::format("{}{}*a{}", k > 0 ? ", " : "", maps ? fmt::format("{}: ", kKeys[k]) : "",
                          i - 1);
    }
    text += maps ? "}" : "]";
  }
  return text + (maps ? "}" : "]");
}

void AppendBytes(std::uint64_t value, int count, bool big_end, std::string* bytes) {
  for (int k = 0; k < count; ++k)
    *bytes += static_cast<char>(value >> (8 * (big_end ? count - 1 - k : k)));
}

/// @param sizes pairs of a value and its bytes
std::string Bytes(bool big_end, const std::vector<std::pair<std::uint64_t, int>>& sizes) {
  std::string bytes;
  for (const auto& [value, count] : sizes) AppendBytes(value, count, big_end, &bytes);
  return bytes;
}

constexpr int kLargeSide = 100000;

// Headers of pictures of 10^5 x 10^5 pixels, with some hundred bytes behind (TIFF 6.0, PNG 1.2,
// the BITMAPINFOHEADER of Windows, Netpbm).
std::map<std::string, std::string> LargePictures() {
  const std::string nothing(500, '\0');
  std::map<std::string, std::string> pictures;
  pictures[".png"] = "\x89PNG\r\n\x1a\n" + Bytes(true, {{13, 4}}) + "IHDR" +
                     Bytes(true, {{kLargeSide, 4}, {kLargeSide, 4}, {8, 1}, {0, 4}}) +
                     Bytes(true, {{0x1bb6b1ba, 4}, {100, 4}}) + "IDAT" + nothing;
  pictures[".bmp"] = "BM" +
                     Bytes(false, {{1578, 4},
                                   {0, 4},
                                   {1078, 4},
                                   {40, 4},
                                   {kLargeSide, 4},
                                   {kLargeSide, 4},
                                   {1, 2},
                                   {8, 2},
                                   {0, 4},
                                   {500, 4},
                                   {0, 8},
                                   {256, 4},
                                   {0, 4}}) +
                     std::string(1024, '\0') + nothing;
  pictures[".pgm"] = fmt::format("P5 {0} {0} 255\n", kLargeSide) + nothing;
  std::string tiff = std::string("II*\0", 4) + Bytes(false, {{8, 4}, {8, 2}});
  for (const auto& [tag, value] : std::vector<std::pair<int, int>>{{256, kLargeSide},
                                                                   {257, kLargeSide},
                                                                   {258, 8},
                                                                   {259, 1},
                                                                   {262, 1},
                                                                   {273, 200},
                                                                   {277, 1},
                                                                   {278, kLargeSide}})
    tiff += Bytes(false, {{tag, 2}, {4, 2}, {1, 4}, {value, 4}});
  pictures[".tif"] = tiff + nothing;
  return pictures;
}

class HostileInput : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    drops_ = std::make_unique<testing::TemporaryFolder>();
    testing::SynthesizeDrops(1, *drops_ / "drops");
  }
  static void TearDownTestSuite() { drops_.reset(); }
  void SetUp() override {
    fs::copy(*drops_ / "drops", folder_.Path(), fs::copy_options::recursive);
    experiment_ = ReadFile(folder_ / "experiment.yaml");
  }

  /// Without much memory, and ended where it goes on for ever.
  testing::ProgramRun Percuss(const std::string& arguments) const {
    return testing::RunProgram(
        {"/bin/sh", "-c", "ulimit -v 2000000; exec timeout 60 \"$0\" " + arguments,
         PERCUSS_PROGRAM},
        folder_.Path());
  }
  testing::ProgramRun RunExperiment(const std::string& text) const {
    folder_.Write("experiment.yaml", text);
    return Percuss("run experiment.yaml -o out --law stronge --jobs 1");
  }
  static void ExpectOneLine(const testing::ProgramRun& run, const std::string& names) {
    EXPECT_TRUE(run.exit_code == 2 || run.exit_code == 3) << run.exit_code << run.err;
    const std::string line = run.err.substr(run.err.rfind("percuss: ", run.err.size()));
    EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1) << run.err;
    EXPECT_THAT(run.err, HasSubstr(names));
    EXPECT_LT(line.size(), 600U) << line;
    EXPECT_LT(run.peak_memory_mib, 1000.0);
  }

  testing::TemporaryFolder folder_;
  std::string experiment_;

 private:
  static std::unique_ptr<testing::TemporaryFolder> drops_;
};

std::unique_ptr<testing::TemporaryFolder> HostileInput::drops_;

TEST_F(HostileInput, AliasesThatMultiplyEndAtOnce) {
  const std::string lists = Bomb(false), maps = Bomb(true);
  const std::vector<std::string> texts = {
      "name: x\nbomb: " + lists + "\n",
      Replaced(experiment_, "trials:", "coefficients: " + maps + "\ntrials:"),
      Replaced(experiment_, "name: drop-0", "name: drop-0, group: " + maps),
      Replaced(experiment_, "name: drop-0", "name: " + lists),
      Replaced(experiment_, "markers: {", "markers: {Z: " + lists + ", "),
      experiment_.substr(0, experiment_.find("trials:")) + "trials: " + lists + "\n",
      "&all\nname: x\nbody: *all\ntrials: *all\n",
      "name: &a [*a]\n",
      "<<: &a {<<: *a}\n"};
  for (const std::string& text : texts) {
    SCOPED_TRACE(text.substr(0, 60));
    ExpectOneLine(RunExperiment(text), "experiment.yaml: ");
  }
}

TEST_F(HostileInput, NestingHasAnEnd) {
  for (const std::string& text :
       {"name: " + Repeated("[", 200000), "body: " + Repeated("{a: ", 100000) + "1"})
    ExpectOneLine(RunExperiment(text), "experiment.yaml: ");
  folder_.Write("deep.json", Repeated("{\"a\":", 500000));
  ExpectOneLine(Percuss("impact deep.json"), "deep.json: byte 501: found more than 100 levels");
}

// A box of MP4 (ISO/IEC 14496-12) that counts: what it claims takes gigabytes if it is believed.
TEST_F(HostileInput, AThousandMillionFramesAreNotBelieved) {
  const std::string video = ReadFile(folder_ / "trials/drop-0/left.mp4");
  const auto with = [&](const std::string& box, std::size_t after, std::uint64_t value) {
    const std::size_t place = video.find(box);
    EXPECT_NE(place, std::string::npos) << box;
    return std::string(video).replace(place + after, 4, Bytes(true, {{value, 4}}));
  };
  std::string constant = with("stsz", 8, 1);  // frames of one byte need no table
  constant.replace(constant.find("stsz") + 12, 4, Bytes(true, {{1000000000, 4}}));
  for (const std::string& claims :
       {with("stsz", 12, 1000000000), constant, with("stts", 8, 1000000000),
        with("stts", 12, 1000000000), with("stco", 8, 1000000000), with("stsc", 8, 1000000000),
        with("stsc", 16, 1000000000)}) {
    folder_.Write("trials/drop-0/left.mp4", claims);
    const testing::ProgramRun run = RunExperiment(experiment_);
    // What decoders do not need they need not believe.
    if (run.exit_code != 0) ExpectOneLine(run, "left.mp4");
    EXPECT_LT(run.peak_memory_mib, 1000.0);
  }
}

TEST_F(HostileInput, PicturesOfTenThousandMillionPixelsAreNamed) {
  for (const auto& [ending, picture] : LargePictures()) {
    SCOPED_TRACE(ending);
    folder_.Write("large/1" + ending, picture);
    folder_.Write("large/2" + ending, picture);
    ExpectOneLine(RunExperiment(Replaced(experiment_, "trials/drop-0/left.mp4", "large")),
                  "large/1" + ending);
    folder_.Write("calibration/surface/large" + ending, picture);
    ExpectOneLine(RunExperiment(Replaced(experiment_, "calibration/surface/left.png",
                                         "calibration/surface/large" + ending)),
                  "surface/large" + ending);
    fs::remove_all(folder_ / "large");
  }
}

// The header and the one parameter section of the C3D user's guide, its numbers as large as they
// go.
TEST_F(HostileInput, C3dHeadersThatLieAreRefused) {
  const auto c3d = [](int points, int frames, int analog, int start) {
    std::string header = Bytes(false, {{2, 1},
                                       {0x50, 1},
                                       {points, 2},
                                       {analog, 2},
                                       {1, 2},
                                       {frames, 2},
                                       {0, 2},
                                       {0xbdcccccd, 4},
                                       {start, 2},
                                       {1, 2},
                                       {0x42c80000, 4}});
    header.resize(512);
    std::string parameters = Bytes(false, {{1, 1}, {0x50, 1}, {1, 1}, {84, 1}}) +
                             Bytes(false, {{5, 1}, {0xff, 1}}) + "POINT" +
                             Bytes(false, {{3, 2}, {0, 1}});
    const auto number = [&](const std::string& name, int value) {
      parameters += Bytes(false, {{name.size(), 1}, {1, 1}}) + name +
                    Bytes(false, {{7, 2}, {2, 1}, {0, 1}, {value, 2}, {0, 1}});
    };
    number("USED", points);
    number("FRAMES", frames);
    number("DATA_START", start);
    parameters.resize(512);
    return header + parameters + std::string(2000, '\0');
  };
  for (const std::string& file :
       {c3d(65535, 65535, 0, 3), c3d(3, 65535, 0, 3), c3d(3, 10, 65535, 3), c3d(3, 10, 0, 65535),
        c3d(3, 10, 0, 0), c3d(0, 65535, 0, 3), c3d(65535, 1, 65535, 255)}) {
    folder_.Write("lies.c3d", file);
    ExpectOneLine(Percuss("convert lies.c3d out.csv"), "lies.c3d: ");
    EXPECT_FALSE(fs::exists(folder_ / "out.csv"));
  }
}

// They would be waited for, or read, without end.
TEST_F(HostileInput, PipesAndDevicesAreNoFiles) {
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0666), 0);
  for (const std::string file : {"pipe", "/dev/zero"}) {
    SCOPED_TRACE(file);
    for (const char* command : {"run {} -o out", "impact {}", "convert {} out.csv", "bounce {}"})
      ExpectOneLine(Percuss(fmt::format(fmt::runtime(command), file)), file + ": found a device");
    ExpectOneLine(RunExperiment(Replaced(experiment_, "trials/drop-0/left.mp4", file)), file);
    ExpectOneLine(RunExperiment(Replaced(experiment_, "calibration/surface/left.png", file)), file);
  }
  ExpectOneLine(Percuss("impact - < /dev/zero"), "standard input: found more than");
  fs::resize_file(folder_.Write("hole.json", ""), std::uintmax_t{1} << 40);
  ExpectOneLine(Percuss("impact hole.json"), "hole.json: found 1099511627776 bytes, allowed");
}

// Whoever made OUT may have laid links in it to what is not his.
TEST_F(HostileInput, LinksInTheResultsLeadNoWriterOut) {
  const std::vector<std::string> files = {"report.html",
                                          "fit.json",
                                          "tables/laws.csv",
                                          "tracks/drop-0/trial.json",
                                          "tracks/drop-0/labels.json",
                                          ".steps/fit.json"};
  for (const std::string& file : files) {
    const fs::path precious = folder_.Write("precious/" + fs::path(file).filename().string(), "p");
    fs::create_directories((folder_ / "out" / file).parent_path());
    fs::create_symlink(precious, folder_ / "out" / file);
  }
  folder_.Write("precious/picture.jpg", "p");
  fs::create_directory_symlink(folder_ / "precious", folder_ / "out/tracks/drop-0/pictures");
  fs::create_directory_symlink(folder_ / "precious", folder_ / "out/tracks/drop-0/enhanced");
  EXPECT_EQ(RunExperiment(experiment_).exit_code, 0);
  for (const auto& entry : fs::directory_iterator(folder_ / "precious"))
    EXPECT_EQ(ReadFile(entry.path()), "p") << entry.path();
  EXPECT_FALSE(fs::is_symlink(folder_ / "out/report.html"));
  EXPECT_TRUE(fs::exists(folder_ / "precious/picture.jpg"));
}

}  // namespace
}  // namespace percuss
