// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Damage within the form of a file. Source of truth: yaml-cpp and nlohmann, which must read it
// again; the C3D user guide's records.

#include "tests/fuzz/form_mutation.h"

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/files/files.h"
#include "tests/fuzz/document.h"
#include "tests/fuzz/mutation.h"

namespace percuss::fuzz {
namespace {

constexpr std::uint32_t kDraws = 500;

bool IsYaml(const std::string& text) {
  try {
    YAML::Load(text);
  } catch (const YAML::Exception&) {
    return false;
  }
  return true;
}

TEST(FormMutation, WritesTheDocumentThatItRead) {
  const std::string json = R"({"a":[1,-2.5,"x\n"],"b":{},"c":null,"d":[{"e":true}]})";
  EXPECT_EQ(JsonText(ReadJson(json).value()), json);
  const std::string yaml = "a: [1, two, \"3\"]\nb:\n  - {c: 'd: e', f: ''}\n  - ~\n";
  const auto document = ReadYaml(yaml).value();
  for (int lines = 0; lines < 4; ++lines) {
    const auto again = ReadYaml(YamlText(document, lines));
    ASSERT_TRUE(again.has_value()) << YamlText(document, lines);
    EXPECT_EQ(JsonText(*again), JsonText(document)) << YamlText(document, lines);
  }
}

TEST(FormMutation, TakesNoDocumentForWhatIsNone) {
  EXPECT_FALSE(ReadJson("{\"a\":").has_value());
  EXPECT_FALSE(ReadYaml("a: [").has_value());
  EXPECT_FALSE(ReadJson(std::string(30000, '[') + std::string(30000, ']')).has_value());
  EXPECT_FALSE(ReadYaml("&a [*a]").has_value());
}

// Half of them: numbers at the edges are none of JSON, keys twice and aliases before their anchor
// none of YAML.
TEST(FormMutation, LeavesMostFilesReadable) {
  const std::string json = R"({"a":[1,2,3],"b":{"c":"text","d":0.5}})";
  const std::string yaml = "a: [1, 2, 3]\nb:\n  c: text\n  d: 0.5\n";
  std::uint32_t is_json = 0, is_yaml = 0;
  std::set<std::string> texts;
  for (std::uint32_t seed = 0; seed < kDraws; ++seed) {
    const std::string changed = MutatedInForm(".json", json, json, seed);
    is_json += nlohmann::json::accept(changed) ? 1 : 0;
    is_yaml += IsYaml(MutatedInForm(".yaml", yaml, yaml, seed)) ? 1 : 0;
    texts.insert(changed);
    EXPECT_EQ(changed, MutatedInForm(".json", json, json, seed));
  }
  EXPECT_GT(is_json, kDraws / 2);
  EXPECT_GT(is_yaml, kDraws / 2);
  EXPECT_GT(texts.size(), kDraws / 2);
}

TEST(FormMutation, ReachesEveryParameterOfC3dAndLeavesItsSize) {
  const std::string good =
      ReadFile(std::filesystem::path(PERCUSS_CORPUS_DIR) / "markers-c3d/small.c3d");
  std::set<std::size_t> changed;
  for (std::uint32_t seed = 0; seed < 20 * kDraws; ++seed) {
    const std::string bytes = MutatedInForm(".c3d", good, good, seed);
    ASSERT_EQ(bytes.size(), good.size());
    for (std::size_t k = 0; k < bytes.size(); ++k)
      if (bytes[k] != good[k]) changed.insert(k);
  }
  // Of each parameter the size of an element, where it has one.
  for (const std::string name : {"USED", "FRAMES", "DATA_START", "SCALE", "RATE", "UNITS", "LABELS",
                                 "ACTUAL_START_FIELD", "ACTUAL_END_FIELD"}) {
    const std::size_t at = good.find(name);
    ASSERT_NE(at, std::string::npos) << name;
    EXPECT_TRUE(changed.contains(at + name.size() + 2)) << name;
  }
  for (const std::size_t word : {2, 6, 8, 12, 16, 20}) EXPECT_TRUE(changed.contains(word)) << word;
}

TEST(FormMutation, ChangesOtherFilesAsMutated) {
  EXPECT_EQ(MutatedInForm(".csv", "a,b\n1,2\n", "c", 7), Mutated("a,b\n1,2\n", "c", 7));
  EXPECT_EQ(MutatedInForm(".json", "{", "c", 7), Mutated("{", "c", 7));
}

}  // namespace
}  // namespace percuss::fuzz
