// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/files/plain_name.h"

#include <algorithm>

namespace percuss {
namespace {

constexpr std::size_t kLongestPlainName = 200;  // as kPlainNameText says

}  // namespace

bool IsPlainName(std::string_view name) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= kLongestPlainName && name.front() != '.' &&
         std::all_of(name.begin(), name.end(), is_plain);
}

}  // namespace percuss
