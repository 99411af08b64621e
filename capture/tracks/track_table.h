// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/csv_rows.h"
#include "capture/experiment/tracks/track_source.h"

namespace percuss::capture {

/// A row of a file of tracks for one point, as it stands there.
struct TrackPoint {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::string where;  ///< "FILE: line N", for messages
  std::string name;
  double frame = kNone;
  double time = kNone;  ///< [s]
  double x = kNone, y = kNone;
  double likelihood = kNone;
  double sigma = kNone;  ///< [px]
};

/// The rows of a file of text with commas, semicolons or tabs between the cells.
struct TrackTable {
  std::filesystem::path file;
  std::vector<CsvRow> rows;

  std::string Where(const CsvRow& row) const;
  [[noreturn]] void Throw(const CsvRow& row, std::string_view found,
                          std::string_view allowed) const;
  /// Place of a column in a row of names; -1 if there is none.
  static int Find(const CsvRow& header, std::string_view name);
  /// @throws InputError if there is none.
  int Column(const CsvRow& header, std::string_view name) const;
  /// The number of a cell; NaN where it is missing or there is no such column (-1).
  double Number(const CsvRow& row, int column, std::string_view name) const;
  /// A number that must be there.
  double Required(const CsvRow& row, int column, std::string_view name) const;
  void RequireLength(const CsvRow& row, std::size_t length) const;
};

/// @throws InputError for an unreadable file, one without rows, and decimal commas.
TrackTable ReadTrackTable(const std::filesystem::path& file);

/// What the header of a file shows. @throws InputError naming the formats if it is none of them.
TrackFormat RecogniseTracks(const TrackTable& table);

// The readers of the formats: all points of the source's camera and track.
std::vector<TrackPoint> ReadDeepLabCut(const TrackTable& table, const TrackSource& source);
std::vector<TrackPoint> ReadDltdv(const TrackTable& table, const TrackSource& source);
std::vector<TrackPoint> ReadSleap(const TrackTable& table, const TrackSource& source);
std::vector<TrackPoint> ReadSleapAnalysis(const std::filesystem::path& path,
                                          const TrackSource& source);  ///< HDF5
std::vector<TrackPoint> ReadTracker(const TrackTable& table, const TrackSource& source);
std::vector<TrackPoint> ReadTrackMate(const TrackTable& table, const TrackSource& source);
std::vector<TrackPoint> ReadLongTracks(const TrackTable& table, const TrackSource& source);

/// Whether a table of Tracker has the columns pixelx and pixely, places in the picture.
bool HasTrackerPixels(const TrackTable& table);

/// The track that a source asks for, or the only one there is.
/// @throws InputError naming those that there are.
std::string ChooseTrack(const std::filesystem::path& file, const TrackSource& source,
                        const std::vector<std::string>& tracks);

}  // namespace percuss::capture
