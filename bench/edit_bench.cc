// SPDX-License-Identifier: Apache-2.0
// How the time of the Editor's calls and of the passes grows with the module:
//
//   bazel run -c opt //bench:edit_bench [-- NAME]     # NAME: a part of a name
//
// Each row is a call for every instruction (or parameter, result, call,
// computation) of a module of 1,000, 10,000 and 100,000 of them, from Editor()
// to Finish(), or a pass; with milliseconds of the processor, and how many
// times more each takes than the one before. About 10 is linear; a module that
// no longer fits the caches takes more. A row ends where the next size would
// take more than kLimit, were it linear. Nothing here asserts.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/sharding.h"
#include "indim/edit/editor.h"
#include "indim/edit/passes/common_subexpressions.h"
#include "indim/edit/passes/constants_to_parameters.h"
#include "indim/edit/passes/dead_code.h"
#include "indim/edit/passes/extract.h"
#include "indim/edit/passes/fold_constants.h"
#include "indim/edit/passes/inline_calls.h"
#include "indim/edit/passes/reduce.h"

namespace indim {
namespace {

constexpr double kLimit = 10;  // seconds
constexpr int64_t kSizes[] = {1000, 10000, 100000};

void Quit(const std::string& message) {
  std::fprintf(stderr, "edit_bench: %s\n", message.c_str());
  std::exit(1);
}

Module Built(ComputationBuilder& b, Op root) {
  BuildResult module = b.Build(root);
  if (!module.ok()) Quit(std::string(module.status().message()));
  return *std::move(module);
}

// --- Modules -----------------------------------------------------------------

// Each instruction needs the one before.
Module Chain(int64_t n) {
  ComputationBuilder b("chain");
  Op x = b.Parameter("f32[8]");
  for (int64_t i = 1; i < n; ++i) x = i % 2 == 0 ? b.Neg(x) : b.Exp(x);
  return Built(b, x);
}

// All need one parameter, and the root needs all.
Module Wide(int64_t n) {
  ComputationBuilder b("wide");
  const Op x = b.Parameter("f32[8]");
  std::vector<Op> all;
  for (int64_t i = 1; i < n; ++i) all.push_back(i % 2 ? b.Neg(x) : b.Exp(x));
  return Built(b, b.Tuple(all));
}

// As many parameters, each with a user, and the root needs all users.
Module Parameters(int64_t n) {
  ComputationBuilder b("parameters");
  std::vector<Op> all;
  for (int64_t i = 0; i < n; ++i) all.push_back(b.Parameter("f32[8]"));
  for (Op& x : all) x = b.Neg(x);
  return Built(b, b.Tuple(all));
}

// Scalars only, none of which the root needs.
Module Idle(int64_t n) {
  ComputationBuilder b("idle");
  const Op x = b.Parameter("f32[]");
  for (int64_t i = 0; i < n; ++i) b.Parameter("f32[]");
  return Built(b, b.Neg(x));
}

// Constants that add up.
Module Constants(int64_t n) {
  ComputationBuilder b("constants");
  Op x = b.ConstantR0(1.0f);
  for (int64_t i = 0; i < n; i += 2) x = b.Add(x, b.ConstantR0(float(i)));
  return Built(b, x);
}

// Calls of one computation, or each of its own.
Module Calls(int64_t n, bool of_one) {
  ComputationBuilder b("calls");
  const auto make = [&] {
    ComputationBuilder sub = b.SubBuilder("step");
    return sub.BuildCallee(sub.Neg(sub.Parameter("f32[8]")));
  };
  Op x = b.Parameter("f32[8]");
  Callee callee = make();
  for (int64_t i = 1; i < n; ++i) {
    x = b.Call(callee, {x});
    if (!of_one) callee = make();
  }
  return Built(b, x);
}
Module CallsOfOne(int64_t n) { return Calls(n, true); }
Module Computations(int64_t n) { return Calls(n, false); }

// --- Calls -------------------------------------------------------------------

using Make = Module (*)(int64_t n);
using Edit = std::function<void(Editor*)>;
struct Row {
  const char* name;
  Make make;
  Edit edit;
};

std::vector<InstructionRef> All(const Editor& e) {
  return e.instructions(e.entry());
}

using EditOne = std::function<void(Editor*, InstructionRef)>;
// For each instruction of the entry but parameters and the root.
Edit Each(EditOne one) {
  return [one](Editor* e) {
    const InstructionRef root = e->root(e->entry());
    for (const InstructionRef x : All(*e)) {
      if (x == root || e->opcode(x) == Opcode::kParameter) continue;
      one(e, x);
    }
  };
}

void InsertOne(Insertion at, Editor* e, InstructionRef x) {
  (void)e;
  at.Insert(at->Neg(at.Use(x)));
}

const volatile void* sink;  // so that looking isn't optimised away
template <typename T>
void Keep(const T& value) {
  sink = &value;
}

std::vector<Row> Looking() {
  return {
      {"users, wide", Wide, Each([](Editor* e, InstructionRef x) {
         Keep(e->users(x));
         Keep(e->use_count(x));
       })},
      {"users of the first, wide", Wide,
       [](Editor* e) { Keep(e->users(All(*e)[0])); }},
      {"operands, name, shape", Chain, Each([](Editor* e, InstructionRef x) {
         Keep(e->operands(x));
         Keep(e->name(x));
         Keep(e->shape(x));
         Keep(e->attributes(x));
       })},
      {"must_stay, calls of one", CallsOfOne,
       Each([](Editor* e, InstructionRef x) { Keep(e->must_stay(x)); })},
      {"parameters, 100 times", Parameters,
       [](Editor* e) {
         for (int i = 0; i < 100; ++i) Keep(e->parameters(e->entry()));
       }},
      {"callers of each", Computations,
       [](Editor* e) {
         for (const ComputationRef c : e->computations()) Keep(e->callers(c));
       }},
      {"PostOrder", Chain, [](Editor* e) { Keep(e->PostOrder(e->entry())); }},
      {"Find", Chain, [](Editor* e) { Keep(e->Find("nothing")); }},
  };
}

std::vector<Row> Changing() {
  return {
      {"Before, Insert", Chain,
       Each([](Editor* e, InstructionRef x) { InsertOne(e->After(x), e, x); })},
      {"After one, Insert", Chain,
       [](Editor* e) {
         const InstructionRef first = All(*e)[0];
         for (size_t i = All(*e).size(); i > 1; i -= 2) {
           InsertOne(e->After(first), e, first);
         }
       }},
      {"AtEnd, Insert", Chain, Each([](Editor* e, InstructionRef x) {
         InsertOne(e->AtEnd(e->entry()), e, x);
       })},
      {"Clone", Wide, Each([](Editor* e, InstructionRef x) { e->Clone(x); })},
      {"SetOperand", Wide, Each([](Editor* e, InstructionRef x) {
         e->SetOperand(x, 0, e->operands(x)[0]);
       })},
      {"SetOperands", Wide, Each([](Editor* e, InstructionRef x) {
         e->SetOperands(x, e->operands(x));
       })},
      {"SetAttributes", Chain, Each([](Editor* e, InstructionRef x) {
         e->SetAttributes(x, Attributes(e->attributes(x)));
       })},
      {"SetShape", Chain, Each([](Editor* e, InstructionRef x) {
         e->SetShape(x, Shape(e->shape(x)));
       })},
      {"SetName", Chain, Each([](Editor* e, InstructionRef x) {
         e->SetName(x, absl::StrCat("x", e->id(x)));
       })},
      {"SetName to one", Chain,
       Each([](Editor* e, InstructionRef x) { e->SetName(x, "x"); })},
      {"SetSharding", Chain, Each([](Editor* e, InstructionRef x) {
         e->SetSharding(x, MaximalSharding(0));
       })},
      {"SetMetadata", Chain, Each([](Editor* e, InstructionRef x) {
         e->SetMetadata(x, std::string("\x12\x01x", 3));
       })},
      {"SetFrontendAttribute", Chain, Each([](Editor* e, InstructionRef x) {
         e->SetFrontendAttribute(x, "k", absl::StrCat(e->id(x)));
       })},
      {"ReplaceAllUses, chain", Chain, Each([](Editor* e, InstructionRef x) {
         e->ReplaceAllUses(x, e->operands(x)[0]);
       })},
      {"ReplaceAllUses, wide", Wide, Each([](Editor* e, InstructionRef x) {
         e->ReplaceAllUses(x, e->operands(x)[0]);
       })},
      {"SetRoot", Chain,
       Each([](Editor* e, InstructionRef x) { e->SetRoot(e->entry(), x); })},
      {"Erase, the last first", Chain,
       [](Editor* e) {
         const std::vector<InstructionRef> all = All(*e);
         e->SetRoot(e->entry(), all[1]);
         for (size_t i = all.size(); i-- > 2;) e->Erase(all[i]);
       }},
  };
}

std::vector<Row> OfCalls() {
  return {
      {"InlineCall", CallsOfOne,
       Each([](Editor* e, InstructionRef x) { e->InlineCall(x); })},
      {"InlineCall, computations", Computations,
       Each([](Editor* e, InstructionRef x) { e->InlineCall(x); })},
      {"Outline, ten at a time", Chain,
       [](Editor* e) {
         const std::vector<InstructionRef> all = All(*e);
         for (size_t i = 1; i + 11 < all.size(); i += 10) {
           e->Outline(absl::MakeConstSpan(all).subspan(i, 10), "part");
         }
       }},
      {"SetCallee", Computations, Each([](Editor* e, InstructionRef x) {
         e->SetCallee(x, 0, e->callees(x)[0]);
       })},
      {"CloneComputation", Computations,
       [](Editor* e) {
         for (const ComputationRef c : e->computations()) {
           if (c != e->entry()) e->CloneComputation(c);
         }
       }},
      {"Erase computations", Computations,
       [](Editor* e) {
         const std::vector<ComputationRef> all = e->computations();
         Each([](Editor* e, InstructionRef x) {
           e->ReplaceAllUses(x, e->operands(x)[0]);
           e->Erase(x);
         })(e);
         for (size_t i = 0; i + 2 < all.size(); ++i) e->Erase(all[i]);
       }},
      {"SetEntry", Computations,
       [](Editor* e) { e->SetEntry(e->computations()[0]); }},
  };
}

std::vector<Row> OfSignatures() {
  const auto count_of = [](Editor* e) {
    return static_cast<int64_t>(e->parameters(e->entry()).size());
  };
  return {
      {"AddParameter", Chain, Each([](Editor* e, InstructionRef x) {
         e->AddParameter(e->entry(), Shape(e->shape(x)));
       })},
      {"AddParameter, scalars", Idle,
       [](Editor* e) {
         const size_t count = All(*e).size();
         for (size_t i = 0; i < count; ++i) {
           e->AddParameter(e->entry(), Shape::Scalar(ElementType::kF32));
         }
       }},
      {"RemoveParameter, the last first", Idle,
       [=](Editor* e) {
         for (int64_t k = count_of(e); --k > 0;) {
           e->RemoveParameter(e->entry(), k);
         }
       }},
      {"RemoveParameter, 100 from the front", Idle,
       [](Editor* e) {
         for (int k = 0; k < 100; ++k) e->RemoveParameter(e->entry(), 1);
       }},
      {"RemoveParameters, all but one", Idle,
       [=](Editor* e) {
         std::vector<int64_t> numbers;
         for (int64_t k = count_of(e); --k > 0;) numbers.push_back(k);
         e->RemoveParameters(e->entry(), numbers);
       }},
      {"AddResult, 100 times", Wide,
       [](Editor* e) {
         const InstructionRef x = All(*e)[0];
         for (int k = 0; k < 100; ++k) e->AddResult(e->entry(), x);
       }},
      {"AddResults, all", Chain,
       [](Editor* e) { e->AddResults(e->entry(), All(*e)); }},
      {"RemoveResult, 100 times", Wide,
       [](Editor* e) {
         for (int k = 0; k < 100; ++k) e->RemoveResult(e->entry(), 0);
       }},
      {"RemoveResults, half", Wide,
       [](Editor* e) {
         const InstructionRef root = e->root(e->entry());
         const size_t count = e->operands(root).size();
         std::vector<int64_t> half;
         for (size_t k = 0; k < count / 2; ++k) {
           half.push_back(static_cast<int64_t>(k));
         }
         e->RemoveResults(e->entry(), half);
       }},
  };
}

std::vector<Row> Passes() {
  std::vector<Row> rows;
  for (const auto& [name, make] : {std::pair<const char*, Make>{"chain", Chain},
                                   {"wide", Wide},
                                   {"parameters", Parameters},
                                   {"calls", CallsOfOne},
                                   {"computations", Computations}}) {
    const auto add = [&rows, name = name, make = make](const char* pass,
                                                       Edit edit) {
      // Rows live as long as the program.
      rows.push_back(
          {(new std::string(absl::StrCat(pass, ", ", name)))->c_str(), make,
           std::move(edit)});
    };
    add("RemoveDeadCode", [](Editor* e) { RemoveDeadCode(e); });
    add("MergeCommonSubexpressions",
        [](Editor* e) { MergeCommonSubexpressions(e); });
    add("FoldConstants", [](Editor* e) { FoldConstants(e); });
    add("InlineCalls", [](Editor* e) { InlineCalls(e); });
    add("ExtractCone, half", [](Editor* e) {
      const std::vector<InstructionRef> all = All(*e);
      ExtractCone(e, {all[all.size() / 2]});
    });
  }
  rows.push_back({"RemoveDeadCode, all of it", Chain, [](Editor* e) {
                    e->SetRoot(e->entry(), All(*e)[1]);
                    RemoveDeadCode(e);
                  }});
  rows.push_back({"FoldConstants, constants", Constants,
                  [](Editor* e) { FoldConstants(e); }});
  rows.push_back({"ConstantsToParameters", Constants,
                  [](Editor* e) { ConstantsToParameters(e); }});
  return rows;
}

// Reductions work on modules: the first ten tests, all of which pass.
std::vector<Row> Reductions() {
  std::vector<Row> rows;
  const std::pair<const char*, Make> makes[] = {
      {"ReduceModule, chain", Chain},
      {"ReduceModule, wide", Wide},
      {"ReduceModule, parameters", Parameters},
      {"ReduceModule, idle", Idle},
      {"ReduceModule, calls", CallsOfOne},
      {"ReduceModule, computations", Computations}};
  for (const auto& [name, make] : makes) rows.push_back({name, make, nullptr});
  return rows;
}

// Of this process: other work on the machine doesn't count. Nothing, once it
// was said why, where what is made of the module is refused.
std::optional<double> Seconds(const Row& row, Module module) {
  const std::clock_t start = std::clock();
  if (row.edit == nullptr) {
    ReduceOptions options;
    options.max_tests = 10;
    ReduceModule(
        std::move(module), [](const Module&) { return false; }, options);
  } else {
    Editor editor(std::move(module));
    row.edit(&editor);
    const EditResult result = editor.Finish();
    if (!result.ok()) {
      std::printf(" left out |");
      std::fprintf(stderr, "%s: %s\n", row.name, result.text().c_str());
      return std::nullopt;
    }
  }
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

void Run(const std::vector<Row>& rows, const std::string& part) {
  for (const Row& row : rows) {
    if (!absl::StrContains(row.name, part)) continue;
    std::printf("| %s |", row.name);
    double before = 0;
    for (const int64_t n : kSizes) {
      const std::optional<double> first = Seconds(row, row.make(n));
      if (!first.has_value()) break;
      double seconds = *first;
      for (int again = 0; again < 2 && seconds < 0.5; ++again) {
        seconds = std::min(seconds, *Seconds(row, row.make(n)));
      }
      std::printf(" %.1f", seconds * 1000);
      if (before > 0) std::printf(" (%.0f)", seconds / before);
      std::printf(" |");
      std::fflush(stdout);
      before = seconds;
      if (seconds * 10 > kLimit) break;
    }
    std::printf("\n");
  }
}

}  // namespace
}  // namespace indim

int main(int argc, char** argv) {
  const std::string part = argc > 1 ? argv[1] : "";
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::printf("| ms | 1,000 | 10,000 | 100,000 |\n| --- | --- | --- | --- |\n");
  for (const auto& rows :
       {indim::Looking(), indim::Changing(), indim::OfCalls(),
        indim::OfSignatures(), indim::Passes(), indim::Reductions()}) {
    indim::Run(rows, part);
  }
  return 0;
}
