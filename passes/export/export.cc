#include "indim/passes/export/export.h"

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/missing_values.h"
#include "indim/ir/module_access.h"
#include "indim/ir/report.h"
#include "indim/passes/check/infer_shapes.h"
#include "indim/passes/check/verify_module.h"
#include "indim/passes/export/expand_broadcasts.h"
#include "indim/passes/export/expanded_writer.h"
#include "indim/passes/export/lay_out.h"
#include "indim/passes/export/xla_spelling.h"
#include "indim/shape/dims/dim_expr.h"
#include "indim/shape/types/for_each_dim.h"

namespace indim {
namespace {

// Reports why shapes can't be written: each named size of the module once, at
// its first use; unknown ranks and lower bounds once.
class SpellingErrors {
 public:
  explicit SpellingErrors(Report* report) : report_(*report) {}

  void Add(const Instruction& instruction) {
    if (!HasRanks(instruction.shape())) {
      Tell(instruction, "its rank isn't known",
           "give the parameter that it comes from a rank");
    }
    ForEachDim(instruction.shape(), [&](Dim dim) {
      if (dim.is_xla()) return;
      if (!dim.is_symbolic()) {
        Tell(instruction, "it has a dim with a lower bound",
             "give the parameter that it comes from dims that are numbers, "
             "bounds as <=8, or ?");
        return;
      }
      for (const auto& [name, facts] : DimExpr(dim).Symbols()) {
        Tell(instruction, absl::StrCat(name, " is the name of a size"),
             absl::StrCat("give it a value (indim infer --set ", name,
                          "=8, Refine), or write ? in its place (indim convert "
                          "--note-symbols, SymbolsToFrontendAttributes)"));
      }
    });
  }

 private:
  static bool HasRanks(const Shape& shape) {
    return !shape.is_unranked() && absl::c_all_of(shape.elements(), HasRanks);
  }

  // Reports each reason once.
  void Tell(const Instruction& instruction, const std::string& reason,
            std::string fix) {
    if (!reasons_.insert(reason).second) return;
    Diagnostic d;
    d.code = Code::kNoXlaSpelling;
    d.args.push_back(reason);
    d.args.push_back(std::move(fix));
    report_.Add({std::move(d),
                 static_cast<uint32_t>(instruction.computation().index()),
                 static_cast<uint32_t>(instruction.index())});
  }

  Report& report_;
  std::set<std::string> reasons_;
};

// Shapes of the pools that no instruction has don't count. So this checks each
// distinct shape once, then looks for its instruction.
void CheckSpelling(const Module& module, Report* report) {
  const ShapeTable& shapes = internal::DataOf(module).pools->shapes();
  std::vector<bool> bad(shapes.size(), false);
  bool any = false;
  for (uint32_t id = 1; id < shapes.size(); ++id) {
    bad[id] = !HasXlaSpelling(shapes.shape(ShapeId{id}));
    any = any || bad[id];
  }
  const auto is_slice = [](const InstructionRecord& r) {
    return r.opcode == Opcode::kSlice;
  };
  if (!any && absl::c_none_of(internal::DataOf(module).instructions, is_slice))
    return;
  SpellingErrors errors(report);
  for (const Computation computation : module.computations()) {
    for (const Instruction instruction : computation.instructions()) {
      const InstructionRecord& r = internal::RecordOf(instruction);
      if (bad[r.shape.value]) {
        errors.Add(instruction);
      } else if (const int dim = FirstOpenLimit(internal::DataOf(module), r);
                 dim >= 0) {
        Diagnostic d;
        d.code = Code::kSliceWholeOpen;
        d.dim = dim;
        d.operand = 0;
        report->Add({std::move(d), static_cast<uint32_t>(computation.index()),
                     static_cast<uint32_t>(instruction.index())});
      }
    }
  }
}

// XLA can't compile a constant without its values.
void CheckValues(const Module& module, Report* report) {
  for (const Instruction& constant :
       ConstantsWithoutValues(internal::DataOf(module))) {
    report->Add({MissingValuesError("XLA"),
                 static_cast<uint32_t>(constant.computation().index()),
                 static_cast<uint32_t>(constant.index())});
  }
}

ExpandedModule Expand(Module module, ExportCheck check) {
  InferOptions fill;
  fill.only_missing = true;
  InferResult inferred = InferShapes(std::move(module), fill);
  if (!inferred.report.ok()) {
    return {std::move(inferred.module), std::move(inferred.report)};
  }
  const bool all =
      check == ExportCheck::kAll || inferred.module.computation_count() == 0;
  VerifyResult verified =
      all ? VerifyModule(inferred.module) : VerifyShapes(inferred.module);
  if (!verified.ok()) {
    return {std::move(inferred.module), std::move(verified.report)};
  }
  Report unsayable;
  CheckSpelling(inferred.module, &unsayable);
  CheckValues(inferred.module, &unsayable);
  if (!unsayable.ok()) {
    return {std::move(inferred.module), std::move(unsayable)};
  }
  const bool recorded = inferred.module.is_recorded();
  ExpandResult expanded = ExpandBroadcasts(std::move(inferred.module));
  if (all && recorded && expanded.report.ok()) {
    // XLA's builder accepts more than its verifier, which checks the result.
    expanded.report = VerifyShapes(expanded.module).report;
  }
  if (expanded.report.ok())
    expanded.module = LayOut(std::move(expanded.module));
  return {std::move(expanded.module), std::move(expanded.report)};
}

}  // namespace

ExpandedModule ExpandForXla(Module module) {
  return Expand(std::move(module), ExportCheck::kAll);
}

absl::StatusOr<Module> ExportModule(Module module,
                                    const ExportOptions& options) {
  ExpandedModule expanded =
      Expand(std::move(module),
             options.verify ? ExportCheck::kAll : ExportCheck::kShapes);
  if (!expanded.report.ok()) return ToStatus(expanded.module, expanded.report);
  return std::move(expanded.module);
}

}  // namespace indim
