// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/text/json_text.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

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

nlohmann::ordered_json JsonHead(std::string_view format, const Provenance& provenance) {
  nlohmann::ordered_json inputs = nlohmann::ordered_json::array();
  for (const auto& [file, hash] : provenance.input_hashes)
    inputs.push_back({{"file", file}, {"sha256", hash}});
  return {{"format", format},
          {"program", "percuss " + ProgramVersion()},
          {"command", provenance.command},
          {"inputs", std::move(inputs)}};
}

nlohmann::ordered_json JsonList(const Eigen::Ref<const Eigen::VectorXd>& vector) {
  return std::vector<double>(vector.begin(), vector.end());
}

nlohmann::ordered_json JsonRows(const Eigen::Ref<const Eigen::MatrixXd>& matrix) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (Eigen::Index row = 0; row < matrix.rows(); ++row)
    rows.push_back(JsonList(matrix.row(row).transpose()));
  return rows;
}

}  // namespace percuss
