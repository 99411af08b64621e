// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Command lines that the program cannot take: the message names the word, what it may have been
// meant to be or what is missing, and where to read on.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/commands/command_test.h"

namespace percuss {
namespace {

class Usage : public testing::CommandTest {
 protected:
  void ExpectMessage(const std::string& arguments, const std::string& message) const {
    const testing::CommandRun run = Percuss(arguments);
    EXPECT_EQ(run.exit_code, 2) << arguments;
    EXPECT_EQ(run.out, "") << arguments;
    EXPECT_EQ(run.err, "percuss: " + message + "\n");
  }
};

TEST_F(Usage, AnUnknownCommandSuggestsTheNearest) {
  ExpectMessage("rnu x.yaml -o out",
                "rnu: found no such command (perhaps run?); 'percuss --help' lists all");
  ExpectMessage(
      "measure inclin",
      "inclin: found no such command (perhaps incline?); 'percuss measure --help' lists all");
  ExpectMessage(
      "measure",
      "found no command after 'percuss measure', allowed one of incline, slide, drop, puck");
}

TEST_F(Usage, AFileIsNoCommand) {
  folder_.Write("bounce.mp4", "");
  ExpectMessage(
      "bounce.mp4",
      "bounce.mp4: found a file or folder where a command belongs; 'percuss --help' lists "
      "those");
}

// Before anything that is missing, for it may be what was meant.
TEST_F(Usage, AnUnknownOptionSuggestsTheNearest) {
  const std::string read_on = "'percuss run --help' lists all";
  ExpectMessage("run x.yaml --ouput=out",
                "--ouput: found no such option of 'percuss run' (perhaps --output?); " + read_on);
  ExpectMessage(
      "measure drop --height 1",
      "--height: found no such option of 'percuss measure drop' (perhaps --drop-height?); "
      "'percuss measure drop --help' lists all");
  ExpectMessage("run x.yaml -o out -q", "-q: found no such option of 'percuss run'; " + read_on);
  ExpectMessage("--jobs 2 run x.yaml -o out",
                "--jobs: found before the command, allowed after 'percuss run'");
}

TEST_F(Usage, WhatIsMissingIsNamedWithTheWholeCommand) {
  const std::string command =
      "allowed 'percuss run EXPERIMENT.yaml -o OUT'; 'percuss run --help' explains";
  ExpectMessage("run", "found no EXPERIMENT.yaml and no -o OUT, " + command);
  ExpectMessage("run x.yaml", "found no -o OUT, " + command);
}

TEST_F(Usage, HelpBeginsWithWhatMustBeTyped) {
  EXPECT_THAT(Percuss("run --help").out,
              ::testing::HasSubstr("\nUsage: percuss run EXPERIMENT.yaml -o OUT [OPTIONS]\n"));
  EXPECT_THAT(Percuss("bounce --help").out,
              ::testing::HasSubstr("\nUsage: percuss bounce [CLIP...] [OPTIONS]\n"));
  EXPECT_THAT(Percuss("measure --help").out,
              ::testing::HasSubstr("\nUsage: percuss measure [OPTIONS] SUBCOMMAND\n"));
}

TEST_F(Usage, AWordTooManyIsNamed) {
  ExpectMessage("run x.yaml y.yaml -o out",
                "y.yaml: found a word too many; 'percuss run --help' lists what it takes");
}

TEST_F(Usage, AValueIsQuotedWithWhatIsAllowed) {
  ExpectMessage("run x.yaml -o out --jobs two",
                "--jobs: found two, allowed 1 to 256; 'percuss run --help' explains");
  ExpectMessage("bounce x.mp4 --fps 0",
                "--fps: found 0, allowed above 0; 'percuss bounce --help' explains");
  ExpectMessage("run x.yaml -o a -o b",
                "--output: found 2 times, allowed 1; 'percuss run --help' explains");
  ExpectMessage("bounce x.mp4 --fps",
                "--fps: found no RATE after it; 'percuss bounce --help' explains");
  ExpectMessage("run x.yaml -o out --fit pixls",
                "--fit: found pixls, allowed one of states,pixels; 'percuss run --help' explains");
}

}  // namespace
}  // namespace percuss
