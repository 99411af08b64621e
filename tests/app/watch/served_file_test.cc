// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/watch/served_file.h"

#include <gtest/gtest.h>

#include "app/watch/watch_page.h"
#include "tests/base/temporary_folder.h"

namespace percuss::app {
namespace {

namespace fs = std::filesystem;

TEST(LoopbackHost, IsThisMachineAtThisPort) {
  EXPECT_TRUE(IsLoopbackHost("127.0.0.1:8765", 8765));
  EXPECT_TRUE(IsLoopbackHost("localhost:8765", 8765));
  for (const char* other : {"", "127.0.0.1", "localhost:8766", "evil.example:8765",
                            "127.0.0.1:8765.evil.example", "localhost:87650"})
    EXPECT_FALSE(IsLoopbackHost(other, 8765)) << other;
}

TEST(FileInside, LeadsNowhereElse) {
  const testing::TemporaryFolder folder;
  folder.Write("secret.txt", "secret");
  folder.Write("out/tracks/a b/overlay.mp4", "video");
  folder.Write("out/.steps/fit.json", "{}");
  folder.Write("out-other/report.html", "");
  fs::create_symlink(folder / "secret.txt", folder / "out/link.txt");
  fs::create_directory_symlink(folder.Path(), folder / "out/up");
  fs::create_symlink("tracks/a b/overlay.mp4", folder / "out/own.mp4");
  const fs::path out = folder / "out";
  EXPECT_EQ(FileInside(out, "tracks/a b/overlay.mp4"),
            fs::canonical(out / "tracks/a b/overlay.mp4"));
  EXPECT_TRUE(FileInside(out, "own.mp4"));
  for (const std::string_view path :
       {"", "tracks", "none", "../secret.txt", "tracks/../../secret.txt", "link.txt",
        "up/secret.txt", "../out-other/report.html", ".steps/fit.json", "/etc/passwd",
        "//etc/passwd"})
    EXPECT_FALSE(FileInside(out, path)) << path;
  EXPECT_FALSE(FileInside(out, std::string_view("own.mp4\0.html", 13)));
}

TEST(WatchPage, WritesTextAndNoMarkup) {
  for (const char* way :
       {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("})
    EXPECT_EQ(PageScript().find(way), std::string::npos) << way;
}

}  // namespace
}  // namespace percuss::app
