// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/broadcast/condition.h"

#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/shape/dims/dim_expr.h"
#include "indim/shape/dims/dim_expr_internal.h"

namespace indim {
namespace {

using Kind = Condition::Kind;

std::string Text(const ConditionSize& side) {
  if (!side.is_place()) return side.size().ToString();
  const auto [operand, dim] = side.place();
  return operand < 0 ? absl::StrCat("result dim ", dim)
                     : absl::StrCat("operand ", operand, " dim ", dim);
}

Answer Either(Answer a, Answer b) {
  if (a == Answer::kProven || b == Answer::kProven) return Answer::kProven;
  return a == Answer::kRefuted && b == Answer::kRefuted ? Answer::kRefuted
                                                        : Answer::kDepends;
}

// Divides both sides of e % k == 0 by the common divisor of k and e's
// coefficients, and e by the rest of its content:
// 6*n % 4 == 0 becomes n % 2 == 0.
Condition SimplifyDivisible(const Condition& condition) {
  const DimExpr expr(condition.a.size());
  const int64_t content = expr.valid() ? expr.Content() : 0;
  if (content <= 1 || !condition.b.size().is_static()) return condition;
  const int64_t divisor = condition.b.size().size();
  const std::optional<Dim> reduced = expr.FloorDivide(content).ToDim();
  if (!reduced || divisor <= 0) return condition;
  return {condition.kind, *reduced,
          Dim::Static(divisor / std::gcd(content, divisor))};
}

// Drops the alternatives that can't hold from `a == 1 or a == b` and `a == 1 or
// b == 1 or a == b`, of which at least one may hold.
Condition SimplifyChoice(const Condition& condition) {
  Condition left = condition;
  if (left.kind == Kind::kEitherOneOrEqual) {
    if (DimIs(left.a.size(), 1) == Answer::kRefuted) {
      left = {Kind::kOneOrEqual, left.b, left.a};
    } else if (DimIs(left.b.size(), 1) == Answer::kRefuted) {
      left.kind = Kind::kOneOrEqual;
    }
  }
  if (left.kind == Kind::kEitherOneOrEqual) {
    // The condition is symmetric: order both sides one way.
    const DimExpr difference = DimExpr(left.a.size()) - DimExpr(left.b.size());
    if (difference.LeadingCoefficient() < 0) std::swap(left.a, left.b);
    return left;
  }
  const std::optional<Condition> equal =
      Simplify({Kind::kEqual, left.a, left.b});
  if (!equal) return *Simplify({Kind::kEqual, left.a, Dim::Static(1)});
  if (DimIs(left.a.size(), 1) == Answer::kRefuted) return *equal;
  if (equal->a == left.a) left.b = equal->b;
  return left;
}

// Recognises an equation `zero` == 0 that says that a number is divisible:
// n-3*floordiv(n,3) == 0 is n % 3 == 0,
// n-2*floordiv(n,2)-1 == 0 is (n+1) % 2 == 0.
// nullopt: it doesn't have this form.
std::optional<Condition> AsDivisible(const DimExpr& zero) {
  auto remainder = RemainderOf(zero);
  int64_t number = 0;
  DimExpr rest = zero;
  if (!remainder) {
    for (const DimExprAccess::Term& term : DimExprAccess::Terms(zero)) {
      if (term.factors.empty()) number = term.coefficient;
    }
    rest = zero - number;
    remainder = RemainderOf(rest);
  }
  if (!remainder) return std::nullopt;
  const auto& [whole, divisor] = *remainder;
  if (number <= -divisor || number >= divisor) return std::nullopt;
  const int64_t left = rest == whole.Modulo(divisor) ? -number : number;
  if (left < 0) return std::nullopt;
  const std::optional<Dim> dim =
      (left == 0 ? whole : whole + (divisor - left)).ToDim();
  if (!dim) return std::nullopt;
  return Condition{Kind::kDivisible, *dim, Dim::Static(divisor)};
}

}  // namespace

std::string ToString(const Condition& condition) {
  const std::string a = Text(condition.a), b = Text(condition.b);
  const bool places = condition.has_place();
  switch (condition.kind) {
    case Kind::kEqual:
      return absl::StrCat(a,
                          !places                  ? " == "
                          : condition.b.is_place() ? " equals "
                                                   : " is ",
                          b);
    case Kind::kOneOrEqual:
      if (!places) return absl::StrCat(a, " == 1 or ", a, " == ", b);
      return absl::StrCat(
          a, condition.b.is_place() ? " is 1 or equals " : " is 1 or ", b);
    case Kind::kEitherOneOrEqual:
      if (places)
        return absl::StrCat(a, " equals ", b, ", or one of them is 1");
      return absl::StrCat(a, " == 1 or ", b, " == 1 or ", a, " == ", b);
    case Kind::kAtMost:
      return places ? absl::StrCat(b, " is at least ", a)
                    : absl::StrCat(a, " <= ", b);
    case Kind::kDivisible:
      if (places) return absl::StrCat(a, " is a multiple of ", b);
      return absl::StrCat(ReadsAsSum(DimExpr(condition.a.size()))
                              ? absl::StrCat("(", a, ")")
                              : a,
                          " % ", b, " == 0");
  }
  return "";
}

std::optional<Condition> WithSizes(const Condition& condition,
                                   absl::Span<const Shape* const> operands,
                                   const Shape* result) {
  const auto size_of = [&](const ConditionSize& side) {
    if (!side.is_place()) return side.size();
    const auto [operand, dim] = side.place();
    const Shape* shape = operand < 0 ? result
                         : operand < static_cast<int>(operands.size())
                             ? operands[operand]
                             : nullptr;
    const bool found = shape != nullptr && dim >= 0 && dim < shape->rank();
    return found ? shape->dim(dim) : Dim::Unknown();
  };
  const Dim a = size_of(condition.a), b = size_of(condition.b);
  if (!a.is_exact() || !b.is_exact()) return std::nullopt;
  return Condition{condition.kind, a, b};
}

Answer Decide(const Condition& condition) {
  const Dim a = condition.a.size(), b = condition.b.size();
  switch (condition.kind) {
    case Kind::kEqual:
      return DimsEqual(a, b);
    case Kind::kOneOrEqual:
      return Either(DimIs(a, 1), DimsEqual(a, b));
    case Kind::kEitherOneOrEqual:
      return Either(Either(DimIs(a, 1), DimIs(b, 1)), DimsEqual(a, b));
    case Kind::kAtMost:
      return DimsLessOrEqual(a, b);
    case Kind::kDivisible:
      return b.size() > 0 ? DimDivisible(a, b.size()) : DimIs(a, 0);
  }
  return Answer::kDepends;
}

std::optional<Condition> Simplify(const Condition& condition) {
  const Answer answer = Decide(condition);
  if (answer == Answer::kRefuted) return std::nullopt;
  if (condition.kind == Kind::kDivisible) {
    return answer == Answer::kProven ? condition : SimplifyDivisible(condition);
  }
  if (condition.kind != Kind::kEqual && condition.kind != Kind::kAtMost) {
    return answer == Answer::kProven ? condition : SimplifyChoice(condition);
  }
  const DimExpr difference =
      DimExpr(condition.a.size()) - DimExpr(condition.b.size());
  const int64_t content = difference.valid() ? difference.Content() : 0;
  if (content == 0) return condition;
  DimExpr reduced = difference.FloorDivide(content);
  if (condition.kind == Kind::kEqual) {
    const std::optional<Condition> divisible = AsDivisible(reduced);
    if (divisible) return divisible;
  }
  // An equation is symmetric: order both sides one way.
  if (condition.kind == Kind::kEqual && reduced.LeadingCoefficient() < 0) {
    reduced = DimExpr(0) - reduced;
  }
  const auto [a, b] = reduced.Split();
  const std::optional<Dim> left = a.ToDim(), right = b.ToDim();
  if (!left || !right) return condition;
  // Put a name, not a number, on the left side.
  if (condition.kind == Kind::kEqual && left->is_static()) {
    return Condition{condition.kind, *right, *left};
  }
  return Condition{condition.kind, *left, *right};
}

}  // namespace indim
