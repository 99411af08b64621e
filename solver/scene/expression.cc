// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/scene/expression.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <numbers>
#include <stdexcept>

namespace percuss::solver {
namespace {

constexpr std::array<std::string_view, 7> kFunctions = {"sqrt", "sin", "cos", "tan",
                                                        "exp",  "log", "abs"};
constexpr int kDeepest = 100;  // parentheses in parentheses

Taylor Apply(int function, const Taylor& a) {
  const double x = a.value;
  switch (function) {
    case 0: {
      const double root = std::sqrt(x);
      return a.Through(root, 0.5 / root, -0.25 / (x * root));
    }
    case 1:
      return a.Through(std::sin(x), std::cos(x), -std::sin(x));
    case 2:
      return a.Through(std::cos(x), -std::sin(x), -std::cos(x));
    case 3: {
      const double t = std::tan(x), slope = 1.0 + t * t;
      return a.Through(t, slope, 2.0 * t * slope);
    }
    case 4:
      return a.Through(std::exp(x), std::exp(x), std::exp(x));
    case 5:
      return a.Through(std::log(x), 1.0 / x, -1.0 / (x * x));
    default:
      return x < 0.0 ? -a : a;
  }
}

Taylor Power(const Taylor& a, double exponent) {
  if (exponent == 0.0) return 1.0;
  if (exponent == 1.0) return a;
  if (exponent == 2.0) return a * a;
  const double x = a.value;
  return a.Through(std::pow(x, exponent), exponent * std::pow(x, exponent - 1.0),
                   exponent * (exponent - 1.0) * std::pow(x, exponent - 2.0));
}

}  // namespace

/// By recursive descent; every function leaves the place of its node.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, Expression* out) : text_(text), out_(out) {}

  void Parse() {
    Sum();
    Skip();
    if (at_ < text_.size()) Fail("an operator or the end");
  }

 private:
  using Kind = Expression::Kind;

  [[noreturn]] void Fail(std::string_view allowed) const {
    const std::string found =
        at_ < text_.size() ? "'" + std::string(text_.substr(at_, 12)) + "'" : "the end";
    throw std::invalid_argument("at place " + std::to_string(at_ + 1) + " of \"" +
                                std::string(text_) + "\": found " + found + ", allowed " +
                                std::string(allowed));
  }
  void Skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool Take(char wanted) {
    Skip();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  int Add(Expression::Node node) {
    out_->nodes_.push_back(node);
    return static_cast<int>(out_->nodes_.size()) - 1;
  }

  int Sum() {
    int left = Product();
    for (;;) {
      if (Take('+')) {
        left = Add({Kind::kSum, left, Product()});
      } else if (Take('-')) {
        left = Add({Kind::kDifference, left, Product()});
      } else {
        return left;
      }
    }
  }
  int Product() {
    int left = Signed();
    for (;;) {
      if (Take('*')) {
        left = Add({Kind::kProduct, left, Signed()});
      } else if (Take('/')) {
        left = Add({Kind::kQuotient, left, Signed()});
      } else {
        return left;
      }
    }
  }
  int Signed() {
    bool minus = false;
    while (Take('-')) minus = !minus;
    const int operand = Raised();
    if (!minus) return operand;
    const int zero = Add({Kind::kNumber});
    return Add({Kind::kDifference, zero, operand});
  }
  int Raised() {
    const int base = Operand();
    if (!Take('^')) return base;
    const bool minus = Take('-');
    Skip();
    double exponent = 0.0;
    if (!Number(&exponent)) Fail("a number as exponent");
    return Add({Kind::kPower, base, 0, minus ? -exponent : exponent});
  }
  bool Number(double* value) {
    const char* const first = text_.data() + at_;
    const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), *value);
    if (error != std::errc() || *first == '-' || std::isalpha(static_cast<unsigned char>(*first)))
      return false;
    at_ += static_cast<std::size_t>(end - first);
    return true;
  }
  int Operand() {
    Skip();
    if (Take('(')) {
      if (++depth_ > kDeepest) Fail("fewer parentheses in parentheses");
      const int inside = Sum();
      if (!Take(')')) Fail("an operator or )");
      --depth_;
      return inside;
    }
    double number = 0.0;
    if (at_ < text_.size() && Number(&number)) return Add({Kind::kNumber, 0, 0, number});
    const std::size_t first = at_;
    const auto in_name = [&](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    };
    while (at_ < text_.size() && in_name(text_[at_])) ++at_;
    const std::string_view name = text_.substr(first, at_ - first);
    if (name.empty()) Fail("a number, a name or (");
    if (name == "pi") return Add({Kind::kNumber, 0, 0, std::numbers::pi});
    if (Take('(')) {
      const auto function = std::ranges::find(kFunctions, name);
      if (function == kFunctions.end()) {
        at_ = first;
        Fail("one of sqrt, sin, cos, tan, exp, log, abs");
      }
      --at_;
      const int argument = Operand();
      return Add({Kind::kFunction, static_cast<int>(function - kFunctions.begin()), argument});
    }
    auto& variables = out_->variables_;
    auto place = std::ranges::find(variables, name);
    if (place == variables.end()) place = variables.insert(variables.end(), std::string(name));
    return Add({Kind::kVariable, static_cast<int>(place - variables.begin())});
  }

  std::string_view text_;
  Expression* out_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

Expression::Expression(std::string_view text) : text_(text) {
  ExpressionParser(text_, this).Parse();
}

Taylor Expression::Evaluate(std::span<const Taylor> values) const {
  std::vector<Taylor> results;
  results.reserve(nodes_.size());
  for (const Node& node : nodes_) {
    switch (node.kind) {
      case Kind::kNumber:
        results.emplace_back(node.number);
        break;
      case Kind::kVariable:
        results.push_back(values[node.left]);
        break;
      case Kind::kSum:
        results.push_back(results[node.left] + results[node.right]);
        break;
      case Kind::kDifference:
        results.push_back(results[node.left] - results[node.right]);
        break;
      case Kind::kProduct:
        results.push_back(results[node.left] * results[node.right]);
        break;
      case Kind::kQuotient:
        results.push_back(results[node.left] * Inverse(results[node.right]));
        break;
      case Kind::kPower:
        results.push_back(Power(results[node.left], node.number));
        break;
      case Kind::kFunction:
        results.push_back(Apply(node.left, results[node.right]));
        break;
    }
  }
  return results.back();
}

}  // namespace percuss::solver
