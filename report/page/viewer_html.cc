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

const char* KindName(ViewerKind kind) { return kind == ViewerKind::kDrops ? "drops" : "motion"; }

}  // namespace

std::string ViewerHtml(const Viewer& viewer) {
  return fmt::format(
      "<div class=\"viewer\" id=\"{}\" data-kind=\"{}\">\n<script "
      "type=\"application/json\">{}</script>\n"
      "<noscript><p class=\"reading\">This browser runs no scripts, which the view in three "
      "dimensions needs.</p></noscript>\n</div>\n",
      viewer.id, KindName(viewer.kind), InScript(viewer.scene));
}

std::string ViewerScript(const std::set<ViewerKind>& kinds) {
  std::string script = std::string("'use strict';\n(() => {") + StageScript();
  for (const ViewerKind kind : kinds)
    script += kind == ViewerKind::kDrops ? DropsScript() : MotionScript();
  return script +
         "\nfor (const root of document.querySelectorAll('.viewer')) "
         "viewers[root.dataset.kind](root, "
         "JSON.parse(root.querySelector('script').textContent));\n})();\n";
}

}  // namespace percuss::report
