// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

// The page of `percuss watch`. Its script asks for /status.json and writes all of it as text.
namespace percuss::app {

std::string PageHtml();
std::string PageCss();
std::string PageScript();

}  // namespace percuss::app
