// SPDX-License-Identifier: Apache-2.0
// Refine: gives symbols values and parameters shapes, and infers the whole
// graph again. Dynamic sizes that the values determine become static.
//
//   RefineOptions options;
//   absl::Status status = AddSetting("n=8", &options);
//   RefineResult refined = Refine(module, options);
//   if (!refined.ok()) std::cerr << RenderRefinement(module, refined);

#ifndef INDIM_PASSES_SIZES_REFINE_H_
#define INDIM_PASSES_SIZES_REFINE_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/ir/report.h"
#include "indim/shape/dims/dim_expr.h"
#include "indim/shape/types/shape.h"

namespace indim {

struct RefineOptions {
  // Values of symbols, and facts about them.
  SymbolScope scope;
  // Shapes of the entry's parameters, by name or number ("0").
  std::vector<std::pair<std::string, Shape>> parameters;
};

// Adds one setting: "n=8" or "n=2*m" (a symbol's value), "x=f32[8,128]" (a
// parameter's shape), "n>=1", "n%8==0" (facts). InvalidArgument: `text` is none
// of these, or contradicts an earlier setting. Refine says whether the module
// has such a symbol.
absl::Status AddSetting(absl::string_view text, RefineOptions* options);

struct RefineResult {
  Module module;  // every instruction at its old position, with its new shape
  Report report;

  bool ok() const { return report.ok(); }
};

// A parameter's shape determines its symbols everywhere: if x is f32[n,4] and
// gets f32[8,4], n becomes 8. A computation with one caller gets its
// parameters' shapes from that caller. Then InferShapes with `drop` infers
// everything again, and known sizes are folded
// (passes/sizes/fold_known_sizes.h): shape assertions that hold become empty
// tuples, reshapes to known sizes become static. A symbol for which the graph
// allows one number (a dot of f32[8,4] and f32[k,m] needs k == 4) gets that
// number. Finally VerifyShapes verifies the result.
//
// Errors, each at the op that causes it: IND0190, no such parameter; IND0191, a
// shape that the parameter can't have; IND0192, a recorded shape that
// contradicts the values; IND0193, equations without a solution; IND0194, a
// shape assertion that fails; IND0195, no size of the module has the name of a
// setting (check_settings.h); and the errors of inference and verification for
// the new shapes.
RefineResult Refine(Module module, const RefineOptions& options);

// The symbols that sizes of the module name, and the symbols that facts about
// these name, each with its facts (if two share a name, those of the last).
std::map<std::string, SymbolFacts> SymbolsOf(const Module& module);

// Whether some size of the module is a symbol or `?`, without a number or a
// bound.
bool HasOpenSizes(const Module& module);

// RenderReport of result.report; after each error it shows the chain of ops
// that leads to it: the changed operands, beginning with the parameter, with
// their shapes in `before`. `file` as in RenderDiagnostic.
std::string RenderRefinement(const Module& before, const RefineResult& result,
                             absl::string_view file = "");

}  // namespace indim

#endif  // INDIM_PASSES_SIZES_REFINE_H_
