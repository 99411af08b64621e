// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/text/json_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/text/json_field.h"
#include "base/text/json_text.h"
#include "tests/base/temporary_folder.h"

namespace percuss {
namespace {

using Json = nlohmann::ordered_json;
using testing::TemporaryFolder;

std::string Streamed(const Json& whole) {
  std::string text;
  JsonStream stream([&](std::string_view part) { text += part; });
  for (const auto& [key, value] : whole.items()) {
    if (!value.is_array()) {
      stream.Field(key, value);
      continue;
    }
    stream.BeginList(key);
    for (const Json& element : value) stream.Element(element);
    stream.EndList();
  }
  stream.End();
  return text;
}

TEST(JsonStream, WritesTheTextOfTheWhole) {
  for (const char* whole : {
           R"({})",
           R"({"a": []})",
           R"({"a": {"b": [1, {"c": 2.5}], "line\nfeed \"quoted\"": "x\ny"}, "n": null})",
           R"({"head": "h", "list": [1, [], {}, {"k": {"l": [[0.1]]}}, "t"], "end": [{"a": 1}]})",
       }) {
    const Json json = Json::parse(whole);
    EXPECT_EQ(Streamed(json), JsonText(json, 1));
  }
}

struct Read {
  std::string rest;
  std::vector<std::string> elements;
};

Read ReadIn(const TemporaryFolder& folder, const std::string& text) {
  const auto file = folder.Write("list.json", text);
  Read read{.rest = ReadFileWithout(file, "list").Dump(), .elements = {}};
  ForEachElement(file, "list", [&](std::size_t place, const JsonField& element) {
    EXPECT_EQ(place, read.elements.size());
    read.elements.push_back(element.Dump());
  });
  return read;
}

TEST(ForEachElement, HandsOverTheElementsOfThatListAlone) {
  const TemporaryFolder folder;
  const Read read =
      ReadIn(folder, R"({"a": [1, 2], "list": [{"x": [1, {"list": [7]}]}, [2, [3]], "t",
                                      null, {}], "b": {"list": [4]}, "c": [{"d": 5}]})");
  EXPECT_EQ(read.rest, R"({"a":[1,2],"list":[],"b":{"list":[4]},"c":[{"d":5}]})");
  EXPECT_EQ(read.elements, (std::vector<std::string>{R"({"x":[1,{"list":[7]}]})", "[2,[3]]",
                                                     R"("t")", "null", "{}"}));
}

TEST(ForEachElement, LeavesAloneWhatIsNoList) {
  const TemporaryFolder folder;
  for (const char* text : {R"({"list":{"a":1}})", R"({"list":3})", R"({"other":[1]})", R"([1,[2]])",
                           R"([{"list":[1]}])", "7"}) {
    const Read read = ReadIn(folder, text);
    EXPECT_EQ(read.rest, text);
    EXPECT_TRUE(read.elements.empty()) << text;
  }
}

TEST(ForEachElement, SaysWhatReadFileSays) {
  const TemporaryFolder folder;
  const std::string deep = std::string(101, '[') + std::string(101, ']');
  const std::string nested = std::string(99, '[') + std::string(99, ']');  // two levels down
  const std::vector<std::string> texts = {
      "{\"list\": [1,\n 2",           "{\"list\": [1, 1e999]}",          "", deep,
      "{\"list\": [" + nested + "]}", "{\"list\": [1], \"a\": \"\xff\"}"};
  for (const std::string& text : texts) {
    const auto file = folder.Write("bad.json", text);
    const std::string expected = testing::InputErrorOf([&] { JsonField::ReadFile(file); });
    ASSERT_FALSE(expected.empty());
    EXPECT_EQ(testing::InputErrorOf([&] { ReadFileWithout(file, "list"); }), expected);
    EXPECT_EQ(testing::InputErrorOf(
                  [&] { ForEachElement(file, "list", [](std::size_t, const JsonField&) {}); }),
              expected);
  }
  ASSERT_EQ(mkfifo((folder / "pipe.json").c_str(), 0600), 0);
  for (const char* name : {"none.json", "pipe.json", "."}) {
    EXPECT_EQ(testing::InputErrorOf([&] { ReadFileWithout(folder / name, "list"); }),
              testing::InputErrorOf([&] { JsonField::ReadFile(folder / name); }));
  }
}

}  // namespace
}  // namespace percuss
