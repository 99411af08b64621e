// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace percuss::report {

/// What has a `trial`, found by it: of thousands each search along the list would be slow. Copies
/// share the index; the list must stay as it is.
template <typename T>
class ByTrial {
 public:
  explicit ByTrial(const std::vector<T>& list) {
    auto places = std::make_shared<std::unordered_map<std::string_view, const T*>>();
    places->reserve(list.size());
    for (const T& one : list) places->try_emplace(one.trial, &one);  // the first of a name
    places_ = std::move(places);
  }

  /// Null where there is none.
  const T* Find(std::string_view trial) const {
    const auto found = places_->find(trial);
    return found == places_->end() ? nullptr : found->second;
  }

 private:
  std::shared_ptr<const std::unordered_map<std::string_view, const T*>> places_;
};

}  // namespace percuss::report
