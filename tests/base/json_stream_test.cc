// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/text/json_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/json_field.h"
#include "base/text/json_text.h"
#include "tests/base/temporary_folder.h"

namespace percuss {
namespace {

using Json = nlohmann::ordered_json;
using testing::TemporaryFolder;

/// Everything by itself: keys, elements, numbers.
void Stream(const Json& value, JsonStream* stream) {
  if (value.is_object()) {
    stream->BeginObject();
    for (const auto& [key, member] : value.items()) {
      stream->Key(key);
      Stream(member, stream);
    }
    stream->EndObject();
  } else if (value.is_array()) {
    stream->BeginList();
    for (const Json& element : value) Stream(element, stream);
    stream->EndList();
  } else {
    stream->Value(value);
  }
}

TEST(JsonStream, WritesTheTextOfTheWhole) {
  for (const char* whole : {
           "{}",
           "[]",
           "7",
           R"({"a": []})",
           R"({"a": {"b": [1, {"c": 2.5}], "line\nfeed \"quoted\"": "x\ny"}, "n": null})",
           R"({"head": "h", "list": [1, [], {}, {"k": {"l": [[0.1]]}}, "t"], "end": [{"a": 1}]})",
       }) {
    const Json json = Json::parse(whole);
    for (const int indent : {-1, 0, 1, 4}) {
      std::string text, fields;
      JsonStream stream([&](std::string_view part) { text += part; }, indent);
      Stream(json, &stream);
      stream.End();
      EXPECT_EQ(text, JsonText(json, indent));
      if (!json.is_object()) continue;
      JsonStream of_fields([&](std::string_view part) { fields += part; }, indent);
      of_fields.BeginObject();
      of_fields.Fields(json);
      of_fields.EndObject();
      of_fields.End();
      EXPECT_EQ(fields, text);
    }
  }
}

TEST(JsonStream, HandsOnWhatItHas) {
  std::size_t parts = 0, bytes = 0;
  JsonStream stream([&](std::string_view part) {
    ++parts;
    bytes += part.size();
  });
  stream.BeginList();
  for (int i = 0; i < 100000; ++i) stream.Value("0123456789");
  EXPECT_GT(bytes, 1400000U);
  EXPECT_LT(parts, 100U);
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

TEST(ReadFileInParts, HandsOverListsAnywhere) {
  const TemporaryFolder folder;
  const auto file = folder.Write(
      "parts.json",
      R"({"format": "f", "laws": {"a": {"n": 1, "trials": [{"x": [1]}, [2]]}, "b": {"trials": [3]},
          "c": {"list": {"trials": [4]}}, "d": [{"trials": [5]}]}, "trials": [6], "top": [7, []]})");
  std::vector<std::string> elements;
  const auto element = [&](const ListPath& keys, const JsonField& one) {
    elements.push_back(keys.front() + "/" + keys.back() + " " + one.Where() + one.Dump());
  };
  const JsonField rest = ReadFileInParts(file, "f", {{"laws", "*", "trials"}, {"top"}}, element);
  EXPECT_EQ(rest.Dump(),
            R"({"format":"f","laws":{"a":{"n":1,"trials":[]},"b":{"trials":[]},)"
            R"("c":{"list":{"trials":[4]}},"d":[{"trials":[5]}]},"trials":[6],"top":[]})");
  const std::string name = file.string();
  EXPECT_EQ(elements, (std::vector<std::string>{
                          "laws/trials " + name + R"(: laws.a.trials[0]: {"x":[1]})",
                          "laws/trials " + name + ": laws.a.trials[1]: [2]",
                          "laws/trials " + name + ": laws.b.trials[0]: 3",
                          "top/top " + name + ": top[0]: 7", "top/top " + name + ": top[1]: []"}));
}

// Truth: the elements without those fields.
TEST(ReadFileInParts, LeavesOutTheFieldsThatNobodyWants) {
  const TemporaryFolder folder;
  const auto file = folder.Write(
      "parts.json", R"({"format": "f", "long": 1, "list": [{"n": 1, "long": [[1, {"long": 2}], []],
                        "m": {"long": 3}}, {"n": 2, "long": [4]}, {"long": 5, "n": 1}, [6],
                        {"n": 1, "long": {"n": {}}}, {"n": 1, "long": 7, "o": 8}]})");
  std::string elements;
  const JsonField rest = ReadFileInParts(
      file, "f", {{"list"}},
      [&](const ListPath&, const JsonField& one) { elements += one.Dump() + " "; },
      [](const Json& element, std::string_view key) {
        return key == "long" && element.value("n", 0) == 1;
      });
  EXPECT_EQ(rest.Dump(), R"({"format":"f","long":1,"list":[]})");
  EXPECT_EQ(
      elements,
      R"({"n":1,"m":{"long":3}} {"n":2,"long":[4]} {"long":5,"n":1} [6] {"n":1} {"n":1,"o":8} )");
}

// What is left out may hold anything, be longer than what is read at once, and end with the file.
TEST(ReadFileInParts, PassesOverWhatItLeavesOut) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& value) {
    const auto file = folder.Write(
        "parts.json", R"({"format": "f", "list": [{"n": 1, "long" : )" + value + R"(, "o": 8}]})");
    std::string elements;
    ReadFileInParts(
        file, "f", {{"list"}},
        [&](const ListPath&, const JsonField& one) { elements += one.Dump(); },
        [](const Json&, std::string_view key) { return key == "long"; });
    return elements;
  };
  std::string many = "[";
  for (int k = 0; k < 20'000; ++k) many += "\"[}\\\\\", {\"a\": [-1.5e3, \"\\\"\"]}, ";
  for (const std::string& value :
       {std::string("[]"), std::string("{ }"), std::string("\"]}\\\"\""), std::string("null"),
        std::string("-1.5e3"), std::string("[\"]\", \"\\\\\", {\"[\": \"\\\"]\"}]"), many + "0]"}) {
    EXPECT_EQ(read(value), R"({"n":1,"o":8})") << value.substr(0, 80);
  }
  for (const std::string& value : {std::string(""), std::string("]"), many, std::string("[\"]")})
    EXPECT_THAT(testing::InputErrorOf([&] { read(value); }),
                ::testing::HasSubstr("this is not valid JSON"))
        << value.substr(0, 80);
}

// Truth: the whole document without the others.
TEST(ReadFields, ReadsThoseOfTheTopAlone) {
  const TemporaryFolder folder;
  const std::string text =
      R"({"a": [{"b": 1}], "long": {"a": [1, "]}"]}, "b": {"a": 2, "long": 3}, "n": -1.5e3, "c": "d",
          "e": null, "": [], "t": "\"", "a2": 0})";
  const auto file = folder.Write("fields.json", text);
  const Json whole = Json::parse(text);
  for (const std::vector<std::string_view>& fields : {std::vector<std::string_view>{},
                                                      {"a"},
                                                      {"c", "b", "not there"},
                                                      {"e", "n", "t"},
                                                      {"", "a2"}}) {
    Json expected = Json::object();
    for (const auto& [key, value] : whole.items())
      if (std::ranges::find(fields, key) != fields.end()) expected[key] = value;
    EXPECT_EQ(ReadFields(file, fields).Dump(), expected.dump());
  }
  EXPECT_THAT(testing::InputErrorOf([&] {
                ReadFields(folder.Write("broken.json", R"({"a": 1, "long": [}, "b": 2)"), {"b"});
              }),
              ::testing::HasSubstr("broken.json: line 1, column 19: this is not valid JSON"));
  const auto list = folder.Write("list.json", R"([{"a": 1}])");
  EXPECT_THAT(testing::InputErrorOf([&] { ReadFields(list, {"a"}).At("a"); }),
              ::testing::HasSubstr("list.json: "));
}

// Where the format is another one, the fields are not those of this one.
TEST(ReadFileInParts, NamesTheFormatBeforeTheElements) {
  const TemporaryFolder folder;
  const auto fail = [](const ListPath&, const JsonField& one) { one.Fail("nothing"); };
  const auto message = [&](const char* text) {
    const auto file = folder.Write("parts.json", text);
    return testing::InputErrorOf([&] { ReadFileInParts(file, "f", {{"list"}}, fail); });
  };
  EXPECT_THAT(message(R"({"list": [1], "format": "g"})"),
              ::testing::HasSubstr("format: found \"g\", allowed f"));
  EXPECT_THAT(message(R"({"list": [1], "format": "f"})"),
              ::testing::HasSubstr("list[0]: found 1, allowed nothing"));
  EXPECT_THAT(message(R"({"list": [1]})"), ::testing::HasSubstr("format: the field is missing"));
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
