// Refine: symbols and parameters get values, and the whole graph is inferred
// again. What was dynamic becomes static where the values say so.
//
//   RefineOptions options;
//   options.scope.State("n == 8");
//   options.parameters.push_back({"x", *ParseShape("f32[8,128]")});
//   RefineResult refined = Refine(module, options);
//   if (!refined.report.ok()) std::cerr << RenderRefinement(module, refined);

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
  // Values of symbols and facts about them.
  SymbolScope scope;
  // Shapes of parameters of the entry, by name or number ("0").
  std::vector<std::pair<std::string, Shape>> parameters;
};

// Adds what one text says: "n=8" or "n=2*m" (a symbol's value), "x=f32[8,128]"
// (a parameter's shape), "n>=1", "n%8==0" (facts). InvalidArgument: none of
// these, or it contradicts what was said before.
absl::Status AddSetting(absl::string_view text, RefineOptions* options);

struct RefineResult {
  Module module;  // every instruction where it was, with its new shape
  Report report;

  bool ok() const { return report.ok(); }
};

// A parameter's shape gives its symbols their values everywhere: x of f32[n,4]
// that is f32[8,4] makes n 8. A computation that is called from one place only
// gets its parameters' shapes from there. Then everything that can be inferred
// is, all that was recorded forgotten (InferShapes with drop). What is certain
// now is settled (passes/sizes/fold_known_sizes.h): shape assertions that hold
// are empty tuples after it, reshapes to sizes that are known are static. A
// symbol for which the graph leaves one number (a dot of f32[8,4] and f32[k,m]
// needs k == 4) gets that. Last, all is verified (VerifyShapes).
//
// Errors, at the op that they come up at: IND0190 no such parameter, IND0191 a
// shape that the parameter can't have, IND0192 a recorded shape that
// contradicts the values, IND0193 equations that no sizes meet, IND0194 a shape
// assertion that fails; and all that inference and verification say of the new
// shapes.
RefineResult Refine(Module module, const RefineOptions& options);

// The symbols that sizes of the module name, and those that facts about these
// name, with what is known of each (of two that share a name: of the last).
std::map<std::string, SymbolFacts> SymbolsOf(const Module& module);

// Some size of the module has neither a number nor a bound: it is a symbol or
// `?`.
bool HasOpenSizes(const Module& module);

// RenderReport of result.report, each error followed by the chain of ops that
// leads there: the changed operands, from the parameter on, with the shapes
// that they had in `before`. `file` as of RenderDiagnostic.
std::string RenderRefinement(const Module& before, const RefineResult& result,
                             absl::string_view file = "");

}  // namespace indim

#endif  // INDIM_PASSES_SIZES_REFINE_H_
