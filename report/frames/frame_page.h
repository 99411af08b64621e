// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>

#include "base/files/files.h"
#include "report/frames/trial_frames.h"
#include "report/page/document.h"

namespace percuss::report {

/// The page of a trial while one works on it: how many markers each frame has, the frames that have
/// pictures with all that was looked at in them, all frames as a table, and each rejected spot of
/// the pictures with the reason. Texts of the facts may hold anything.
Document FramesDocument(const TrialFrames& trial);

/// FramesDocument as report.html, report.md and tables in a folder; the pictures of the frames,
/// which are files beside the page, are there already. @return the page
/// @throws InputError naming the file that cannot be written.
std::filesystem::path WriteFramesPage(const std::filesystem::path& folder, const TrialFrames& trial,
                                      Provenance provenance);

}  // namespace percuss::report
