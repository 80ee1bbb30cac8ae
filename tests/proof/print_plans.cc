// SPDX-License-Identifier: Apache-2.0
// Prints Indim's plans, a JSON object a line, for prove_plans.py to prove:
//
//   print_plans SUITE P Q R S      1 < P < Q < R < S
//
// Sizes of dims are named: `<=p` is `<=P`, and a plan in which P appears says
// "p". What is printed must not change with the numbers; then the letters stand
// for any four sizes in that order. Suites:
//   pairs    two vectors, every kind of dim with ends 0, 1, p, q, r, s
//   three    three vectors, numpy
//   ranks2   two shapes up to rank 2; ranks3: up to rank 3, of fewer dims
//   trait    two vectors, a recorded result, each mode: accepted or not

#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "indim/shape/broadcast/broadcast.h"
#include "indim/shape/broadcast/broadcastable.h"

namespace indim {
namespace {

using Texts = std::vector<std::string>;

constexpr absl::string_view kLetters[] = {"p", "q", "r", "s"};
int64_t numbers[4];

Dim Parse(absl::string_view text) {
  std::string with_numbers(text);
  for (int i = 0; i < 4; ++i) {
    with_numbers = absl::StrReplaceAll(
        with_numbers, {{kLetters[i], absl::StrCat(numbers[i])}});
  }
  return Dim::Parse(with_numbers).value();
}

// "p" for P; a number that has no name stays one, which no proof takes.
std::string Letter(int64_t number) {
  if (number == Dim::kInfinity) return "inf";
  for (int i = 0; i < 4; ++i) {
    if (number == numbers[i]) return std::string(kLetters[i]);
  }
  return absl::StrCat(number);
}

// "p..q", "p..p", "0..inf".
std::string Text(Dim dim) {
  return absl::StrCat(Letter(dim.lower()), "..", Letter(dim.upper()));
}

template <typename List, typename Format>
std::string Json(const List& list, const Format& format) {
  return absl::StrCat("[",
                      absl::StrJoin(list, ",",
                                    [&](std::string* out, const auto& item) {
                                      absl::StrAppend(out, format(item));
                                    }),
                      "]");
}
std::string Number(int64_t n) { return absl::StrCat(n); }
std::string Quoted(Dim dim) { return absl::StrCat("\"", Text(dim), "\""); }

std::string Json(const ConditionSize& side) {
  if (!side.is_place()) {
    return absl::StrCat("\"", Letter(side.size().size()), "\"");
  }
  return absl::StrCat("[", side.place().operand, ",", side.place().dim, "]");
}

std::string Json(const Condition& c) {
  using Kind = Condition::Kind;
  const absl::string_view kind = c.kind == Kind::kEqual        ? "equal"
                                 : c.kind == Kind::kOneOrEqual ? "one or equal"
                                 : c.kind == Kind::kEitherOneOrEqual
                                     ? "either one or equal"
                                     : "no broadcast's";
  return absl::StrCat("[\"", kind, "\",", Json(c.a), ",", Json(c.b), "]");
}

void Print(const BroadcastSpec& spec, const std::vector<Shape>& shapes) {
  std::vector<const Shape*> operands;
  for (const Shape& shape : shapes) operands.push_back(&shape);
  BroadcastPlan plan;
  std::vector<Diagnostic> diagnostics;
  const bool ok = PlanBroadcast(spec, operands, &plan, &diagnostics);
  std::string line = absl::StrCat(
      "{\"rule\":\"", Name(spec.rule), "\",\"axis\":", spec.axis,
      ",\"tuple\":", spec.dimensions ? Json(*spec.dimensions, Number) : "null",
      ",\"operands\":",
      Json(shapes, [](const Shape& s) { return Json(s.dims(), Quoted); }));
  if (ok) {
    absl::StrAppend(
        &line, ",\"result\":", Json(plan.dims, Quoted), ",\"places\":",
        Json(plan.operands, [](const auto& map) { return Json(map, Number); }),
        ",\"conditions\":",
        Json(plan.conditions, [](const Condition& c) { return Json(c); }));
  }
  std::puts(absl::StrCat(line, "}").c_str());
}

BroadcastSpec Spec(BroadcastRule rule, int64_t axis = -1) {
  BroadcastSpec spec;
  spec.rule = rule;
  spec.axis = axis;
  return spec;
}

// Every rule, axis and broadcast_dimensions that takes these ranks.
void PrintAll(const Shape& a, const Shape& b) {
  const std::vector<Shape> shapes = {a, b};
  if (a.rank() == b.rank()) Print(Spec(BroadcastRule::kNone), shapes);
  Print(Spec(BroadcastRule::kNumpy), shapes);
  Print(Spec(BroadcastRule::kBidirectional), shapes);
  for (int64_t axis = -1; b.rank() <= a.rank() && axis <= a.rank(); ++axis) {
    Print(Spec(BroadcastRule::kPdpd, axis), shapes);
  }
  const int lower = std::min(a.rank(), b.rank());
  const int higher = std::max(a.rank(), b.rank());
  if (lower == 0 || lower == higher) Print(Spec(BroadcastRule::kXla), shapes);
  if (lower == 0) return;
  // Each choice of `lower` of the higher rank's dims is a set of bits.
  for (int bits = 0; bits < (1 << higher); ++bits) {
    BroadcastSpec spec;
    spec.dimensions.emplace();
    for (int d = 0; d < higher; ++d) {
      if ((bits >> d) % 2 == 1) spec.dimensions->push_back(d);
    }
    if (static_cast<int>(spec.dimensions->size()) == lower) Print(spec, shapes);
  }
}

// Of ends 0, 1 and the letters: n, <=n, lo..hi, lo.., and ?.
Texts EveryKind() {
  const Texts ends = {"0", "1", "p", "q", "r", "s"};
  Texts kinds = {"?"};
  for (size_t i = 0; i < ends.size(); ++i) {
    kinds.push_back(ends[i]);
    kinds.push_back(absl::StrCat("<=", ends[i]));
    if (i == 0) continue;
    kinds.push_back(absl::StrCat(ends[i], ".."));
    for (size_t j = i + 1; j < ends.size(); ++j) {
      kinds.push_back(absl::StrCat(ends[i], "..", ends[j]));
    }
  }
  return kinds;
}

std::vector<Shape> ShapesUpTo(int rank, const Texts& kinds) {
  std::vector<Shape> shapes = {Shape::Scalar(ElementType::kF32)};
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (shapes[i].rank() == rank) continue;
    for (const std::string& kind : kinds) {
      Shape longer = shapes[i];
      longer.add_dim(Parse(kind));
      shapes.push_back(longer);
    }
  }
  return shapes;
}

std::vector<Shape> Vectors(const Texts& kinds) {
  std::vector<Shape> shapes = ShapesUpTo(1, kinds);
  shapes.erase(shapes.begin());
  return shapes;
}

void PrintPairs(const std::vector<Shape>& shapes) {
  for (const Shape& a : shapes) {
    for (const Shape& b : shapes) PrintAll(a, b);
  }
}

void PrintThree(const std::vector<Shape>& shapes) {
  for (const Shape& a : shapes) {
    for (const Shape& b : shapes) {
      for (const Shape& c : shapes) {
        Print(Spec(BroadcastRule::kNumpy), {a, b, c});
      }
    }
  }
}

void PrintTrait(const std::vector<Shape>& shapes) {
  for (const Shape& a : shapes) {
    for (const Shape& b : shapes) {
      for (const Shape& result : shapes) {
        std::string line = absl::StrCat(
            "{\"operands\":[", Json(a.dims(), Quoted), ",",
            Json(b.dims(), Quoted), "],\"result\":", Quoted(result.dim(0)));
        for (const char* name : {"lenient", "strict", "mlir"}) {
          const Shape* const operands[] = {&a, &b};
          std::vector<Diagnostic> diagnostics;
          const bool accepted = VerifyBroadcastable(
              *BroadcastableModeFromName(name), operands, result, &diagnostics);
          absl::StrAppend(&line, ",\"", name,
                          "\":", accepted ? "true" : "false");
        }
        std::puts(absl::StrCat(line, "}").c_str());
      }
    }
  }
}

bool Run(absl::string_view suite) {
  const Texts some = {"?", "0", "1", "p", "q", "<=1", "<=p", "<=q", "p..q"};
  const Texts few = {"?", "1", "p", "q", "<=1", "<=p", "p..q"};
  if (suite == "pairs") {
    PrintPairs(Vectors(EveryKind()));
  } else if (suite == "three") {
    PrintThree(Vectors(EveryKind()));
  } else if (suite == "ranks2") {
    PrintPairs(ShapesUpTo(2, some));
  } else if (suite == "ranks3") {
    PrintPairs(ShapesUpTo(3, few));
  } else if (suite == "trait") {
    PrintTrait(Vectors(EveryKind()));
  } else {
    return false;
  }
  return true;
}

}  // namespace
}  // namespace indim

int main(int argc, char** argv) {
  bool ok = argc == 6;
  for (int i = 0; ok && i < 4; ++i) {
    ok = absl::SimpleAtoi(argv[2 + i], &indim::numbers[i]) &&
         indim::numbers[i] > (i == 0 ? 1 : indim::numbers[i - 1]);
  }
  if (ok && indim::Run(argv[1])) return 0;
  std::fputs("usage: print_plans pairs|three|ranks2|ranks3|trait P Q R S\n",
             stderr);
  return 2;
}
