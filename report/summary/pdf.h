// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

namespace percuss::report {

struct PdfAnswer {
  std::string pdf{};      ///< the file's content
  std::string problem{};  ///< why there is none; empty if there is
};

/// A page as a browser prints it. The browser sees copies in a folder of its own, which goes away:
/// no name of the run reaches it, and nothing of the user's settings. The same page gives the same
/// bytes: the dates that it writes are taken out.
/// @param browser Chromium: a name on PATH, or a path
/// @throws InputError where that folder cannot be made or written.
PdfAnswer PrintToPdf(const std::string& browser, const std::string& html);

}  // namespace percuss::report
