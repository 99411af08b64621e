// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/text/json_text.h"

#include <nlohmann/json.hpp>

namespace percuss {
namespace {

template <class Json>
std::string TextOf(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

bool IsUtf8(std::string_view text) {
  try {
    nlohmann::json(text).dump();
  } catch (const nlohmann::json::type_error&) {  // 316
    return false;
  }
  return true;
}

std::string JsonText(const nlohmann::json& json, int indent) { return TextOf(json, indent); }
std::string JsonText(const nlohmann::ordered_json& json, int indent) {
  return TextOf(json, indent);
}

}  // namespace percuss
