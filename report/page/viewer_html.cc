// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/page/viewer_html.h"

#include <fmt/format.h>

namespace percuss::report {
namespace {

// Nothing in the data can end the element that holds them.
std::string InScript(const std::string& json) {
  std::string text;
  for (const char c : json) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

std::string ViewerHtml(const Viewer& viewer) {
  return fmt::format(
      "<div class=\"viewer\" id=\"{}\">\n<script type=\"application/json\">{}</script>\n"
      "<noscript><p class=\"reading\">This browser runs no scripts, which the view in three "
      "dimensions needs.</p></noscript>\n</div>\n",
      viewer.id, InScript(viewer.scene));
}

}  // namespace percuss::report
