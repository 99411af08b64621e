// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace percuss::solver {

/// A quantity with its first and second derivative by time, from which those of an expression
/// follow by the chain rule.
struct Taylor {
  double value = 0.0, rate = 0.0, second = 0.0;

  Taylor() = default;
  Taylor(double number) : value(number) {}  // a constant wherever a quantity may stand
  Taylor(double number, double first, double second_rate)
      : value(number), rate(first), second(second_rate) {}

  /// f(this), of its value and derivatives at this value.
  Taylor Through(double f, double slope, double curvature) const {
    return {f, slope * rate, slope * second + curvature * rate * rate};
  }
  Taylor operator-() const { return {-value, -rate, -second}; }
};
inline Taylor operator+(const Taylor& a, const Taylor& b) {
  return {a.value + b.value, a.rate + b.rate, a.second + b.second};
}
inline Taylor operator-(const Taylor& a, const Taylor& b) { return a + (-b); }
inline Taylor operator*(const Taylor& a, const Taylor& b) {
  return {a.value * b.value, a.rate * b.value + a.value * b.rate,
          a.second * b.value + 2.0 * a.rate * b.rate + a.value * b.second};
}
inline Taylor Inverse(const Taylor& a) {
  const double inverse = 1.0 / a.value;
  return a.Through(inverse, -inverse * inverse, 2.0 * inverse * inverse * inverse);
}

/// A formula of named variables: numbers, + - * / ^, parentheses, pi, and sqrt, sin, cos, tan, exp,
/// log, abs of one argument. The exponent of ^ must be a number.
class Expression {
 public:
  Expression() = default;
  /// @throws std::invalid_argument saying what is found where, and what is allowed.
  explicit Expression(std::string_view text);

  const std::string& text() const { return text_; }
  /// In the order of their first use: names of letters, digits, _ and dots.
  const std::vector<std::string>& variables() const { return variables_; }
  /// @param values of variables(), in their order
  Taylor Evaluate(std::span<const Taylor> values) const;

 private:
  friend class ExpressionParser;
  enum class Kind { kNumber, kVariable, kSum, kDifference, kProduct, kQuotient, kPower, kFunction };
  /// The operands stand earlier in the list.
  struct Node {
    Kind kind;
    int left = 0, right = 0;  ///< places of operands; of a variable or a function `left` is which
    double number = 0.0;      ///< of kNumber, and the exponent of kPower
  };

  std::string text_;
  std::vector<std::string> variables_;
  std::vector<Node> nodes_;
};

}  // namespace percuss::solver
