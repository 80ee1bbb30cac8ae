// Expressions as text, both ways.

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "indim/shape/checked_math.h"
#include "indim/shape/dim_expr_internal.h"

namespace indim {
namespace {

using Access = DimExprAccess;
using Term = DimExprAccess::Term;

void AppendTerm(const Term& term, bool first, std::string* out) {
  const int64_t c = term.coefficient;
  if (c < 0) {
    out->push_back('-');
  } else if (!first) {
    out->push_back('+');
  }
  const int64_t size = c < 0 ? -c : c;
  if (size != 1 || term.factors.empty()) absl::StrAppend(out, size);
  bool times = size != 1;
  for (const auto& factor : term.factors) {
    absl::StrAppend(out, times ? "*" : "", factor.atom->text);
    if (factor.power != 1) absl::StrAppend(out, "^", factor.power);
    times = true;
  }
}

// Of an expression whose symbols all stand for themselves. What is added comes
// first: n-1, not -1+n.
std::string PlainText(const DimExpr& expr) {
  std::string out;
  for (const bool negative : {false, true}) {
    for (const Term& term : Access::Terms(expr)) {
      if ((term.coefficient < 0) == negative) {
        AppendTerm(term, out.empty(), &out);
      }
    }
  }
  return out.empty() ? "0" : out;
}

// A fraction of expressions: how an expression reads in terms of its symbols
// where an atom stands for a part of one.
struct Fraction {
  DimExpr numerator;
  int64_t denominator = 1;
};

std::optional<int64_t> CommonDenominator(const DimExpr& expr) {
  absl::InlinedVector<std::pair<const DimAtom*, int32_t>, 4> powers;
  for (const Term& term : Access::Terms(expr)) {
    for (const auto& factor : term.factors) {
      if (!factor.atom->scaled()) continue;
      auto at = std::find_if(
          powers.begin(), powers.end(),
          [&](const auto& power) { return power.first == factor.atom; });
      if (at == powers.end()) {
        powers.emplace_back(factor.atom, factor.power);
      } else {
        at->second = std::max(at->second, factor.power);
      }
    }
  }
  std::optional<int64_t> denominator = 1;
  for (const auto& [atom, power] : powers) {
    for (int i = 0; i < power && denominator; ++i) {
      denominator = CheckedMultiply(*denominator, atom->facts.divisor);
    }
  }
  return denominator;
}

Fraction InSymbols(const DimExpr& expr) {
  Fraction fraction;
  const std::optional<int64_t> denominator = CommonDenominator(expr);
  if (!denominator) return {DimExpr::Invalid(), 1};
  for (const Term& term : Access::Terms(expr)) {
    DimExpr product = term.coefficient;
    int64_t scale = *denominator;
    for (const auto& factor : term.factors) {
      const DimAtom& atom = *factor.atom;
      const DimExpr value =
          atom.scaled() ? DimExpr::OfAtom(atom.plain) - atom.facts.remainder
                        : DimExpr::OfAtom(&atom);
      for (int i = 0; i < factor.power; ++i) {
        product = product * value;
        if (atom.scaled()) scale /= atom.facts.divisor;
      }
    }
    fraction.numerator = fraction.numerator + product * scale;
  }
  if (!fraction.numerator.valid()) return fraction;
  const int64_t common = std::gcd(fraction.numerator.Content(), *denominator);
  fraction.numerator = fraction.numerator.FloorDivide(common);
  fraction.denominator = *denominator / common;
  return fraction;
}

}  // namespace

std::string KeyOf(const DimExpr& expr) {
  std::string key;
  for (const Term& term : Access::Terms(expr)) {
    absl::StrAppend(&key, term.coefficient < 0 ? "" : "+", term.coefficient);
    for (const auto& factor : term.factors) {
      absl::StrAppend(&key, "*", factor.atom->key, "^", factor.power);
    }
  }
  return key;
}

std::string DimExpr::ToString() const {
  if (!valid_) return "";
  const auto is_scaled = [](const Term& term) {
    return std::any_of(term.factors.begin(), term.factors.end(),
                       [](const Factor& f) { return f.atom->scaled(); });
  };
  std::string text;
  if (std::none_of(terms_.begin(), terms_.end(), is_scaled)) {
    text = PlainText(*this);
  } else {
    const Fraction fraction = InSymbols(*this);
    if (!fraction.numerator.valid()) return "";
    DimExpr whole, rest;
    for (const Term& term : fraction.numerator.terms_) {
      // Rounded down, as FloorDivide takes whole multiples out.
      int64_t multiple = term.coefficient / fraction.denominator;
      int64_t left = term.coefficient % fraction.denominator;
      if (left < 0) {
        left += fraction.denominator;
        --multiple;
      }
      if (multiple != 0) whole.Add(multiple, term.factors);
      if (left != 0) rest.Add(left, term.factors);
    }
    if (rest.terms_.empty()) {
      text = PlainText(whole);
    } else {
      text = absl::StrCat("floordiv(", PlainText(rest), ",",
                          fraction.denominator, ")");
      if (!whole.terms_.empty()) {
        const std::string more = PlainText(whole);
        absl::StrAppend(&text, more[0] == '-' ? "" : "+", more);
      }
    }
  }
  return text.size() <= kMaxText ? text : "";
}

// --- Reading
// -------------------------------------------------------------------
namespace {

class Parser {
 public:
  Parser(absl::string_view text, const SymbolScope* scope)
      : text_(text), scope_(scope) {}

  absl::StatusOr<DimExpr> Parse() {
    if (text_.size() > kLongest) Fail("the expression is too long");
    DimExpr expr;
    if (status_.ok() && ReadSum(0, &expr)) {
      Peek();
      if (at_ < text_.size()) FailExpected("an operator");
    }
    if (!status_.ok()) return status_;
    if (!expr.valid()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "'", absl::CHexEscape(text_),
          "' is too large an expression, or contradicts its symbols' facts"));
    }
    return expr;
  }

 private:
  static constexpr size_t kLongest = 1024;
  static constexpr int kDeepest = 32;

  char Peek() {
    while (at_ < text_.size() && absl::ascii_isspace(text_[at_])) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool Eat(char c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }
  bool Expect(char c) {
    return Eat(c) || FailExpected(absl::StrCat("'", std::string(1, c), "'"));
  }
  bool Fail(absl::string_view what) {
    if (status_.ok()) {
      status_ = absl::InvalidArgumentError(
          absl::StrCat("column ", at_ + 1, ": ", what));
    }
    return false;
  }
  bool FailExpected(absl::string_view what) {
    const char next = Peek();
    if (next == '\0') {
      return Fail(absl::StrCat("expected ", what, ", but the text ends"));
    }
    return Fail(absl::StrCat("expected ", what, ", not '",
                             absl::CHexEscape(std::string(1, next)), "'"));
  }

  bool ReadSum(int depth, DimExpr* expr) {
    if (depth > kDeepest) return Fail("parentheses nest too deep");
    if (!ReadProduct(depth, expr)) return false;
    while (Peek() == '+' || Peek() == '-') {
      const bool plus = text_[at_++] == '+';
      DimExpr term;
      if (!ReadProduct(depth, &term)) return false;
      *expr = plus ? *expr + term : *expr - term;
    }
    return true;
  }

  bool ReadProduct(int depth, DimExpr* expr) {
    if (!ReadPower(depth, expr)) return false;
    while (Eat('*')) {
      DimExpr factor;
      if (!ReadPower(depth, &factor)) return false;
      *expr = *expr * factor;
    }
    return true;
  }

  bool ReadPower(int depth, DimExpr* expr) {
    bool negative = false;
    while (Eat('-')) negative = !negative;
    if (!ReadPrimary(depth, expr)) return false;
    if (Eat('^')) {
      int64_t power = 0;
      if (!ReadNumber(&power)) return false;
      if (power < 1 || power > DimExpr::kMaxDegree) {
        return Fail(
            absl::StrCat("a power must be in 1..", DimExpr::kMaxDegree));
      }
      const DimExpr base = *expr;
      for (int64_t i = 1; i < power; ++i) *expr = *expr * base;
    }
    if (negative) *expr = DimExpr(0) - *expr;
    return true;
  }

  bool ReadNumber(int64_t* value) {
    if (!absl::ascii_isdigit(Peek())) return FailExpected("a number");
    *value = 0;
    for (; at_ < text_.size() && absl::ascii_isdigit(text_[at_]); ++at_) {
      if (__builtin_mul_overflow(*value, 10, value) ||
          __builtin_add_overflow(*value, text_[at_] - '0', value)) {
        return Fail("the number is out of range");
      }
    }
    return true;
  }

  bool ReadPrimary(int depth, DimExpr* expr) {
    if (absl::ascii_isdigit(Peek())) {
      int64_t number = 0;
      if (!ReadNumber(&number)) return false;
      *expr = number;
      return true;
    }
    if (Eat('(')) return ReadSum(depth + 1, expr) && Expect(')');
    const size_t start = at_;
    while (at_ < text_.size() &&
           (absl::ascii_isalnum(text_[at_]) || text_[at_] == '_')) {
      ++at_;
    }
    const absl::string_view name = text_.substr(start, at_ - start);
    if (name.empty()) return FailExpected("a number, a name or '('");
    if (Peek() == '(') return ReadCall(depth, name, expr);
    if (!IsSymbolName(name)) return Fail("the name is too long");
    if (scope_ != nullptr) {
      *expr = scope_->Symbol(name);
    } else {
      const std::optional<Dim> dim = SymbolDim(name);
      *expr = dim ? DimExpr(*dim) : DimExpr::Invalid();
    }
    return true;
  }

  // name(a,b).
  bool ReadCall(int depth, absl::string_view name, DimExpr* expr) {
    const bool divides =
        name == "floordiv" || name == "ceildiv" || name == "mod";
    if (!divides && name != "min" && name != "max") {
      return Fail(absl::StrCat("unknown function '", name,
                               "', expected floordiv, ceildiv, mod, min, max"));
    }
    DimExpr a, b;
    if (!Expect('(') || !ReadSum(depth + 1, &a) || !Expect(',') ||
        !ReadSum(depth + 1, &b) || !Expect(')')) {
      return false;
    }
    if (divides && b.valid() && (!b.is_constant() || b.constant() < 1)) {
      return Fail("the divisor must be a number over 0");
    }
    const int64_t divisor = divides && b.valid() ? b.constant() : 0;
    *expr = name == "floordiv"  ? a.FloorDivide(divisor)
            : name == "ceildiv" ? a.CeilDivide(divisor)
            : name == "mod"     ? a.Modulo(divisor)
            : name == "min"     ? a.Min(b)
                                : a.Max(b);
    return true;
  }

  absl::string_view text_;
  const SymbolScope* scope_;
  size_t at_ = 0;
  absl::Status status_;
};

}  // namespace

absl::StatusOr<DimExpr> ParseDimExpr(absl::string_view text,
                                     const SymbolScope* scope) {
  return Parser(text, scope).Parse();
}

}  // namespace indim
