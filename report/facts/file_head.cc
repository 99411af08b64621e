// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/facts/file_head.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/files/files.h"

namespace percuss::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 4> kHead = {"format", "program", "command", "inputs"};

/// Thrown to end reading.
struct Whole {};

}  // namespace

JsonField ReadFileHead(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return JsonField::ReadFile(file);  // says why
  std::ifstream stream(file, std::ios::binary);
  Json head = Json::object();
  std::string key;
  const auto keep = [&](int depth, Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    if (depth == 0) return true;
    if (depth == 1 && event == Event::key) {
      key = parsed.get<std::string>();
      return true;
    }
    const bool is_of_head = std::ranges::find(kHead, key) != kHead.end();
    const bool begins = event == Event::object_start || event == Event::array_start;
    if (depth > 1 || begins || !is_of_head) return is_of_head;
    head[key] = std::move(parsed);
    if (head.size() == kHead.size()) throw Whole();
    return false;
  };
  try {
    const Json rest = Json::parse(stream, keep);
    if (!rest.is_object()) return JsonField::ReadFile(file);
  } catch (const Whole&) {
  } catch (const Json::exception&) {
    return JsonField::ReadFile(file);
  }
  return JsonField::Of(file.string(), std::move(head));
}

}  // namespace percuss::report
