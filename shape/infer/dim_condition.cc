#include "indim/shape/infer/dim_condition.h"

#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/shape/dims/dim_expr.h"
#include "indim/shape/dims/dim_expr_internal.h"

namespace indim {
namespace {

using Kind = DimCondition::Kind;

Answer Either(Answer a, Answer b) {
  if (a == Answer::kProven || b == Answer::kProven) return Answer::kProven;
  return a == Answer::kRefuted && b == Answer::kRefuted ? Answer::kRefuted
                                                        : Answer::kDepends;
}

// Divides both sides of e % k == 0 by the common divisor of k and e's
// coefficients, and e by the rest of its content:
// 6*n % 4 == 0 becomes n % 2 == 0.
DimCondition SimplifyDivisible(const DimCondition& condition) {
  const DimExpr expr(condition.a);
  const int64_t content = expr.valid() ? expr.Content() : 0;
  if (content <= 1 || !condition.b.is_static()) return condition;
  const int64_t divisor = condition.b.size();
  const std::optional<Dim> reduced = expr.FloorDivide(content).ToDim();
  if (!reduced || divisor <= 0) return condition;
  return {condition.kind, *reduced,
          Dim::Static(divisor / std::gcd(content, divisor))};
}

}  // namespace

std::string ToString(const DimCondition& condition) {
  const std::string a = condition.a.ToString();
  const std::string b = condition.b.ToString();
  switch (condition.kind) {
    case Kind::kEqual:
      return absl::StrCat(a, " == ", b);
    case Kind::kOneOrEqual:
      return absl::StrCat(a, " == 1 or ", a, " == ", b);
    case Kind::kEitherOneOrEqual:
      return absl::StrCat(a, " == 1 or ", b, " == 1 or ", a, " == ", b);
    case Kind::kAtMost:
      return absl::StrCat(a, " <= ", b);
    case Kind::kDivisible:
      return absl::StrCat(
          ReadsAsSum(DimExpr(condition.a)) ? absl::StrCat("(", a, ")") : a,
          " % ", b, " == 0");
  }
  return "";
}

Answer Decide(const DimCondition& condition) {
  const Dim a = condition.a, b = condition.b;
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

namespace {

// Drops the alternatives that can't hold from `a == 1 or a == b` and `a == 1 or
// b == 1 or a == b`, of which at least one may hold.
DimCondition SimplifyChoice(const DimCondition& condition) {
  DimCondition left = condition;
  if (left.kind == Kind::kEitherOneOrEqual) {
    if (DimIs(left.a, 1) == Answer::kRefuted) {
      left = {Kind::kOneOrEqual, left.b, left.a};
    } else if (DimIs(left.b, 1) == Answer::kRefuted) {
      left.kind = Kind::kOneOrEqual;
    }
  }
  if (left.kind == Kind::kEitherOneOrEqual) {
    // The condition is symmetric: order both sides one way.
    const DimExpr difference = DimExpr(left.a) - DimExpr(left.b);
    if (difference.LeadingCoefficient() < 0) std::swap(left.a, left.b);
    return left;
  }
  const std::optional<DimCondition> equal =
      Simplify({Kind::kEqual, left.a, left.b});
  if (!equal) return *Simplify({Kind::kEqual, left.a, Dim::Static(1)});
  if (DimIs(left.a, 1) == Answer::kRefuted) return *equal;
  if (equal->a == left.a) left.b = equal->b;
  return left;
}

// Recognises an equation `zero` == 0 that says that a number is divisible:
// n-3*floordiv(n,3) == 0 is n % 3 == 0,
// n-2*floordiv(n,2)-1 == 0 is (n+1) % 2 == 0.
// nullopt: it doesn't have this form.
std::optional<DimCondition> AsDivisible(const DimExpr& zero) {
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
  return DimCondition{Kind::kDivisible, *dim, Dim::Static(divisor)};
}

}  // namespace

std::optional<DimCondition> Simplify(const DimCondition& condition) {
  const Answer answer = Decide(condition);
  if (answer == Answer::kRefuted) return std::nullopt;
  if (condition.kind == Kind::kDivisible) {
    return answer == Answer::kProven ? condition : SimplifyDivisible(condition);
  }
  if (condition.kind != Kind::kEqual && condition.kind != Kind::kAtMost) {
    return answer == Answer::kProven ? condition : SimplifyChoice(condition);
  }
  const DimExpr difference = DimExpr(condition.a) - DimExpr(condition.b);
  const int64_t content = difference.valid() ? difference.Content() : 0;
  if (content == 0) return condition;
  DimExpr reduced = difference.FloorDivide(content);
  if (condition.kind == Kind::kEqual) {
    const std::optional<DimCondition> divisible = AsDivisible(reduced);
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
    return DimCondition{condition.kind, *right, *left};
  }
  return DimCondition{condition.kind, *left, *right};
}

std::optional<DimCondition> Named(const SizeCondition& condition,
                                  absl::Span<const Shape* const> operands,
                                  const Shape* result) {
  using SizeKind = SizeCondition::Kind;
  const auto find = [&](DimRef ref) {
    const Shape* shape = ref.operand < 0 ? result
                         : ref.operand < static_cast<int>(operands.size())
                             ? operands[ref.operand]
                             : nullptr;
    const bool found =
        shape != nullptr && ref.dim >= 0 && ref.dim < shape->rank();
    return found ? shape->dim(ref.dim) : Dim::Unknown();
  };
  const Dim a = find(condition.a), b = find(condition.b);
  const Dim value = Dim::Static(condition.value);
  DimCondition named = {Kind::kEqual, a, b};
  switch (condition.kind) {
    case SizeKind::kEqual:
      break;
    case SizeKind::kOneOrEqual:
      named.kind = Kind::kOneOrEqual;
      break;
    case SizeKind::kEitherOneOrEqual:
      named.kind = Kind::kEitherOneOrEqual;
      break;
    case SizeKind::kIs:
      named.b = value;
      break;
    case SizeKind::kOneOrIs:
      named = {Kind::kOneOrEqual, a, value};
      break;
    case SizeKind::kAtLeast:
      named = {Kind::kAtMost, value, a};
      break;
    case SizeKind::kAtMost:
      named.kind = Kind::kAtMost;
      break;
    case SizeKind::kDivisible:
      named = {Kind::kDivisible, a, value};
      break;
    case SizeKind::kTimes:
      named.b = MultiplyDims(b, value).value_or(Dim::Unknown());
      break;
  }
  if (!named.a.is_exact() || !named.b.is_exact()) return std::nullopt;
  return named;
}

}  // namespace indim
