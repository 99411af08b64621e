// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

namespace percuss::report {

/// The numbers of a binary glTF 2.0 file (Khronos, glTF 2.0 Specification, 3.6: buffers and
/// accessors), float32, one after the other in one buffer.
class GlbNumbers {
 public:
  enum class Use { kVertices, kAnimation };

  /// Rows of `width` numbers (1, 3 or 4), with the least and the greatest of each column as the
  /// specification asks of positions and times. @return the number of the accessor
  int Add(std::span<const float> numbers, int width, Use use);

  /// The whole file: `document` with buffer, views and accessors, and the numbers behind it (4.4:
  /// chunks padded to four bytes, JSON with blanks).
  std::string File(nlohmann::ordered_json document) const;

 private:
  struct Accessor {
    std::size_t offset = 0, count = 0;  ///< bytes, rows
    int width = 1;
    Use use = Use::kVertices;
    std::vector<float> least, greatest;
  };
  std::vector<Accessor> accessors_;
  std::string bytes_;
};

}  // namespace percuss::report
