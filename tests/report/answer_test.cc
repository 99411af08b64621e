// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Source of truth: the numbers of the sample run's files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "report/page/html.h"
#include "report/page/text_writers.h"
#include "report/sections/sections.h"
#include "tests/report/page_reader.h"
#include "tests/report/sample_run.h"

namespace percuss::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

struct Shown {
  std::string html, text;
};

Shown AnswerOf(const SampleRun& run) {
  const TemporaryFolder folder;
  run.Write(folder.Path());
  const Document document{
      .title = "t", .subtitle = "", .sections = {AnswerSection(ReadRunFolder(folder.Path()))}};
  return {ToHtml(document), ToMarkdown(document)};
}

Json& Audit(SampleRun* run) { return run->fit["audit"]; }

TEST(AnswerSection, HasCoefficientsAndVerdict) {
  SampleRun run;
  const Shown shown = AnswerOf(run);
  EXPECT_EQ(FindMarkupFault(shown.html), "");
  EXPECT_THAT(shown.text,
              AllOf(HasSubstr("The law stronge explains all 4 impacts"),
                    HasSubstr("1 of 2 checks of the data fails"), HasSubstr("mu = 0.2604 ± 0.0021"),
                    HasSubstr("95 % interval 0.2563 to 0.2646"), HasSubstr("e = 0.4987 ± 0.0032")));
  EXPECT_THAT(shown.text, HasSubstr("WARNING"));
  Audit(&run)[1]["ok"] = true;
  EXPECT_THAT(AnswerOf(run).text, AllOf(HasSubstr("- ok: The law stronge explains"),
                                        HasSubstr("The data pass all 2 checks")));
}

TEST(AnswerSection, TakesTheLawOfTheLeastAicc) {
  SampleRun run;
  run.fit["laws"]["newton"] = run.fit["laws"]["stronge"];
  run.fit["laws"]["newton"]["aicc"] = 20.0;
  run.fit["laws"]["newton"]["parameters"]["mu"]["value"] = 0.3;
  EXPECT_THAT(AnswerOf(run).text,
              AllOf(HasSubstr("The law newton explains"), HasSubstr("mu = 0.3000 ± 0.0021"),
                    Not(HasSubstr("The law stronge"))));
  run.fit["laws"]["newton"]["converged"] = false;
  EXPECT_THAT(AnswerOf(run).text, HasSubstr("The law stronge explains"));
}

TEST(AnswerSection, SaysThatNoLawExplainsTheImpacts) {
  SampleRun run;
  Json& law = run.fit["laws"]["stronge"];
  law["cost_probability"] = 1e-9;
  law["interval_scale"] = 6.54;
  EXPECT_THAT(AnswerOf(run).text,
              HasSubstr("WARNING: The law stronge does not explain all 4 impacts within the errors "
                        "of measurement: its velocities are 0.99 % off on average, and its "
                        "intervals are 6.5 times as wide for it."));
  run.fit["laws"]["newton"] = law;
  EXPECT_THAT(AnswerOf(run).text, HasSubstr("WARNING: No law explains all 4 impacts within the "
                                            "errors of measurement. stronge comes nearest"));
}

TEST(AnswerSection, DoesNotSayMoreThanTheFit) {
  SampleRun run;
  Json& law = run.fit["laws"]["stronge"];
  law["trials"][3]["used"] = false;
  EXPECT_THAT(AnswerOf(run).text, HasSubstr("explains 3 of 4 impacts, the others being left out,"));
  law["cost_probability"] = nullptr;
  EXPECT_THAT(AnswerOf(run).text, AllOf(HasSubstr("Whether the law stronge holds is not known"),
                                        Not(HasSubstr("explains"))));
}

TEST(AnswerSection, BoundsAndUnknownsAreNoNumbersWithSigma) {
  SampleRun run;
  Json& parameters = run.fit["laws"]["stronge"]["parameters"];
  parameters["mu"]["status"] = "lower_bound";
  parameters["e"]["status"] = "unidentified";
  const std::string text = AnswerOf(run).text;
  EXPECT_THAT(
      text, AllOf(HasSubstr("mu = ≥ 0.260"), HasSubstr("e = not known"), Not(HasSubstr("0.0032"))));
}

TEST(AnswerSection, ARunWithoutAFitHasNoCoefficients) {
  SampleRun run;
  run.fit = nullptr;
  EXPECT_THAT(AnswerOf(run).text, HasSubstr("FAILED: There are no coefficients"));
}

// Names may begin alike: a later impact of `a` is `a-2`.
TEST(PlacesOfTrials, TellsTrialsFromLaterImpacts) {
  RunFolder run;
  for (const char* name : {"a", "a-slide"}) run.trials.emplace_back().name = name;
  const PlaceOfTrial place = PlacesOfTrials(run);
  EXPECT_EQ(place("a"), "#trial-1");
  EXPECT_EQ(place("a-2"), "#trial-1");
  EXPECT_EQ(place("a-slide"), "#trial-2");
  EXPECT_EQ(place("a-slide-3"), "#trial-2");
  EXPECT_EQ(place("b"), "");
}

// Each mark leads to a place of the page that is there, and says its trial.
TEST(DissipationScatter, MarksLeadToTheirTrials) {
  const TemporaryFolder folder;
  SampleRun().Write(folder.Path());
  const RunFolder run = ReadRunFolder(folder.Path());
  const Document document{
      .title = "t", .subtitle = "", .sections = {AnswerSection(run), TrackingSection(run)}};
  const std::string html = ToHtml(document);
  const std::regex mark("<a href=\"#([a-z0-9-]+)\"[^>]*><title>([a-z-]+): measured");
  int marks = 0;
  for (auto it = std::sregex_iterator(html.begin(), html.end(), mark); it != std::sregex_iterator();
       ++it, ++marks)
    EXPECT_THAT(html, HasSubstr("<h3 id=\"" + (*it)[1].str() + "\">" + (*it)[2].str() + "</h3>"));
  EXPECT_EQ(marks, 4);
}

}  // namespace
}  // namespace percuss::report
