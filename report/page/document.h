// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "base/text/numbers.h"

namespace percuss::report {

// A report is a list of sections, each a list of blocks. The writers (HTML, Markdown, CSV) render
// the same document, so that they cannot disagree. All texts are plain: writers escape them.

struct Column {
  std::string key{};     ///< name in the CSV file; SI unless it ends in a unit
  std::string header{};  ///< for people
  std::string unit{};  ///< of the shown number; "-" for a dimensionless one; empty for text columns
  double scale = 1;    ///< shown number = stored number * scale
  int digits = 4;      ///< significant digits of numbers that have no sigma; 0: whole numbers
  bool has_sigma = false;  ///< the CSV file gets a second column sigma_<key>

  bool IsNumber() const { return !unit.empty(); }
};

Column TextColumn(std::string key, std::string header);
Column NumberColumn(std::string key, std::string header, std::string unit, int digits = 4);
Column CountColumn(std::string key, std::string header, std::string unit);
/// A number with its sigma.
Column MeasuredColumn(std::string key, std::string header, std::string unit, double scale = 1);
/// A fraction shown in percent.
Column PercentColumn(std::string key, std::string header);

struct Cell {
  std::string text{};        ///< text columns; in a number column shown in place of a number
  double value = kNaN;       ///< number columns
  double sigma = kNaN;       ///< shown after the value
  double resolution = kNaN;  ///< rounds the value as this sigma would, without being shown
};

struct Row {
  std::vector<Cell> cells{};
  bool starts_group = false;  ///< a line is drawn above
};

/// A longer table is shown in part; its CSV and JSON files hold all.
inline constexpr std::size_t kMostRows = 60;

using RowSink = std::function<void(const Row&)>;
/// Hands over the rows of a table one by one, as often as it is asked.
using RowSource = std::function<void(const RowSink&)>;

/// A table with a row for each of ten thousand trials has a source in place of most of its rows.
struct Table {
  std::string id{};  ///< file name of the CSV, anchor in the HTML: a-z, 0-9 and '-' only
  std::string caption{};
  std::vector<Column> columns{};
  std::vector<Row> rows{};            ///< all, or with a source those that are shown
  std::string note{};                 ///< below the table: how to read it
  std::size_t most_rows = kMostRows;  ///< that are shown
  /// All rows, where they are more than are shown; as long as what the table was made of is there.
  RowSource source{};
  std::size_t num_source_rows = 0;
  std::string choice{};  ///< in words, what rows are shown, where they are not the first
};

/// Which rows of a long table are shown.
struct RowChoice {
  std::function<bool(const Row&)> is_shown{};  ///< empty: the first
  std::string words{};                         ///< "of trials that failed"
};

struct Figure {
  std::string id{};
  std::string caption{};
  std::string svg{};      ///< inline, or pictures with SVG over them; trusted: made by us alone
  std::string problem{};  ///< in place of the picture, where there is none
  bool wide = false;      ///< over the whole width of the page
};

/// What stands in place of a figure without data.
inline constexpr const char* kNoNumbers = "No plot: nothing was measured that it could show.";

enum class Level { kOk, kNote, kWarning, kFailure };

struct Finding {
  Level level = Level::kNote;
  std::string subject{};  ///< trial or stage
  std::string text{};
};

struct Paragraph {
  std::string text{};
};
/// The one number that a page is about: shown large, its interval beside it.
struct LargeNumber {
  std::string name{}, value{};
  std::string detail{};
};
/// What a coefficient is by one law, or by one way to know it.
struct NamedInterval {
  std::string name{};
  double value = kNaN;
  double low = kNaN, high = kNaN;  ///< infinite: open; NaN: none
};
/// A coefficient of the first screen.
struct Coefficient {
  std::string symbol{}, meaning{};
  std::string value{}, sigma{}, interval{};  ///< as people read them
  std::vector<NamedInterval> intervals{};    ///< drawn below each other, the best first
};
/// What a page is about, as one sees it before one reads: numbers with their intervals, whether
/// they are good, a picture and a plot.
struct Answer {
  Level level = Level::kOk;
  std::string verdict{};
  std::vector<Coefficient> coefficients{};
  std::string advice{};           ///< what would make it better
  std::vector<Figure> figures{};  ///< beside the numbers, one below the other
};
struct Heading {
  std::string text{};  ///< of a subsection
  std::string id{};    ///< where links lead; may be empty
};
/// Text whose columns line up: shown letter by letter in a fixed width.
struct Preformatted {
  std::string text{};
};
/// A line that leads to a file beside the report.
struct Link {
  std::string text{};
  std::string file{};  ///< relative to the report
};
struct Findings {
  std::vector<Finding> findings{};
};
struct Figures {
  std::vector<Figure> figures{};  ///< side by side where there is room
};
enum class ViewerKind { kDrops, kMotion };
/// Drops or a motion in three dimensions, which a script in the page draws.
struct Viewer {
  std::string id{};
  std::string scene{};  ///< JSON: ViewerScene or RigScene; of kMotion MotionScene
  ViewerKind kind = ViewerKind::kDrops;
};
struct Section;
/// Sections of which one is shown at a time, the first at first.
struct Tabs {
  std::string id{}, label{};  ///< what is chosen, as "Law"
  std::vector<Section> sections;
};

using Block = std::variant<Paragraph, LargeNumber, Answer, Heading, Preformatted, Link, Findings,
                           Table, Figures, Viewer, Tabs>;

struct Section {
  std::string id{};
  std::string title{};  ///< empty for the first, whose title is that of the document
  std::vector<Block> blocks{};
  bool folded = false;  ///< one clicks on its title to see it
};

struct Document {
  std::string title{}, subtitle{};
  std::vector<Section> sections{};
  bool has_picture_files = false;  ///< its pictures are files beside the page
  std::string style{};             ///< of this page, beside that of all pages
};

/// All blocks of a type, in the order of the sections; those in tabs, too.
template <typename T, typename Visitor>
void ForEachBlock(const std::vector<Section>& sections, const Visitor& visitor) {
  for (const Section& section : sections) {
    for (const Block& block : section.blocks) {
      if (const T* content = std::get_if<T>(&block)) visitor(*content);
      if (const Tabs* tabs = std::get_if<Tabs>(&block)) ForEachBlock<T>(tabs->sections, visitor);
    }
  }
}

Cell TextCell(std::string text);
Cell NumberCell(double value, double sigma = kNaN);
Cell ProbabilityCell(double probability);
/// A number without a sigma of its own, rounded like one that has `resolution`.
Cell RoundedCell(double value, double resolution);

/// Gives the table its rows: all of them if they have room, else a source and those that are
/// chosen; the first ones where none is.
void SetRows(RowSource source, Table* table, const RowChoice& choice = {});
/// All rows, shown or not.
void ForEachRow(const Table& table, const RowSink& sink);
std::size_t NumRows(const Table& table);
/// The rows that are shown.
std::size_t NumShownRows(const Table& table);
/// "The first 60 of 285 rows; all are in" or "60 of 285 rows, of trials that failed; all are in",
/// before the name of a file; empty if all are shown.
std::string RowsLeftOut(const Table& table);

/// What people read in a cell: rounded, scaled to the column's unit, with sigma.
std::string ShownText(const Column& column, const Cell& cell);
/// "header [unit]".
std::string ShownHeader(const Column& column);
/// Relative to the report.
std::string CsvFileOf(const Table& table);
/// The file's name as an address: all but letters, digits and "-._~/" as %XX (RFC 3986).
std::string UrlOf(const std::string& file);
/// a-z, 0-9 and '-' only; never empty.
std::string Slug(const std::string& text);

}  // namespace percuss::report
