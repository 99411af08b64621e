// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <concepts>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/text/json_field.h"
#include "base/text/json_stream.h"
#include "base/text/json_text.h"
#include "base/value_with_sigma.h"

namespace percuss {

// The fields of a JSON file are listed once, in a function that both writes and reads them:
//
//     void Describe(auto& file, MaybeConst<Disc> auto& disc) {
//       file("name", disc.name);
//       file("radius", disc.radius);
//     }
//
// `file` is a JsonWriter or a JsonReader. Describe stands in the namespace of its type. A field may
// be a number, a truth, a text, a vector or matrix of Eigen, an optional, a list or an array of
// those, a list of pairs (an object with these names), a type with a Describe of its own, or one of
// a few values that have names:
//
//     std::string_view NameOf(Side side);
//     std::vector<Side> AllValues(Side);

template <class T, class Thing>
concept MaybeConst = std::same_as<std::remove_const_t<T>, Thing>;

template <class T>
concept NamedValue = requires(T value) {
  NameOf(value);
  AllValues(value);
};

/// A list as an object: each thing stands under the value of one of its members.
template <class Things, class Member>
struct ByName {
  Things& things;
  Member name;
};
template <class Things, class Member>
ByName(Things&, Member) -> ByName<Things, Member>;

/// An array as an object: each value stands under the key in the same place.
template <class Values, class Keys>
struct ByKey {
  Values& values;
  const Keys& keys;
};
template <class Values, class Keys>
ByKey(Values&, const Keys&) -> ByKey<Values, Keys>;

void Describe(auto& file, MaybeConst<ValueWithSigma> auto& measured) {
  file("value", measured.value);
  file("sigma", measured.sigma);
}

namespace internal {

template <template <class...> class Kind, class T>
inline constexpr bool kIsA = false;
template <template <class...> class Kind, class... Arguments>
inline constexpr bool kIsA<Kind, Kind<Arguments...>> = true;

template <class T>
concept Plain = std::is_arithmetic_v<T> || std::convertible_to<T, std::string_view>;
template <class T>
concept Matrix = requires(const T& matrix) {
  matrix.rows();
  matrix.cols();
};
template <class T>
concept List = !Plain<T> && !Matrix<T> && requires(const T& list) {
  list.begin(), list.size();
};
template <class T>
concept PairList = List<T> && kIsA<std::pair, typename T::value_type>;

}  // namespace internal

class JsonWriter {
 public:
  static constexpr bool kReads = false;

  /// Writes the fields of the object that is open.
  explicit JsonWriter(JsonStream& stream) : stream_(stream) {}

  void operator()(std::string_view key, const auto& value) {
    stream_.Key(key);
    Write(value);
  }
  /// A field that stands in the file only where there is something to say.
  void If(bool there, std::string_view key, const auto& value) {
    if (there) (*this)(key, value);
  }
  /// A field for other readers, which follows from the rest.
  void Derived(std::string_view key, const auto& value) { (*this)(key, value); }
  /// Numbers that a reader refuses unless all are finite.
  void Finite(std::string_view key, const auto& value) { (*this)(key, value); }
  /// What a reader asks of the field that it read last by this key.
  void Require(bool, std::string_view, std::string_view) {}
  /// An object around fields of the same struct.
  void Group(std::string_view key, const auto& describe) {
    stream_.Key(key);
    WriteObject([&] { describe(*this); });
  }
  /// A list of objects whose fields `describe` states of each thing.
  void List(std::string_view key, const auto& things, const auto& describe) {
    stream_.Key(key);
    stream_.BeginList();
    for (const auto& thing : things) WriteObject([&] { describe(*this, thing); });
    stream_.EndList();
  }

 private:
  void WriteObject(const auto& fields) {
    stream_.BeginObject();
    fields();
    stream_.EndObject();
  }
  void WriteList(const auto& elements) {
    stream_.BeginList();
    for (const auto& element : elements) Write(element);
    stream_.EndList();
  }

  template <class T>
  void Write(const T& value) {
    if constexpr (internal::Plain<T> || std::same_as<T, nlohmann::ordered_json>) {
      stream_.Value(value);
    } else if constexpr (NamedValue<T>) {
      stream_.Value(NameOf(value));
    } else if constexpr (internal::kIsA<std::optional, T>) {
      value ? Write(*value) : stream_.Value(nullptr);
    } else if constexpr (internal::kIsA<ByName, T>) {
      WriteObject([&] {
        for (const auto& thing : value.things) (*this)(thing.*value.name, thing);
      });
    } else if constexpr (internal::kIsA<ByKey, T>) {
      WriteObject([&] {
        for (std::size_t i = 0; i < value.keys.size(); ++i) (*this)(value.keys[i], value.values[i]);
      });
    } else if constexpr (internal::PairList<T>) {
      WriteObject([&] {
        for (const auto& [name, thing] : value) (*this)(name, thing);
      });
    } else if constexpr (internal::Matrix<T>) {
      if constexpr (T::ColsAtCompileTime == 1) {
        WriteList(value);
      } else {
        stream_.BeginList();
        for (Eigen::Index row = 0; row < value.rows(); ++row) WriteList(value.row(row));
        stream_.EndList();
      }
    } else if constexpr (internal::List<T>) {
      WriteList(value);
    } else {
      WriteObject([&] { Describe(*this, value); });
    }
  }

  JsonStream& stream_;
};

/// A document: an object whose first fields are those of `head`, then those that `describe` states.
std::string JsonDocument(const nlohmann::ordered_json& head, int indent,
                         const std::function<void(JsonWriter&)>& describe);
/// The same, written as it comes.
/// @throws InputError as AtomicFile.
void WriteJsonFile(const std::filesystem::path& file, const nlohmann::ordered_json& head,
                   int indent, const std::function<void(JsonWriter&)>& describe);

/// Members throw InputError naming file, field, what was found and what is allowed.
class JsonReader {
 public:
  static constexpr bool kReads = true;

  explicit JsonReader(const JsonField& field) : field_(field) {}

  template <class T>
  void operator()(std::string_view key, T&& value) {
    Read(field_.At(key), value);
  }
  template <class T>
  void If(bool, std::string_view key, T&& value) {
    if (const auto field = field_.Find(key)) Read(*field, value);
  }
  void Derived(std::string_view, const auto&) {}
  template <class T>
  void Finite(std::string_view key, T&& value) {
    Read(field_.At(key), value);
    if constexpr (internal::Matrix<std::remove_cvref_t<T>>) {
      Require(value.allFinite(), key, "finite numbers");
    } else {
      Require(std::isfinite(value), key, "a finite number");
    }
  }
  void Require(bool holds, std::string_view key, std::string_view allowed) const {
    if (!holds) field_.At(key).Fail(allowed);
  }
  bool Has(std::string_view key) const { return field_.Find(key).has_value(); }
  void Group(std::string_view key, const auto& describe) {
    JsonReader inner(field_.At(key));
    describe(inner);
  }
  /// Things are named by the members of the object around them.
  template <class Things, class Member>
  static void Read(const JsonField& field, ByName<Things, Member>& list) {
    for (const auto& [name, member] : field.Members()) {
      auto& thing = list.things.emplace_back();
      thing.*list.name = name;
      Read(member, thing);
    }
  }
  template <class T>
  static void Read(const JsonField& field, T& value) {
    if constexpr (std::same_as<T, bool>) {
      value = field.Boolean();
    } else if constexpr (std::is_integral_v<T>) {
      value = field.Integer();
    } else if constexpr (std::is_floating_point_v<T>) {
      value = field.Number();
    } else if constexpr (internal::Plain<T>) {
      value = field.Text();
    } else if constexpr (NamedValue<T>) {
      ReadName(field, value);
    } else if constexpr (internal::kIsA<std::optional, T>) {
      Read(field, value.emplace());
    } else if constexpr (internal::kIsA<ByKey, T>) {
      for (std::size_t i = 0; i < value.keys.size(); ++i)
        Read(field.At(value.keys[i]), value.values[i]);
    } else if constexpr (internal::PairList<T>) {
      for (const auto& [name, member] : field.Members()) {
        if constexpr (requires(T map, std::string key) { map[key]; }) {
          Read(member, value[name]);
        } else {
          auto& pair = value.emplace_back();
          pair.first = name;
          Read(member, pair.second);
        }
      }
    } else if constexpr (internal::Matrix<T>) {
      ReadMatrix(field, value);
    } else if constexpr (requires { value.emplace_back(); }) {
      for (const JsonField& element : field.Elements()) Read(element, value.emplace_back());
    } else if constexpr (internal::List<T>) {
      const std::vector<JsonField> elements = field.Elements(value.size());
      for (std::size_t i = 0; i < value.size(); ++i) Read(elements[i], value[i]);
    } else {
      JsonReader inner(field);
      Describe(inner, value);
    }
  }

 private:
  template <class T>
  static void ReadName(const JsonField& field, T& value) {
    const std::string name = field.Text();
    std::string allowed;
    for (const T& one : AllValues(value)) {
      if (NameOf(one) == name) {
        value = one;
        return;
      }
      allowed += (allowed.empty() ? "" : ", ") + std::string(NameOf(one));
    }
    field.Fail(allowed);
  }

  // A vector as a list, a matrix as a list of rows; sizes that the type leaves open are the file's.
  template <class T>
  static void ReadMatrix(const JsonField& field, T& matrix) {
    if constexpr (T::RowsAtCompileTime == Eigen::Dynamic) {
      const auto size = std::ssize(field.Elements());
      matrix.resize(size, T::ColsAtCompileTime == 1 ? 1 : size);
    }
    const auto count = [](Eigen::Index size) {
      return "a list of " + std::to_string(size) + " numbers";
    };
    const std::vector<JsonField> rows = field.Elements(matrix.rows(), count(matrix.rows()));
    for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
      if constexpr (T::ColsAtCompileTime == 1) {
        matrix[row] = rows[row].Number();
      } else {
        const std::vector<JsonField> numbers =
            rows[row].Elements(matrix.cols(), count(matrix.cols()));
        for (Eigen::Index column = 0; column < matrix.cols(); ++column)
          matrix(row, column) = numbers[column].Number();
      }
    }
  }

  JsonField field_;
};

}  // namespace percuss
