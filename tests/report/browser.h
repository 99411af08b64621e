// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <sys/types.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace percuss::report {

/// Chromium without a window, driven over a pipe by the DevTools protocol
/// (https://chromedevtools.github.io/devtools-protocol): what a page is in a real browser.
class Browser {
 public:
  /// Path of a Chromium on PATH; empty if there is none.
  static std::string Find();

  /// @param profile an empty folder. @throws std::runtime_error if it does not start.
  Browser(const std::string& program, const std::filesystem::path& profile);
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  /// Loads a page and waits until all of it is there. @param scheme light or dark.
  /// @param motion no-preference or reduce
  void Open(const std::filesystem::path& page, int width, const std::string& scheme,
            const std::string& motion = "no-preference");
  /// The value of a JavaScript expression in the page, or of what it promises.
  nlohmann::json Evaluate(const std::string& expression);
  /// What the console said since Open: errors, warnings, exceptions, one line each.
  std::vector<std::string> Complaints() const;

 private:
  nlohmann::json Call(const std::string& method, nlohmann::json parameters);
  nlohmann::json Receive();

  pid_t process_ = -1;
  int to_ = -1, from_ = -1;
  int last_id_ = 0;
  std::string session_, received_;
  std::vector<nlohmann::json> events_;
};

}  // namespace percuss::report
