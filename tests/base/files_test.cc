// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/files/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/text/json_text.h"
#include "tests/base/temporary_folder.h"

namespace percuss::capture {
namespace {

namespace fs = std::filesystem;
using ::percuss::testing::InputErrorOf;
using ::percuss::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> NamesIn(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  return names;
}

// Truth: the examples that NIST publishes with FIPS 180-4 (one block, two blocks, a million "a").
TEST(HashText, MatchesThePublishedExamples) {
  EXPECT_EQ(HashText("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(HashText(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(HashText("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(HashText(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(HashFile, IsThatOfTheContent) {
  const TemporaryFolder folder;
  const std::string content(200000, '\x7f');  // several read buffers
  EXPECT_EQ(HashFile(folder.Write("a.bin", content)), HashText(content));
}

TEST(HashFile, NamesAMissingFile) {
  EXPECT_EQ(InputErrorOf([] { HashFile("no/such/file"); }),
            "no/such/file: cannot be read: No such file or directory");
}

// Other programs refuse JSON that is no UTF-8: a name in Latin-1 keeps its other letters.
TEST(JsonText, IsUtf8WhateverTheNamesAre) {
  const nlohmann::json latin = {{"name", "W\xFCrfel"}};
  EXPECT_EQ(JsonText(latin, -1), "{\"name\":\"W\uFFFDrfel\"}\n");
  EXPECT_EQ(JsonText(nlohmann::ordered_json{{"b", 1}, {"a", "\u00FC"}}, 1),
            "{\n \"b\": 1,\n \"a\": \"\u00FC\"\n}\n");
}

TEST(ReadFile, ReturnsEveryByte) {
  const TemporaryFolder folder;
  const std::string content("a\0b\r\n\xff", 6);
  EXPECT_EQ(ReadFile(folder.Write("a.bin", content)), content);
}

TEST(ReadFile, NamesAMissingFileAndAFolder) {
  const TemporaryFolder folder;
  EXPECT_EQ(InputErrorOf([&] { ReadFile(folder / "none.txt"); }),
            (folder / "none.txt").string() + ": cannot be read: No such file or directory");
  EXPECT_EQ(InputErrorOf([&] { ReadFile(folder.Path()); }),
            folder.Path().string() + ": found a folder, allowed a file");
}

TEST(WriteFileAtomically, MakesFoldersAndLeavesOnlyTheFile) {
  const TemporaryFolder folder;
  WriteFileAtomically(folder / "a/b/c.txt", "one");
  WriteFileAtomically(folder / "a/b/c.txt", "two");
  EXPECT_EQ(ReadFile(folder / "a/b/c.txt"), "two");
  EXPECT_THAT(NamesIn(folder / "a/b"), ElementsAre("c.txt"));
}

TEST(AtomicFile, LeavesNothingWithoutCommit) {
  const TemporaryFolder temporary;
  const fs::path folder = temporary.Path();
  {
    AtomicFile file(folder / "table.csv");
    file.Write("a,b\n");
  }
  EXPECT_TRUE(fs::is_empty(folder));
  AtomicFile file(folder / "table.csv");
  file.Write("a,b\n");
  file.Write("1,2\n");
  EXPECT_FALSE(fs::exists(folder / "table.csv"));
  file.Commit();
  EXPECT_EQ(ReadFile(folder / "table.csv"), "a,b\n1,2\n");
}

TEST(WriteIfChanged, LeavesAFileWithThatContentAlone) {
  const TemporaryFolder folder;
  const fs::path file = folder / "a/c.txt";
  WriteIfChanged(file, "one");
  EXPECT_EQ(ReadFile(file), "one");
  const fs::file_time_type long_ago = fs::last_write_time(file) - std::chrono::hours(1);
  fs::last_write_time(file, long_ago);
  WriteIfChanged(file, "one");
  EXPECT_EQ(fs::last_write_time(file), long_ago);
  WriteIfChanged(file, "two");
  EXPECT_EQ(ReadFile(file), "two");
  EXPECT_GT(fs::last_write_time(file), long_ago);
}

TEST(WriteFileAtomically, ReplacesNothingWhenTheTargetIsAFolder) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "out");
  EXPECT_THAT(InputErrorOf([&] { WriteFileAtomically(folder / "out", "text"); }),
              HasSubstr("out: cannot be written: it is a folder"));
  EXPECT_THAT(NamesIn(folder.Path()), ElementsAre("out"));
}

TEST(WriteFileAtomically, PutsNoFileInThePlaceOfADevice) {
  EXPECT_EQ(testing::InputErrorOf([] { WriteFileAtomically("/dev/null", "lost"); }),
            "/dev/null: cannot be written: found a device or a pipe, allowed a file");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(AtomicFile, WritesToAnyPlace) {
  const testing::TemporaryFolder folder;
  {
    AtomicFile file(folder / "film");
    file.Write("0123456789");
    file.WriteAt(2, "ab");
    file.WriteAt(10, "c");
    file.Commit();
  }
  EXPECT_EQ(ReadFile(folder / "film"), "01ab456789c");
}

TEST(RemoveOutdated, TakesFilesFoldersAndLinksButNotWhatTheyLeadTo) {
  const testing::TemporaryFolder folder;
  folder.Write("old/a/b", "x");
  folder.Write("kept/c", "x");
  fs::create_directory_symlink(folder / "kept", folder / "link");
  for (const char* name : {"old", "link", "missing"}) RemoveOutdated(folder / name);
  EXPECT_FALSE(fs::exists(folder / "old"));
  EXPECT_FALSE(fs::is_symlink(folder / "link"));
  EXPECT_TRUE(fs::exists(folder / "kept/c"));
}

TEST(ReadFile, WaitsForNoPipeAndReadsNoDevice) {
  for (const char* device : {"/dev/zero", "/dev/null"})
    EXPECT_EQ(testing::InputErrorOf([&] { ReadFile(device); }),
              std::string(device) + ": found a device or a pipe, allowed a file");
}

TEST(WriteFileAtomically, NamesAFolderThatCannotBeMade) {
  const TemporaryFolder folder;
  folder.Write("file", "");
  EXPECT_THAT(InputErrorOf([&] { WriteFileAtomically(folder / "file/out.txt", "text"); }),
              HasSubstr("file/out.txt: its folder cannot be made: "));
}

// A file size limit stands for a full disk: the write fails half-way for any user.
TEST(WriteFileAtomically, KeepsTheOldFileAndRemovesTheHalfWrittenOne) {
  const TemporaryFolder folder;
  const fs::path file = folder.Write("out.txt", "old");
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 1000;
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string message =
      InputErrorOf([&] { WriteFileAtomically(file, std::string(100000, 'x')); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);

  EXPECT_EQ(message, file.string() + ": cannot be written: File too large");
  EXPECT_EQ(ReadFile(file), "old");
  EXPECT_THAT(NamesIn(folder.Path()), ElementsAre("out.txt"));
}

TEST(NameFrom, IsTheSameHoweverFileAndFolderAreNamed) {
  const fs::path here = fs::current_path();
  for (const fs::path& folder : {fs::path("a"), fs::path("a/"), fs::path("b/../a"), here / "a"}) {
    for (const fs::path& base : {fs::path(), fs::path("."), here}) {
      EXPECT_EQ(NameFrom(folder, base / "a/left/1.png"), "left/1.png") << folder << base;
      EXPECT_EQ(NameFrom(folder, base / "b/1.png"), "../b/1.png") << folder << base;
    }
  }
  for (const fs::path& folder : {fs::path(), fs::path("."), here, here / ""})
    EXPECT_EQ(NameFrom(folder, here / "1.png"), "1.png") << folder;
  EXPECT_EQ(NameFrom("/a", "/b/1.png"), "../b/1.png");
  for (const auto& [file, name] : {std::pair("a/.steps/1.json", ".steps/1.json"),
                                   {"a/left/./1.png", "left/1.png"},
                                   {"a//left//1.png", "left/1.png"},
                                   {"a/left/../1.png", "1.png"},
                                   {"a/../b/1.png", "../b/1.png"},
                                   {"ab/1.png", "../ab/1.png"},
                                   {"a/..1.png", "..1.png"}})
    EXPECT_EQ(NameFrom("a", file), name);
}

TEST(ExpandPattern, SortsByNameWithNumbersByValue) {
  const TemporaryFolder folder;
  for (const char* name : {"f10.png", "f2.png", "f1.png", "f02.png", ".f3.png", "f4.jpg"}) {
    folder.Write(name, "");
  }
  EXPECT_THAT(ExpandPattern(folder / "*.png"), ElementsAre(folder / "f1.png", folder / "f02.png",
                                                           folder / "f2.png", folder / "f10.png"));
  EXPECT_THAT(ExpandPattern(folder / "f?.*"),
              ElementsAre(folder / "f1.png", folder / "f2.png", folder / "f4.jpg"));
}

TEST(ExpandPattern, MatchesFoldersToo) {
  const TemporaryFolder folder;
  folder.Write("view1/left.png", "");
  folder.Write("view2/left.png", "");
  folder.Write("view2/right.png", "");
  EXPECT_THAT(ExpandPattern(folder / "view*/left.png"),
              ElementsAre(folder / "view1/left.png", folder / "view2/left.png"));
}

TEST(ExpandPattern, ReturnsAPlainPathAsItIs) {
  const TemporaryFolder folder;
  folder.Write("a.png", "");
  EXPECT_THAT(ExpandPattern(folder / "a.png"), ElementsAre(folder / "a.png"));
  EXPECT_THAT(ExpandPattern(folder / "b.png"), IsEmpty());
  EXPECT_THAT(ExpandPattern(folder / "none/*.png"), IsEmpty());
}

}  // namespace
}  // namespace percuss::capture
