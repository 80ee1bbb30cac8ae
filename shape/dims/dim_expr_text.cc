// SPDX-License-Identifier: Apache-2.0
// The text of expressions, written and read.

#include <algorithm>
#include <deque>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/shape/dims/checked_math.h"
#include "indim/shape/dims/dim_expr_internal.h"

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

// The text of an expression without scaled symbols. Positive terms come first:
// n-1, not -1+n.
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

// An expression in its symbols, over a denominator: fractions replace atoms
// that stand for (n - r) / q.
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

// An expression in its symbols, written as whole + floordiv(rest,divisor).
struct FloorDivParts {
  DimExpr whole, rest;
  int64_t divisor = 1;
};

std::optional<FloorDivParts> PartsOf(const DimExpr& expr) {
  const absl::Span<const Term> terms = Access::Terms(expr);
  const bool is_scaled =
      std::any_of(terms.begin(), terms.end(), [](const Term& term) {
        return std::any_of(term.factors.begin(), term.factors.end(),
                           [](const auto& f) { return f.atom->scaled(); });
      });
  FloorDivParts parts;
  if (!is_scaled) {
    parts.whole = expr;
    return parts;
  }
  const Fraction fraction = InSymbols(expr);
  if (!fraction.numerator.valid()) return std::nullopt;
  parts.divisor = fraction.denominator;
  for (const Term& term : Access::Terms(fraction.numerator)) {
    // Rounded down, as FloorDivide takes out whole multiples.
    const int64_t multiple =
        FloorDivideNumber(term.coefficient, fraction.denominator);
    const DimExpr factors = Access::OfMonomial(term.factors);
    Access::AddScaled(factors, multiple, &parts.whole);
    Access::AddScaled(factors,
                      FloorModNumber(term.coefficient, fraction.denominator),
                      &parts.rest);
  }
  return parts;
}

// The text of a sum; "": too long.
std::string SumText(const DimExpr& expr) {
  const std::optional<FloorDivParts> parts = PartsOf(expr);
  if (!parts) return "";
  if (Access::Terms(parts->rest).empty()) return PlainText(parts->whole);
  std::string text = absl::StrCat("floordiv(", PlainText(parts->rest), ",",
                                  parts->divisor, ")");
  if (!Access::Terms(parts->whole).empty()) {
    const std::string more = PlainText(parts->whole);
    absl::StrAppend(&text, more[0] == '-' ? "" : "+", more);
  }
  return text;
}

bool HasMax(const Term& term) { return FindMax(term).max != nullptr; }

// Shortens sums with a max: m+n-max(m,n) reads as min(m,n), max(0,n-8)+8 as
// max(8,n). The shortened expression has atoms that exist only here.
class Shortener {
 public:
  explicit Shortener(const DimExpr& expr)
      : shown_(expr), text_(SumText(expr)) {}

  std::string Run() {
    const absl::Span<const Term> all = Access::Terms(shown_);
    const std::vector<Term> terms(all.begin(), all.end());
    only_one_ = std::count_if(terms.begin(), terms.end(), HasMax) == 1;
    for (const Term& term : terms) {
      const MaxTerm found = FindMax(term);
      if (found.max == nullptr) continue;
      const DimExpr whole =
          Access::Of(found.max) * found.factor * term.coefficient;
      Shorten(found, term.coefficient, shown_ - whole);
    }
    return std::move(text_);
  }

  // The shortened expression; valid after Run().
  const DimExpr& shown() const { return shown_; }

 private:
  void Shorten(const MaxTerm& found, int64_t c, const DimExpr& rest) {
    Try(found, c, rest, DimExpr(0), ConstantTimes(found.factor, rest));
    const bool alone = found.factor == DimExpr(1) && only_one_;
    if (alone) {
      DimExpr negative;
      for (const Term& term : Access::Terms(rest)) {
        if (term.coefficient < 0) {
          Access::AddScaled(Access::OfMonomial(term.factors), term.coefficient,
                            &negative);
        }
      }
      Try(found, c, rest, DimExpr(0), negative);
      Try(found, c, rest, DimExpr(0), rest);
    }
    if (c > 0) return;
    // -c*max(operands) is c*min(over-operands) minus c*over.
    const DimExpr over = OverAll(found.max->operands);
    Try(found, c, rest, over, DimExpr(0));
    if (!alone) return;
    const DimExpr left = rest + over * c;
    Try(found, c, rest, over, ConstantTimes(DimExpr(1), left));
    Try(found, c, rest, over, left);
  }

  // The part of `rest` that is a number times `factor`.
  static DimExpr ConstantTimes(const DimExpr& factor, const DimExpr& rest) {
    if (factor == DimExpr(1)) {
      const absl::Span<const Term> terms = Access::Terms(rest);
      const bool has = !terms.empty() && terms.back().factors.empty();
      return has ? DimExpr(terms.back().coefficient) : DimExpr(0);
    }
    for (const Term& term : Access::Terms(rest)) {
      if (Access::OfMonomial(term.factors) == factor) return term.coefficient;
    }
    return 0;
  }

  // Shows c*M*max(operands)+rest as c*M*max(operands+part/c)+rest-M*part, if
  // that is not longer. With an `over`, does this for the equal
  // -c*M*min(over-operands)+(rest+c*over).
  void Try(const MaxTerm& found, int64_t c, const DimExpr& rest,
           const DimExpr& over, const DimExpr& part) {
    const bool is_min = over != DimExpr(0);
    const int64_t scale = is_min ? -c : c;
    if (part.Content() % scale != 0 || (!is_min && part == DimExpr(0))) return;
    std::vector<DimExpr> operands;
    for (const DimExpr& operand : found.max->operands) {
      operands.push_back((is_min ? over - operand : operand) +
                         Quotient(part, scale));
    }
    std::sort(operands.begin(), operands.end(), Before);
    const std::string call = CallText(is_min ? "min" : "max", operands);
    if (call.empty()) return;
    const DimExpr left =
        (is_min ? rest + over * found.factor * c : rest) - part * found.factor;
    const DimExpr shown = left + AtomOf(call) * found.factor * scale;
    std::string text = shown.valid() ? SumText(shown) : "";
    if (text.empty() || text.size() > text_.size()) return;
    shown_ = shown;
    text_ = std::move(text);
  }

  // An atom with this text, and a key that no other atom has.
  DimExpr AtomOf(const std::string& text) {
    for (const DimAtom& atom : atoms_) {
      if (atom.text == text) return Access::Of(&atom);
    }
    DimAtom& atom = atoms_.emplace_back();
    atom.text = text;
    atom.key = absl::StrCat(text, "'");
    return Access::Of(&atom);
  }

  // part / divisor, where the divisor divides it.
  static DimExpr Quotient(const DimExpr& part, int64_t divisor) {
    return divisor > 0 ? part.FloorDivide(divisor)
                       : DimExpr(0) - part.FloorDivide(-divisor);
  }

  DimExpr shown_;
  std::string text_;
  bool only_one_ = false;  // term has a max; it may take in the whole rest
  std::deque<DimAtom> atoms_;
};

class DimExprParser {
 public:
  DimExprParser(absl::string_view text, const SymbolScope* scope)
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
    if (MeansUnknown(name)) {
      at_ = start;
      return Fail(absl::StrCat("'", name,
                               "' is not a name of a size; to fix: write ? for "
                               "a size that isn't known"));
    }
    if (!IsSymbolName(name)) return Fail("the name is too long");
    if (scope_ != nullptr) {
      *expr = scope_->Symbol(name);
    } else {
      const std::optional<Dim> dim = SymbolDim(name);
      *expr = dim ? DimExpr(*dim) : DimExpr::Invalid();
    }
    return true;
  }

  // Reads name(a,b); for min and max also name(a,b,...).
  bool ReadCall(int depth, absl::string_view name, DimExpr* expr) {
    const bool divides =
        name == "floordiv" || name == "ceildiv" || name == "mod";
    if (!divides && name != "min" && name != "max") {
      return Fail(absl::StrCat("unknown function '", name,
                               "', expected floordiv, ceildiv, mod, min, max"));
    }
    std::vector<DimExpr> operands(2);
    if (!Expect('(') || !ReadSum(depth + 1, &operands[0]) || !Expect(',') ||
        !ReadSum(depth + 1, &operands[1])) {
      return false;
    }
    while (!divides && Eat(',')) {
      if (!ReadSum(depth + 1, &operands.emplace_back())) return false;
    }
    if (!Expect(')')) return false;
    if (!divides) {
      *expr = name == "min" ? MinOf(operands) : MaxOf(operands);
      return true;
    }
    const DimExpr& a = operands[0];
    const DimExpr& b = operands[1];
    if (b.valid() && (!b.is_constant() || b.constant() < 1)) {
      return Fail("the divisor must be a number over 0");
    }
    const int64_t divisor = b.valid() ? b.constant() : 0;
    *expr = name == "floordiv"  ? a.FloorDivide(divisor)
            : name == "ceildiv" ? a.CeilDivide(divisor)
                                : a.Modulo(divisor);
    return true;
  }

  absl::string_view text_;
  const SymbolScope* scope_;
  size_t at_ = 0;
  absl::Status status_;
};

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

bool Before(const DimExpr& a, const DimExpr& b) {
  if (a.is_constant() != b.is_constant()) return a.is_constant();
  return KeyOf(a) < KeyOf(b);
}

std::string CallText(absl::string_view name,
                     const std::vector<DimExpr>& operands) {
  std::vector<std::string> texts;
  for (const DimExpr& operand : operands) {
    texts.push_back(operand.ToString());
    if (texts.back().empty()) return "";
  }
  return absl::StrCat(name, "(", absl::StrJoin(texts, ","), ")");
}

std::string DimExpr::ToString() const {
  if (!valid_) return "";
  const bool has_max = std::any_of(terms_.begin(), terms_.end(), HasMax);
  const std::string text = has_max ? Shortener(*this).Run() : SumText(*this);
  return text.size() <= kMaxText ? text : "";
}

bool ReadsAsSum(const DimExpr& expr) {
  Shortener shortener(expr);
  shortener.Run();
  const std::optional<FloorDivParts> parts = PartsOf(shortener.shown());
  if (!parts) return false;
  const size_t quotients = Access::Terms(parts->rest).empty() ? 0 : 1;
  return Access::Terms(parts->whole).size() + quotients > 1;
}

// --- Reading ----------------------------------------------------------------

absl::StatusOr<DimExpr> ParseDimExpr(absl::string_view text,
                                     const SymbolScope* scope) {
  return DimExprParser(text, scope).Parse();
}

}  // namespace indim
