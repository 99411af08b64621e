// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/files/files.h"

namespace percuss {

bool IsUtf8(std::string_view text);

/// A JSON document with `indent` blanks per level (-1: in one line) and a newline behind it. Names
/// that came from files and command lines are bytes: what is no UTF-8 in them becomes U+FFFD, for
/// other programs refuse JSON that is none.
std::string JsonText(const nlohmann::json& json, int indent);
std::string JsonText(const nlohmann::ordered_json& json, int indent);

/// The beginning of every file that we write: format, program, command, inputs with their SHA-256.
nlohmann::ordered_json JsonHead(std::string_view format, const Provenance& provenance);

/// A list of numbers; a list of rows. NaN and infinity are null in a file.
nlohmann::ordered_json JsonList(const Eigen::Ref<const Eigen::VectorXd>& vector);
nlohmann::ordered_json JsonRows(const Eigen::Ref<const Eigen::MatrixXd>& matrix);

}  // namespace percuss
