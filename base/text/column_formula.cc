// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/text/column_formula.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace percuss {
namespace {

using Function = ColumnFormula::Function;

struct NamedFunction {
  std::string_view name;
  double (*of)(double);
};
constexpr std::array<NamedFunction, 10> kFunctions = {{
    {"sin", [](double x) { return std::sin(x); }},
    {"cos", [](double x) { return std::cos(x); }},
    {"tan", [](double x) { return std::tan(x); }},
    {"asin", [](double x) { return std::asin(x); }},
    {"acos", [](double x) { return std::acos(x); }},
    {"atan", [](double x) { return std::atan(x); }},
    {"sqrt", [](double x) { return std::sqrt(x); }},
    {"abs", [](double x) { return std::abs(x); }},
    {"exp", [](double x) { return std::exp(x); }},
    {"log", [](double x) { return std::log(x); }},
}};

// Recursive descent: sum = product {+- product}, product = signed {*/ signed},
// signed = [+-] signed | power, power = operand [^ signed].
class Parser {
 public:
  Parser(std::string_view text, std::vector<std::string>& columns)
      : text_(text), columns_(columns) {}

  Function Whole() {
    Function sum = Sum();
    if (Peek() != '\0') Complain("an operator or the end");
    return sum;
  }

 private:
  static constexpr int kMaxDepth = 100;

  [[noreturn]] void Complain(std::string_view allowed) const {
    throw std::invalid_argument(
        fmt::format("at character {} found {}, allowed {}", at_ + 1,
                    at_ < text_.size() ? fmt::format("'{}'", text_[at_]) : "the end", allowed));
  }

  char Peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool Take(char c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }

  void Expect(char c) {
    if (!Take(c)) Complain(fmt::format("'{}'", c));
  }

  Function Sum() {
    if (++depth_ > kMaxDepth) Complain("fewer brackets");
    Function left = Product();
    while (Peek() == '+' || Peek() == '-') {
      const double sign = text_[at_++] == '+' ? 1.0 : -1.0;
      left = [left = std::move(left), right = Product(), sign](std::span<const double> values) {
        return left(values) + sign * right(values);
      };
    }
    --depth_;
    return left;
  }

  Function Product() {
    Function left = Signed();
    while (Peek() == '*' || Peek() == '/') {
      const bool divides = text_[at_++] == '/';
      left = [left = std::move(left), right = Signed(), divides](std::span<const double> values) {
        return divides ? left(values) / right(values) : left(values) * right(values);
      };
    }
    return left;
  }

  Function Signed() {
    double sign = 1.0;
    while (Peek() == '+' || Peek() == '-') sign *= text_[at_++] == '-' ? -1.0 : 1.0;
    Function base = Operand();
    if (Take('^')) {
      if (++depth_ > kMaxDepth) Complain("fewer powers");
      base = [base = std::move(base), power = Signed()](std::span<const double> values) {
        return std::pow(base(values), power(values));
      };
      --depth_;
    }
    if (sign > 0.0) return base;
    return [base = std::move(base)](std::span<const double> values) { return -base(values); };
  }

  Function Operand() {
    if (Take('(')) {
      Function inner = Sum();
      Expect(')');
      return inner;
    }
    const char c = Peek();
    if (std::isdigit(static_cast<unsigned char>(c)) || c == '.') return Number();
    if (std::isalpha(static_cast<unsigned char>(c)) || c == '_') return Name();
    Complain("a number, a column, a function or a bracket");
  }

  Function Number() {
    double value = 0.0;
    const auto [stop, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) Complain("a number");
    at_ = stop - text_.data();
    return [value](std::span<const double>) { return value; };
  }

  Function Name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) {
      ++at_;
    }
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (Take('(')) return Call(name, begin);
    if (name == "pi") return [](std::span<const double>) { return std::numbers::pi; };
    if (name == "deg") return [](std::span<const double>) { return std::numbers::pi / 180.0; };
    const auto known = std::ranges::find(columns_, name);
    const std::size_t index = known - columns_.begin();
    if (known == columns_.end()) columns_.emplace_back(name);
    return [index](std::span<const double> values) { return values[index]; };
  }

  Function Call(std::string_view name, std::size_t begin) {
    Function first = Sum();
    if (name == "atan2") {
      Expect(',');
      Function second = Sum();
      Expect(')');
      return
          [first = std::move(first), second = std::move(second)](std::span<const double> values) {
            return std::atan2(first(values), second(values));
          };
    }
    Expect(')');
    const auto found = std::ranges::find(kFunctions, name, &NamedFunction::name);
    if (found == kFunctions.end()) {
      at_ = begin;
      Complain("sin, cos, tan, asin, acos, atan, atan2, sqrt, abs, exp or log before a bracket");
    }
    return [first = std::move(first), of = found->of](std::span<const double> values) {
      return of(first(values));
    };
  }

  std::string_view text_;
  std::vector<std::string>& columns_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

ColumnFormula::ColumnFormula(std::string_view text) : evaluate_(Parser(text, columns_).Whole()) {}

}  // namespace percuss
