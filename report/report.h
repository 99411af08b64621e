// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace percuss::report {

struct ReportOptions {
  std::string command = "percuss report";  ///< that asked for the report, as it was typed
  bool pdf = false;                        ///< write summary.pdf, too
  std::string chromium = "chromium";       ///< what prints it, likewise
  int num_threads = 1;                     ///< that read and write files
};

struct ReportSummary {
  std::vector<std::filesystem::path> files_written;
  /// What failed or is missing in the run, one sentence each; the report starts with them.
  std::vector<std::string> missing_parts;
  std::string missing_pdf;  ///< why there is no summary.pdf where it was asked for
};

/// Turns the files of a run folder (docs/file-formats.md) into report.html (one page that needs
/// nothing else), report.md, tables/*.csv and tables/*.json in the same folder, and
/// kCalibrationPage where there is a calibration. A run that failed in part gives a report that
/// says so at its top. summary.pdf of an earlier report goes, since it would be of other numbers; a
/// new one is its first screen on one sheet of A4.
/// @throws InputError naming file and field of anything broken, or the folder when it holds none of
///   the files. Nothing is written then.
ReportSummary WriteReport(const std::filesystem::path& run_folder,
                          const ReportOptions& options = {});

}  // namespace percuss::report
