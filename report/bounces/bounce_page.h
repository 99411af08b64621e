// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/files/files.h"
#include "report/bounces/bounce_facts.h"
#include "report/page/document.h"

namespace percuss::report {

/// Name of the overlay video beside the page, to which the page leads.
inline constexpr const char* kBounceVideoFile = "overlay.mp4";

/// The page of a clip. It begins with what fits one screen: e with its interval, the verdict, the
/// picture and the height over time. Then warnings, the bounces, the scales compared, notes, the
/// clip and the ball in each frame. Texts of the facts may hold anything.
/// @param picture_jpeg bytes of WriteBouncePicture; empty: the page has none.
/// @param has_video kBounceVideoFile lies beside the page.
Document BounceDocument(const BounceFacts& facts, const std::string& picture_jpeg, bool has_video);

/// Writes BounceDocument as report.html (one page that needs nothing else but the video),
/// report.md, tables/*.csv and tables/*.json.
/// @param provenance command and inputs, for the JSON files; its format is set here.
/// @return the files
/// @throws InputError naming the file that cannot be written.
std::vector<std::filesystem::path> WriteBouncePage(const std::filesystem::path& folder,
                                                   const BounceFacts& facts,
                                                   const std::string& picture_jpeg, bool has_video,
                                                   Provenance provenance);

}  // namespace percuss::report
