// SPDX-License-Identifier: Apache-2.0
// The process's table of atoms and expressions. It only grows, up to a limit,
// and its entries never move.

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <memory>
#include <mutex>
#include <numeric>
#include <shared_mutex>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/shape/dims/dim_expr_internal.h"

namespace indim {
namespace {

// The largest key; a key also holds the facts, which a text leaves out.
constexpr size_t kMaxKey = 4 * DimExpr::kMaxText;
constexpr uint64_t kChunk = 1024;

class AtomTable {
 public:
  const DimAtom* Find(const std::string& key) {
    const std::shared_lock<std::shared_mutex> lock(mutex_);
    const auto found = atoms_.find(key);
    return found == atoms_.end() ? nullptr : found->second.get();
  }

  const DimAtom* Insert(DimAtom atom) {
    const std::unique_lock<std::shared_mutex> lock(mutex_);
    if (atoms_.size() >= DimExpr::kMaxExpressions) return nullptr;
    std::unique_ptr<const DimAtom>& place = atoms_[atom.key];
    if (place == nullptr) place = std::make_unique<DimAtom>(std::move(atom));
    return place.get();
  }

  std::optional<uint64_t> FindIndex(const std::string& key) {
    const std::shared_lock<std::shared_mutex> lock(mutex_);
    const auto found = indices_.find(key);
    if (found == indices_.end()) return std::nullopt;
    return found->second;
  }

  std::optional<uint64_t> InsertIndex(std::string key,
                                      InternedExpression expression) {
    const std::unique_lock<std::shared_mutex> lock(mutex_);
    const uint64_t index = indices_.size();
    if (index >= DimExpr::kMaxExpressions) return std::nullopt;
    const auto [place, is_new] = indices_.emplace(std::move(key), index);
    if (!is_new) return place->second;
    Chunk* chunk = chunks_[index / kChunk].load(std::memory_order_relaxed);
    if (chunk == nullptr) {
      chunk = new Chunk();
      chunks_[index / kChunk].store(chunk, std::memory_order_release);
    }
    (*chunk)[index % kChunk] = std::move(expression);
    return index;
  }

  // A caller got its index after the entry was written.
  const InternedExpression& At(uint64_t index) const {
    return (*chunks_[index / kChunk].load(
        std::memory_order_acquire))[index % kChunk];
  }

 private:
  using Chunk = std::array<InternedExpression, kChunk>;
  // Guards both maps. A standard mutex, because ThreadSanitizer doesn't see the
  // locks of a distribution's Abseil, which was compiled without it.
  std::shared_mutex mutex_;
  absl::flat_hash_map<std::string, std::unique_ptr<const DimAtom>> atoms_;
  absl::flat_hash_map<std::string, uint64_t> indices_;
  std::array<std::atomic<Chunk*>, DimExpr::kMaxExpressions / kChunk> chunks_ =
      {};
};

AtomTable& TheTable() {
  static AtomTable* const kTable = new AtomTable();
  return *kTable;
}

std::string FactsKey(const SymbolFacts& facts) {
  if (facts == SymbolFacts()) return "";
  std::string key = absl::StrCat("{", facts.lower, ",", facts.upper, ",",
                                 facts.divisor, ",", facts.remainder);
  for (const DimExpr& floor : facts.floors) {
    absl::StrAppend(&key, ">", KeyOf(floor));
  }
  for (const DimExpr& ceiling : facts.ceilings) {
    absl::StrAppend(&key, "<", KeyOf(ceiling));
  }
  return key + "}";
}

// The smallest number from `bound` up that the divisor and remainder allow;
// nullopt: it passes 2^63-1.
std::optional<int64_t> RaiseTo(int64_t bound, const SymbolFacts& facts) {
  int64_t step = (facts.remainder - bound) % facts.divisor;
  if (step < 0) step += facts.divisor;
  int64_t raised;
  if (__builtin_add_overflow(bound, step, &raised)) return std::nullopt;
  return raised;
}

// Rounds the relations to sizes that the divisor allows, removes those that
// others imply, and sorts them. Numbers move to `lower` and `upper`.
void NormalizeRelations(SymbolFacts* facts) {
  const int64_t q = facts->divisor, r = facts->remainder;
  const auto settle = [](std::vector<DimExpr>* relations) {
    DropDominated(relations);
    std::sort(relations->begin(), relations->end(), Before);
  };
  std::vector<DimExpr> floors, ceilings;
  for (const DimExpr& floor : facts->floors) {
    floors.push_back((floor - r).CeilDivide(q) * q + r);
    facts->lower = std::max(facts->lower, floors.back().lower());
  }
  // Negated, so that the greatest is the least ceiling.
  for (const DimExpr& ceiling : facts->ceilings) {
    ceilings.push_back((ceiling - r).FloorDivide(q) * -q - r);
    facts->upper =
        std::min(facts->upper, (DimExpr(0) - ceilings.back()).upper());
  }
  settle(&floors);
  settle(&ceilings);
  facts->floors.clear();
  facts->ceilings.clear();
  for (const DimExpr& floor : floors) {
    if (floor.upper() > facts->lower) facts->floors.push_back(floor);
  }
  for (const DimExpr& opposite : ceilings) {
    const DimExpr ceiling = DimExpr(0) - opposite;
    if (ceiling.lower() < facts->upper) facts->ceilings.push_back(ceiling);
  }
}

// Rounds the ends to sizes that the divisor allows, and the remainder to
// 0..divisor-1. nullopt: no size is left.
std::optional<SymbolFacts> Normalize(SymbolFacts facts) {
  if (facts.divisor < 1) return std::nullopt;
  facts.remainder = FloorModNumber(facts.remainder, facts.divisor);
  if (facts.has_relations()) NormalizeRelations(&facts);
  if (facts.lower == SymbolFacts().upper) return std::nullopt;
  const std::optional<int64_t> lower =
      RaiseTo(std::max<int64_t>(facts.lower, 0), facts);
  if (!lower) return std::nullopt;
  facts.lower = *lower;
  if (facts.upper < facts.lower) return std::nullopt;
  if (facts.upper != Dim::kInfinity) {
    facts.upper -= (facts.upper - facts.remainder) % facts.divisor;
    if (facts.upper < facts.lower) return std::nullopt;
  }
  return facts;
}

// AtomKey identifies an atom; AtomText is its text for people. "": too long.
std::string AtomKey(const DimAtom& atom) {
  const auto append = [](std::string* out, const DimExpr& operand) {
    out->append(KeyOf(operand));
  };
  switch (atom.kind) {
    case DimAtom::Kind::kSymbol:
      return absl::StrCat(atom.text, FactsKey(atom.facts));
    case DimAtom::Kind::kFloorDivide:
      return absl::StrCat("floordiv(", KeyOf(atom.a), ",", atom.divisor, ")");
    case DimAtom::Kind::kMax:
      return absl::StrCat("max(", absl::StrJoin(atom.operands, ",", append),
                          ")");
  }
  return "";
}

std::string AtomText(const DimAtom& atom) {
  if (atom.kind == DimAtom::Kind::kSymbol) return atom.text;
  if (atom.kind == DimAtom::Kind::kMax) return CallText("max", atom.operands);
  const std::string text = atom.a.ToString();
  if (text.empty()) return "";
  return absl::StrCat("floordiv(", text, ",", atom.divisor, ")");
}

}  // namespace

const DimAtom* InternAtom(DimAtom atom) {
  atom.key = AtomKey(atom);
  if (atom.key.size() > kMaxKey) return nullptr;
  if (const DimAtom* const known = TheTable().Find(atom.key)) return known;
  atom.text = AtomText(atom);
  if (atom.text.empty() || atom.text.size() > DimExpr::kMaxText) return nullptr;
  return TheTable().Insert(std::move(atom));
}

std::optional<uint64_t> InternExpression(const DimExpr& expr) {
  std::string key = KeyOf(expr);
  if (key.size() > kMaxKey) return std::nullopt;
  if (const std::optional<uint64_t> known = TheTable().FindIndex(key)) {
    return known;
  }
  InternedExpression expression;
  expression.text = expr.ToString();
  if (expression.text.empty()) return std::nullopt;
  expression.expr = expr;
  expression.lower = std::max<int64_t>(expr.lower(), 0);
  expression.upper = expr.upper();
  if (expression.upper < 0) return std::nullopt;
  return TheTable().InsertIndex(std::move(key), std::move(expression));
}

const InternedExpression& ExpressionAt(uint64_t index) {
  return TheTable().At(index);
}

bool MeansUnknown(absl::string_view name) {
  static constexpr absl::string_view kWords[] = {
      "none", "null", "nil", "undefined", "unknown", "dynamic", "kdynamic"};
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [name](absl::string_view word) {
                       return absl::EqualsIgnoreCase(name, word);
                     });
}

bool IsSymbolName(absl::string_view text) {
  if (text.empty() || text.size() > DimExpr::kMaxText / 4) return false;
  if (MeansUnknown(text)) return false;
  if (absl::ascii_isdigit(text[0])) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return absl::ascii_isalnum(c) || c == '_'; });
}

std::optional<Dim> SymbolDim(absl::string_view name, const SymbolFacts& facts) {
  const std::optional<SymbolFacts> normal = Normalize(facts);
  if (!IsSymbolName(name) || !normal) return std::nullopt;
  if (normal->lower == normal->upper) return Dim::Static(normal->lower);
  DimAtom atom;
  atom.text = std::string(name);
  atom.facts = *normal;
  const int64_t q = normal->divisor, r = normal->remainder;
  atom.lower = (normal->lower - r) / q;
  atom.upper = normal->upper == Dim::kInfinity ? Dim::kInfinity
                                               : (normal->upper - r) / q;
  if (atom.scaled()) {
    DimAtom plain;
    plain.text = atom.text;
    atom.plain = InternAtom(std::move(plain));
    if (atom.plain == nullptr) return std::nullopt;
  }
  return (DimExpr::OfAtom(InternAtom(std::move(atom))) * q + r).ToDim();
}

std::optional<SymbolFacts> MeetFacts(const SymbolFacts& a,
                                     const SymbolFacts& b) {
  SymbolFacts both;
  both.lower = std::max(a.lower, b.lower);
  both.upper = std::min(a.upper, b.upper);
  for (const SymbolFacts* facts : {&a, &b}) {
    both.floors.insert(both.floors.end(), facts->floors.begin(),
                       facts->floors.end());
    both.ceilings.insert(both.ceilings.end(), facts->ceilings.begin(),
                         facts->ceilings.end());
  }
  // The smaller divisor must divide the larger, or its steps be few enough to
  // try.
  const SymbolFacts& fine = a.divisor >= b.divisor ? a : b;
  const SymbolFacts& coarse = a.divisor >= b.divisor ? b : a;
  if (fine.divisor < 1 || coarse.divisor < 1) return std::nullopt;
  constexpr int64_t kMaxSteps = 4096;
  const int64_t steps = coarse.divisor / std::gcd(fine.divisor, coarse.divisor);
  int64_t divisor;
  if (steps > kMaxSteps ||
      __builtin_mul_overflow(fine.divisor, steps, &divisor)) {
    return std::nullopt;
  }
  both.divisor = divisor;
  for (int64_t i = 0; i < steps; ++i) {
    both.remainder = fine.remainder + i * fine.divisor;
    if ((both.remainder - coarse.remainder) % coarse.divisor == 0) {
      return Normalize(both);
    }
  }
  return std::nullopt;
}

}  // namespace indim
