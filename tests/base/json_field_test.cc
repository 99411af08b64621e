// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/text/json_field.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/base/temporary_folder.h"

namespace percuss {
namespace {

constexpr const char* kText = R"({"a": {"b": [1, [2, {"c": 3, "d": null}]], "": 4}, "e": "x"})";

// Truth: where one finds it by hand.
TEST(JsonField, KnowsWhereItStands) {
  const JsonField root = JsonField::Parse("f.json", kText);
  const JsonField b = root.At("a").At("b");
  const JsonField inner = b.Elements()[1].Elements()[1];
  EXPECT_EQ(root.Where(), "f.json: ");
  EXPECT_EQ(b.Where(), "f.json: a.b: ");
  EXPECT_EQ(inner.At("c").Where(), "f.json: a.b[1][1].c: ");
  EXPECT_EQ(inner["none"].Where(), "f.json: a.b[1][1].none: ");
  EXPECT_EQ(root["none"].Where(), "f.json: none: ");
  EXPECT_EQ(root.Members()[1].second.Where(), "f.json: e: ");
  EXPECT_FALSE(inner["none"].Given());
  EXPECT_TRUE(root.At("a")[""].Given());
  EXPECT_FALSE(root[""].Given());
}

TEST(JsonField, CountsFromOneWhereItIsAskedTo) {
  const JsonField root = JsonField::Parse("f.json", kText, 1);
  EXPECT_EQ(root.At("a").At("b").Elements()[1].Elements()[1].At("c").Where(),
            "f.json: a.b[#2][#2].c: ");
}

TEST(JsonField, OfAPartKnowsWhereThatStood) {
  const JsonField part =
      JsonField::Of("f.json", nlohmann::ordered_json::parse(R"({"k": [7]})"), "list[5]");
  EXPECT_EQ(part.Where(), "f.json: list[5]: ");
  EXPECT_EQ(part.At("k").Elements()[0].Where(), "f.json: list[5].k[0]: ");
  EXPECT_EQ(part["none"].Where(), "f.json: list[5].none: ");
}

TEST(JsonField, ANamedPartIsATopOfItsOwn) {
  const JsonField named = [] {  // the document stays with it
    return JsonField::Parse("f.json", kText).At("a").Named("f.json: part");
  }();
  EXPECT_EQ(named.Where(), "f.json: part: ");
  EXPECT_EQ(named.At("b").Elements()[0].Where(), "f.json: part: b[0]: ");
}

TEST(JsonField, AMissingFieldIsNamedHoweverItIsAskedFor) {
  const JsonField missing = JsonField::Parse("f.json", kText).At("a")["none"];
  const auto names_it = ::testing::StartsWith("f.json: a.none: found nothing, allowed ");
  EXPECT_THAT(testing::InputErrorOf([&] { missing.Number(); }), names_it);
  EXPECT_THAT(testing::InputErrorOf([&] { missing.Text(); }), names_it);
  EXPECT_THAT(testing::InputErrorOf([&] { missing.Elements(); }), names_it);
  EXPECT_THAT(testing::InputErrorOf([&] { missing["deeper"]; }), names_it);
}

}  // namespace
}  // namespace percuss
