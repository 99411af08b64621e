// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/text/json_stream.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>

#include "base/error.h"
#include "base/files/files.h"
#include "base/text/json_field.h"

namespace percuss {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kAtOnce = 1 << 16;  // bytes for the sink

std::string Dumped(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

bool Matches(const ListPath& list, const std::vector<std::string>& keys) {
  return std::ranges::equal(
      list, keys, [](const auto& asked, const auto& key) { return asked == "*" || asked == key; });
}

using TakeElement = std::function<void(const ListPath& keys, std::size_t place, Json&&)>;

/// The text of a file, in which the value that comes next can be passed over without a look at it:
/// much faster than by the parser, which would make numbers of it.
class PassableText {
 public:
  /// What the parser reads.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;

    explicit Iterator(PassableText* text) : text_(text) {}
    char operator*() const { return text_->Look(); }
    Iterator& operator++() {
      text_->Next();
      return *this;
    }
    /// Of the end, which has no text.
    bool operator!=(const Iterator&) const { return !text_->IsAtEnd(); }

   private:
    PassableText* text_;
  };

  explicit PassableText(std::istream& stream) : stream_(stream) {}

  /// Behind a key: in place of a list or an object the parser reads null.
  void PassValue() {
    PassBlanks();
    if (IsAtEnd() || Look() != ':') return;  // the parser will say so
    Next();
    PassBlanks();
    if (IsAtEnd() || (Look() != '[' && Look() != '{')) {
      instead_ = ":";
      return;
    }
    int depth = 0;
    do {
      PassPlain();
      if (IsAtEnd()) return;
      if (Look() == '"') {
        PassString();
      } else {
        depth += Look() == '[' || Look() == '{' ? 1 : -1;
        Next();
      }
    } while (depth > 0);
    instead_ = ": null";
  }

 private:
  static bool IsBlank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

  bool IsAtEnd() {
    if (!instead_.empty() || place_ < size_) return false;
    stream_.read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    size_ = static_cast<std::size_t>(stream_.gcount());
    place_ = 0;
    return size_ == 0;
  }
  char Look() { return instead_.empty() ? buffer_[place_] : instead_.front(); }
  void Next() { instead_.empty() ? void(++place_) : instead_.remove_prefix(1); }

  void PassBlanks() {
    while (!IsAtEnd() && IsBlank(Look())) Next();
  }
  /// What no string, list or object begins or ends with.
  void PassPlain() {
    const auto is_plain = [](char c) {
      return c != '"' && c != '[' && c != ']' && c != '{' && c != '}';
    };
    while (!IsAtEnd()) {
      while (place_ < size_ && is_plain(buffer_[place_])) ++place_;
      if (place_ < size_) return;
    }
  }
  void PassString() {
    Next();
    for (bool escaped = false; !IsAtEnd(); Next()) {
      if (!escaped && Look() == '"') return Next();
      escaped = !escaped && Look() == '\\';
    }
  }

  std::istream& stream_;
  std::vector<char> buffer_ = std::vector<char>(kAtOnce);
  std::size_t place_ = 0, size_ = 0;
  std::string_view instead_;
};

/// Builds a document from what the parser meets, but for the elements of lists, which are handed
/// over one by one, or skipped where nobody takes them.
class PartsReader : public nlohmann::json_sax<Json> {
 public:
  /// @param fields of the top object, the only ones that are read; null for all
  PartsReader(const std::vector<ListPath>& lists, const TakeElement& take,
              const LeaveOut& leave_out, const std::vector<std::string_view>* fields,
              PassableText* text)
      : lists_(lists), take_(take), leave_out_(leave_out), fields_(fields), text_(text) {}

  Json document;
  bool too_deep = false;

  bool null() override { return Value(nullptr); }
  bool boolean(bool value) override { return Value(value); }
  bool number_integer(number_integer_t value) override { return Value(value); }
  bool number_unsigned(number_unsigned_t value) override { return Value(value); }
  bool number_float(number_float_t value, const string_t&) override { return Value(value); }
  bool string(string_t& value) override { return Value(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return Begin(Json::object()); }
  bool start_array(std::size_t) override { return Begin(Json::array()); }
  bool end_object() override { return End(); }
  bool end_array() override { return End(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }
  bool key(string_t& key) override {
    if (IsLeftOut(key)) {
      is_left_out_ = true;
      text_->PassValue();
      return true;
    }
    if (in_list_ == 0) keys_.back() = key;
    if (!open_.empty()) slot_ = &(*open_.back())[std::move(key)];
    return true;
  }

 private:
  bool TakesElement() const { return in_list_ > 0 && level_ == in_list_; }

  /// A key of the top object, or of an element.
  bool IsLeftOut(const std::string& key) const {
    if (level_ == 1)
      return fields_ != nullptr && std::ranges::find(*fields_, key) == fields_->end();
    const bool of_element = in_list_ > 0 && level_ == in_list_ + 1 && !open_.empty();
    return of_element && leave_out_ && leave_out_(element_, key);
  }

  /// Where the next value goes; null where it is skipped.
  Json* Place(Json&& value) {
    if (TakesElement()) {
      if (!take_) return nullptr;
      element_ = std::move(value);
      return &element_;
    }
    if (level_ == 0) return &(document = std::move(value));
    if (open_.empty()) return nullptr;  // in what is skipped
    Json& parent = *open_.back();
    if (parent.is_array()) return &parent.emplace_back(std::move(value));
    return &(*slot_ = std::move(value));
  }

  bool Value(Json&& value) {
    if (std::exchange(is_left_out_, false)) return true;
    Place(std::move(value));
    if (TakesElement()) Hand();
    return true;
  }

  bool Begin(Json&& value) {
    if (level_ >= kDeepestJson) return !(too_deep = true);
    const bool is_array = value.is_array();
    if (TakesElement()) outside_ = std::exchange(open_, {});
    if (Json* place = Place(std::move(value))) open_.push_back(place);
    ++level_;
    if (in_list_ > 0) return true;
    const auto is_this = [&](const ListPath& list) { return Matches(list, keys_); };
    if (is_array && std::ranges::any_of(lists_, is_this)) {
      in_list_ = level_;
      place_ = 0;
    }
    keys_.emplace_back();
    return true;
  }

  bool End() {
    if (TakesElement()) {  // the list itself
      in_list_ = 0;
    }
    --level_;
    if (!open_.empty()) open_.pop_back();
    if (TakesElement()) {
      open_ = std::move(outside_);
      Hand();
    }
    if (in_list_ == 0) keys_.pop_back();
    return true;
  }

  void Hand() {
    if (take_) take_({keys_.begin(), keys_.end() - 1}, place_, std::move(element_));
    ++place_;
  }

  const std::vector<ListPath>& lists_;
  const TakeElement& take_;
  const LeaveOut& leave_out_;
  const std::vector<std::string_view>* fields_;
  PassableText* text_;
  ListPath keys_;             ///< to the value that is read, "" for an element of a list
  int level_ = 0;             ///< how many objects and lists are open
  int in_list_ = 0;           ///< `level_` in the list whose elements are taken
  bool is_left_out_ = false;  ///< the value that comes next
  std::size_t place_ = 0;
  std::vector<Json*> open_;     ///< of the document, or of the element that is built
  std::vector<Json*> outside_;  ///< of the document, meanwhile
  Json* slot_ = nullptr;        ///< for the value of the last key
  Json element_;
};

/// The file without the elements of the lists.
Json ParseWithout(const std::filesystem::path& file, const std::vector<ListPath>& lists,
                  const TakeElement& take, const LeaveOut& leave_out = {},
                  const std::vector<std::string_view>* fields = nullptr) {
  const auto fail = [&] {
    ParseJson(file.string(), ReadFile(file));  // says where
    throw InputError(file.string() + ": the file changes while it is read");
  };
  // Opening a pipe may take for ever.
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) fail();
  std::ifstream stream(file, std::ios::binary);
  if (!stream) fail();
  PassableText text(stream);
  PartsReader reader(lists, take, leave_out, fields, &text);
  const PassableText::Iterator begin(&text);
  if (!Json::sax_parse(begin, begin, &reader)) fail();
  return std::move(reader.document);
}

}  // namespace

void JsonStream::Put(std::string_view text) {
  waiting_ += text;
  if (waiting_.size() < kAtOnce) return;
  sink_(waiting_);
  waiting_.clear();
}

void JsonStream::NextLine() {
  if (indent_ < 0) return;
  Put("\n");
  Put(std::string(open_.size() * indent_, ' '));
}

void JsonStream::BeforeValue() {
  if (std::exchange(behind_key_, false) || open_.empty()) return;
  if (open_.back()) Put(",");
  open_.back() = true;
  NextLine();
}

void JsonStream::Key(std::string_view key) {
  BeforeValue();
  Put(Dumped(Json(key), indent_));
  Put(indent_ < 0 ? ":" : ": ");
  behind_key_ = true;
}

void JsonStream::Value(const Json& value) {
  BeforeValue();
  const std::string text = Dumped(value, indent_);
  std::size_t begin = 0;  // of a line; texts within hold no line feed, but \n
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    Put(std::string_view(text).substr(begin, end - begin));
    NextLine();
  }
  Put(std::string_view(text).substr(begin));
}

void JsonStream::Begin(char bracket) {
  BeforeValue();
  Put({&bracket, 1});
  open_.push_back(false);
}

void JsonStream::End(char bracket) {
  const bool any = open_.back();
  open_.pop_back();
  if (any) NextLine();
  Put({&bracket, 1});
}

void JsonStream::Field(std::string_view key, const Json& value) {
  Key(key);
  Value(value);
}

void JsonStream::Fields(const Json& object) {
  for (const auto& [key, value] : object.items()) Field(key, value);
}

void JsonStream::End() {
  Put("\n");
  sink_(waiting_);
  waiting_.clear();
}

JsonField ReadFileInParts(
    const std::filesystem::path& file, std::string_view format, const std::vector<ListPath>& lists,
    const std::function<void(const ListPath& keys, const JsonField& element)>& element,
    const LeaveOut& leave_out) {
  const auto checked = [&](Json&& json) {
    JsonField root = JsonField::Of(file.string(), std::move(json));
    if (root.At("format").Text() != format) root.At("format").Fail(format);
    return root;
  };
  try {
    const TakeElement take = [&](const ListPath& keys, std::size_t place, Json&& json) {
      const std::string path = fmt::format("{}[{}]", fmt::join(keys, "."), place);
      element(keys, JsonField::Of(file.string(), std::move(json), path));
    };
    return checked(ParseWithout(file, lists, take, leave_out));
  } catch (const InputError&) {
    checked(ParseWithout(file, lists, nullptr));  // of another format any field may be wrong
    throw;
  }
}

void ForEachElement(const std::filesystem::path& file, std::string_view list,
                    const std::function<void(std::size_t, const JsonField&)>& element) {
  ParseWithout(file, {{std::string(list)}}, [&](const ListPath&, std::size_t place, Json&& json) {
    element(place, JsonField::Of(file.string(), std::move(json)));
  });
}

JsonField ReadFields(const std::filesystem::path& file,
                     const std::vector<std::string_view>& fields) {
  return JsonField::Of(file.string(), ParseWithout(file, {}, nullptr, {}, &fields));
}

JsonField ReadFileWithout(const std::filesystem::path& file, std::string_view list) {
  return JsonField::Of(file.string(), ParseWithout(file, {{std::string(list)}}, nullptr));
}

}  // namespace percuss
