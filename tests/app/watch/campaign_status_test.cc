// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// What the page is told, from files that the test wrote.

#include "app/watch/campaign_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/base/temporary_folder.h"

namespace percuss::app {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using State = TrialStatus::State;

auto Is(const std::string& name, State state, const std::string& text) {
  return AllOf(Field(&TrialStatus::name, name), Field(&TrialStatus::state, state),
               Field(&TrialStatus::text, text));
}

class StatusOfCampaign : public ::testing::Test {
 protected:
  void Track(const std::string& trial, const std::string& status, const std::string& message) {
    out_.Write("tracks/" + trial + "/trial.json",
               nlohmann::json{{"status", status}, {"message", message}}.dump());
  }
  static LandedTrial Landed(const std::string& name, double changed_at = 1.0) {
    return {name, std::filesystem::path("tracks") / name, changed_at};
  }

  testing::TemporaryFolder out_;
  ResultReader reader_{out_.Path()};
};

constexpr double kLater = 1e11;  // than the files of the test [s]

TEST_F(StatusOfCampaign, FailuresComeFirst) {
  Track("a", "ok", "");
  Track("b", "bad_input", "b: left.mp4: it is no video");
  Track("d", "ok", "");
  FolderLook look{.name = "drops"};
  look.landed = {Landed("a"), Landed("b"), Landed("c"), Landed("d", kLater)};
  look.waiting = {{"e", "e/left.mp4 is not there yet"}};
  const CampaignStatus status = reader_.StatusOf(look, {.running = true});
  EXPECT_THAT(
      status.trials,
      ElementsAre(
          Is("b", State::kFailed, "b: left.mp4: it is no video"),
          Is("c", State::kWorking, "not tracked yet"),
          Is("d", State::kWorking, "not tracked yet"),  // its videos are newer than its results
          Is("e", State::kWaiting, "e/left.mp4 is not there yet"), Is("a", State::kDone, "")));
  EXPECT_EQ(status.steps[0].name, "Trials");
  EXPECT_EQ(status.steps[0].text, "1 of 5 done, 1 failed");
}

TEST_F(StatusOfCampaign, WhatARunHasNotTouchedIsAsItWas) {
  Track("d", "ok", "");
  FolderLook look{.name = "drops"};
  look.landed = {Landed("c"), Landed("d", kLater)};
  const CampaignStatus status = reader_.StatusOf(look, {.settled = true});
  EXPECT_THAT(status.trials, ElementsAre(Is("c", State::kWaiting, "the run ended before its turn"),
                                         Is("d", State::kDone, "")));
}

TEST_F(StatusOfCampaign, ReadsResultsAgainOnceTheyChange) {
  FolderLook look{.name = "drops"};
  look.landed = {Landed("a")};
  EXPECT_EQ(reader_.StatusOf(look, {.running = true}).trials[0].state, State::kWorking);
  Track("a", "no_answer", "a: the flight is too short");
  EXPECT_EQ(reader_.StatusOf(look, {.running = true}).trials[0].state, State::kFailed);
  Track("a", "ok", "");
  EXPECT_EQ(reader_.StatusOf(look, {.running = true}).trials[0].state, State::kDone);
}

TEST_F(StatusOfCampaign, SaysOnceWhyTheRunEnded) {
  Track("a", "bad_input", "a: left.mp4: it is no video");
  FolderLook look{.name = "drops"};
  look.landed = {Landed("a")};
  const auto problem = [&](const std::string& complaint) {
    return reader_.StatusOf(look, {.settled = true, .complaint = complaint}).problem;
  };
  EXPECT_EQ(problem("a: left.mp4: it is no video"), "");
  EXPECT_EQ(problem("no corner was found"), "no corner was found");
  look.problem = "experiment.yaml: body (line 3): found nothing";
  EXPECT_EQ(problem("no corner was found"), look.problem);
}

TEST_F(StatusOfCampaign, AClipHasItsBouncesOrItsReason) {
  out_.Write("batch.json", R"({"e": {"value": 0.75, "sigma": 0.002}, "clips": [
    {"name": "a", "clip": "in/a.mp4", "bounces": 3, "e": {"value": 0.75, "sigma": 0.003}},
    {"name": "b", "clip": "in/b.mp4", "reason": "b.mp4: no ball"}]})");
  FolderLook look{.name = "balls", .clips = true};
  look.landed = {{"a.mp4", "a", 1.0}, {"b.mp4", "b", 1.0}};
  const CampaignStatus status = reader_.StatusOf(look, {.settled = true});
  EXPECT_THAT(status.trials,
              ElementsAre(Is("b.mp4", State::kFailed, "b.mp4: no ball"),
                          Is("a.mp4", State::kDone, "3 bounces, e = 0.7500 ± 0.0030")));
  ASSERT_EQ(status.coefficients.size(), 1u);
  EXPECT_EQ(status.coefficients[0].value, "0.7500");
  EXPECT_EQ(status.coefficients[0].sigma, "0.0020");
}

TEST_F(StatusOfCampaign, NamesStayWhatTheyAre) {
  const std::string hostile = "<img src=x onerror=alert(1)>\"'&\xff";
  FolderLook look{.name = hostile};
  look.waiting = {{hostile, "rename it"}};
  const auto json = nlohmann::json::parse(StatusJson(reader_.StatusOf(look, {})));
  EXPECT_EQ(json["trials"][0]["name"], "<img src=x onerror=alert(1)>\"'&\ufffd");
  EXPECT_THAT(json["coefficients"], IsEmpty());
}

}  // namespace
}  // namespace percuss::app
