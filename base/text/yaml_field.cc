// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/text/yaml_field.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/eventhandler.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/files/files.h"
#include "base/files/plain_name.h"
#include "base/text/json_text.h"

namespace percuss {
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxFileSize = 1 << 20;
constexpr std::size_t kMaxQuotedLength = 60;

char Lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Optimal string alignment distance.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      const bool same = Lower(a[i - 1]) == Lower(b[j - 1]);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && Lower(a[i - 1]) == Lower(b[j - 2]) &&
          Lower(a[i - 2]) == Lower(b[j - 1])) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

std::optional<double> ParseNumber(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

// What to write for a number with a unit, as 23 mm, or for one that is a thousand times too large,
// as 306.5 for metres; empty if that would not be allowed either.
std::string InUnitOf(const Range& range, std::string_view text) {
  struct Smaller {
    std::string_view name, unit;
    double size;
  };
  constexpr Smaller kUnits[] = {{"mm", "m", 1e-3}, {"cm", "m", 1e-2}, {"m", "m", 1.0},
                                {"g", "kg", 1e-3}, {"kg", "kg", 1.0}, {"ms", "s", 1e-3},
                                {"us", "s", 1e-6}, {"s", "s", 1.0}};
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return {};
  std::string_view name(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (name.starts_with(' ')) name.remove_prefix(1);
  for (const Smaller& one : kUnits) {
    if (one.unit != range.unit || !range.Holds(value * one.size)) continue;
    if (name == one.name) return fmt::format("; write {:.15g}", value * one.size);
    if (name.empty() && one.size <= 1e-3)
      return fmt::format("; if that is in {}, write {:.15g}", one.name, value * one.size);
  }
  return {};
}

// Notes where documents begin, and the first value that an alias puts into itself; builds none.
class DocumentShape : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override { lines.push_back(mark.line + 1); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (endless_line == 0 && std::ranges::find(open_, anchor) != open_.end())
      endless_line = mark.line + 1;
  }
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open_.push_back(anchor);
  }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open_.push_back(anchor);
  }
  void OnMapEnd() override { open_.pop_back(); }

  std::vector<int> lines;
  int endless_line = 0;

 private:
  std::vector<YAML::anchor_t> open_;  // of the values around, 0 for those without
};

// Of the first one or two documents. Not by YAML::LoadAll(), which makes documents without end,
// until there is no memory, of what comes after a last bracket, such as "{a: 1}\n, b: 2".
DocumentShape ShapeOf(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentShape shape;
  while (shape.lines.size() < 2 && parser.HandleNextDocument(shape)) {
  }
  return shape;
}

// Of the first letter that is no UTF-8; 0 if all are.
int LineOfOtherEncoding(std::string_view text) {
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
    if (!IsUtf8(text.substr(0, size))) return line;
    text.remove_prefix(size);
  }
  return 0;
}

void Apply(std::span<const std::string> path, const std::string& value, YAML::Node node) {
  const std::string& key = path.front();
  // A list that is asked for a word would become a map.
  const bool list = node.IsSequence();
  const std::size_t place = list ? std::stoul(key) : 0;
  if (path.size() > 1) {
    Apply(path.subspan(1), value, list ? node[place] : node[key]);
  } else if (value.empty()) {
    list ? node.remove(place) : node.remove(key);
  } else if (list) {
    node[place] = YAML::Load(value);
  } else {
    node[key] = YAML::Load(value);
  }
}

}  // namespace

bool Range::Holds(double value) const {
  return (lowest_included ? value >= lowest : value > lowest) && value <= highest;
}

std::string Range::Text() const {
  std::string text = "a number";
  if (std::isfinite(lowest)) {
    text += fmt::format(" {} {:g}", lowest_included ? "at least" : "above", lowest);
  }
  if (std::isfinite(highest)) {
    text += fmt::format("{} at most {:g}", std::isfinite(lowest) ? " and" : "", highest);
  }
  if (!unit.empty()) text += fmt::format(" [{}]", unit);
  return text;
}

std::string_view NearestWord(std::string_view word, const std::vector<std::string_view>& known) {
  std::string_view nearest;
  std::size_t best = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string_view candidate : known) {
    // A word of which nothing is left in common is no suggestion.
    const std::size_t distance = EditDistance(word, candidate);
    if (distance < best && distance < std::max(word.size(), candidate.size()) - 1) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

YamlField::YamlField(std::shared_ptr<const fs::path> file, std::string name, int line,
                     YAML::Node node)
    : file_(std::move(file)), name_(std::move(name)), line_(line), node_(std::move(node)) {
  if (node_.IsDefined() && !node_.Mark().is_null()) line_ = node_.Mark().line + 1;
}

YamlField YamlField::ReadFile(const fs::path& file, std::span<const YamlEdit> edits) {
  const std::string text = percuss::ReadFile(file);
  if (text.size() > kMaxFileSize || text.find('\0') != std::string::npos) {
    throw InputError(fmt::format(
        "{}: found {}, allowed a text file in YAML of at most {} bytes", file.string(),
        text.size() > kMaxFileSize ? fmt::format("{} bytes", text.size()) : "a binary file",
        kMaxFileSize));
  }
  if (const int line = LineOfOtherEncoding(text); line > 0) {
    throw InputError(fmt::format("{}: (line {}): found letters in another encoding, allowed UTF-8",
                                 file.string(), line));
  }
  try {
    const DocumentShape shape = ShapeOf(text);
    if (shape.lines.size() > 1) {
      throw InputError(fmt::format(
          "{}: (line {}): found a second YAML document, allowed one (no --- lines, nothing after "
          "a last bracket)",
          file.string(), shape.lines[1]));
    }
    // Who follows such a value never comes to its end.
    if (shape.endless_line > 0) {
      throw InputError(
          fmt::format("{}: (line {}): found an alias of the value that it stands in, allowed "
                      "those of values before it",
                      file.string(), shape.endless_line));
    }
    const YAML::Node root = YAML::Load(text);
    for (const YamlEdit& edit : edits) Apply(edit.path, edit.value, root);
    return YamlField(std::make_shared<const fs::path>(file), "", 1, root);
  } catch (const YAML::Exception& error) {
    // The line with a key and no colon goes on to the next one.
    const bool no_colon = error.msg == YAML::ErrorMsg::MAP_VALUE;
    throw InputError(
        fmt::format("{}: (line {}): found broken YAML ({}{}), allowed YAML text", file.string(),
                    error.mark.line + 1, error.msg,
                    no_colon ? "; is there a colon after the key of the line before?" : ""));
  }
}

bool YamlField::Given() const { return node_.IsDefined() && !node_.IsNull(); }

std::string YamlField::Value() const {
  if (!Given()) return "nothing";
  const std::string text = CanonicalText();
  // Long flow collections are wrapped by the emitter; messages are one line.
  std::string line;
  for (const char c : text) {
    const char printable = std::iscntrl(static_cast<unsigned char>(c)) ? ' ' : c;
    if (printable != ' ' || line.empty() || line.back() != ' ') line += printable;
  }
  if (line.size() > kMaxQuotedLength) {
    line.resize(kMaxQuotedLength - 3);
    line += "...";
  }
  return line;
}

std::string YamlField::CanonicalText() const {
  if (!Given()) return "";
  YAML::Emitter emitter;
  emitter.SetMapFormat(YAML::Flow);
  emitter.SetSeqFormat(YAML::Flow);
  emitter << node_;
  return emitter.c_str();
}

void YamlField::Throw(std::string_view found, std::string_view allowed) const {
  throw InputError(fmt::format("{}: {}(line {}): found {}, allowed {}", file_->string(),
                               name_.empty() ? "" : name_ + " ", line_, found, allowed));
}

void YamlField::Throw(std::string_view allowed) const { Throw(Value(), allowed); }

YamlField YamlField::Child(std::string_view key, const YAML::Node& node) const {
  return {file_, name_.empty() ? std::string(key) : fmt::format("{}.{}", name_, key), line_, node};
}

YamlField YamlField::operator[](std::string_view key) const {
  if (IsMap()) {
    for (const auto& entry : node_) {
      if (entry.first.IsScalar() && entry.first.Scalar() == key) return Child(key, entry.second);
    }
  }
  return Child(key, YAML::Node(YAML::NodeType::Undefined));
}

void YamlField::RejectRepeatedKeys() const {
  std::set<std::string> seen;
  for (const auto& entry : node_) {
    if (!entry.first.IsScalar()) YamlField(file_, name_, line_, entry.first).Throw("a word as key");
    const std::string& key = entry.first.Scalar();
    if (!seen.insert(key).second)
      Child(key, entry.first).Throw("this key a second time", "each key once");
  }
}

void YamlField::AllowKeys(const std::vector<std::string_view>& known) const {
  const std::string keys = fmt::format("{}", fmt::join(known, ", "));
  if (!IsMap()) Throw("a map with the keys " + keys);
  RejectRepeatedKeys();
  for (const auto& entry : node_) {
    const std::string& key = entry.first.Scalar();
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    // In {mass: 0,185} the rest of the number is a key.
    if (ParseNumber(key) && entry.second.IsNull())
      Child(key, entry.first).Throw("a decimal comma", "numbers with a point, as 0.185");
    const std::string_view nearest = NearestWord(key, known);
    Child(key, entry.first)
        .Throw(nearest.empty() ? "an unknown key"
                               : fmt::format("an unknown key (did you mean {}?)", nearest),
               keys);
  }
}

std::vector<std::pair<std::string, YamlField>> YamlField::Entries(std::string_view allowed) const {
  if (!IsMap()) Throw(allowed);
  RejectRepeatedKeys();
  std::vector<std::pair<std::string, YamlField>> entries;
  for (const auto& entry : node_) {
    const std::string& key = entry.first.Scalar();
    entries.emplace_back(key, Child(key, entry.second));
  }
  return entries;
}

std::vector<YamlField> YamlField::Items(std::string_view allowed) const {
  if (!IsList()) Throw(allowed);
  std::vector<YamlField> items;
  for (const YAML::Node& item : node_) {
    items.push_back(YamlField(file_, fmt::format("{}[#{}]", name_, items.size() + 1), line_, item));
  }
  return items;
}

std::string YamlField::Text(std::string_view allowed) const {
  if (!IsScalar() || node_.Scalar().empty()) Throw(allowed);
  return node_.Scalar();
}

std::string YamlField::PlainName() const {
  const std::string name = Text(kPlainNameText);
  if (!IsPlainName(name)) Throw(kPlainNameText);
  return name;
}

double YamlField::Number(const Range& range) const {
  if (!IsScalar()) Throw(range.Text());
  const std::string& text = node_.Scalar();
  const std::optional<double> value = ParseNumber(text);
  if (!value && text.find(',') != std::string::npos) {
    Throw(range.Text() + " with a decimal point, not a comma");
  }
  if (!value || !range.Holds(*value)) Throw(range.Text() + InUnitOf(range, text));
  return *value;
}

bool YamlField::Flag() const {
  static constexpr std::string_view kAllowed = "true or false";
  if (!IsScalar() || (node_.Scalar() != "true" && node_.Scalar() != "false")) Throw(kAllowed);
  return node_.Scalar() == "true";
}

int YamlField::Integer(int lowest, int highest) const {
  const std::string allowed = fmt::format("a whole number from {} to {}", lowest, highest);
  if (!IsScalar()) Throw(allowed);
  const std::optional<double> value = ParseNumber(node_.Scalar());
  if (!value || *value != std::floor(*value) || *value < lowest || *value > highest) {
    Throw(allowed);
  }
  return static_cast<int>(*value);
}

std::vector<double> YamlField::Numbers(int count, const Range& range) const {
  const std::string allowed = fmt::format("a list of {} numbers, each {}", count, range.Text());
  const std::vector<YamlField> items = Items(allowed);
  if (static_cast<int>(items.size()) != count) Throw(allowed);
  std::vector<double> values;
  for (const YamlField& item : items) values.push_back(item.Number(range));
  return values;
}

}  // namespace percuss
