// Reports: diagnostics about a module, and how people see them.
//
//   affine.cc:14: error: add can't match f32[8,10] with f32[10]: ranks differ,
//   no broadcast_dimensions given  [IND0007]
//       %dot.3 = f32[8,10] dot(%x, %w)        affine.cc:14
//       %bias  = f32[10] parameter(2)         affine.cc:13
//     to fix: Add(dot.3, bias, {1}) matches dim 0 of bias with dim 1 of dot.3
//     (10 = 10)

#ifndef INDIM_IR_REPORT_H_
#define INDIM_IR_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "indim/ir/module.h"
#include "indim/shape/diagnostic.h"

namespace indim {

// A diagnostic and the instruction it is about.
struct ModuleDiagnostic {
  Diagnostic diagnostic;
  uint32_t computation = 0;
  uint32_t instruction = 0;  // position in the computation
};

// What a pass found. At most kMaxPerRule of one rule are kept; the rest is
// counted.
class Report {
 public:
  static constexpr int kMaxPerRule = 20;

  void Add(ModuleDiagnostic diagnostic);

  const std::vector<ModuleDiagnostic>& diagnostics() const {
    return diagnostics_;
  }
  // All that were added, those not kept included.
  int64_t error_count() const { return errors_; }
  int64_t warning_count() const { return warnings_; }
  // How many of `rule` were added but not kept.
  int64_t dropped(Rule rule) const;
  bool ok() const { return errors_ == 0; }

 private:
  std::vector<ModuleDiagnostic> diagnostics_;
  std::vector<int64_t> per_rule_;
  int64_t errors_ = 0;
  int64_t warnings_ = 0;
};

// One instruction on one line, in HLO text: "%dot.3 = f32[8,10] dot(%x, %w)".
// Layouts and attributes are left out.
std::string InstructionText(const Instruction& instruction);

// The message alone: FormatMessage for the instruction's operands and shape.
std::string MessageText(const Module& module, const ModuleDiagnostic& d);

// The whole thing, as above, ending in a newline.
std::string RenderDiagnostic(const Module& module, const ModuleDiagnostic& d);

// All diagnostics, then a line per rule of which some were not kept.
std::string RenderReport(const Module& module, const Report& report);

// OK when the report has no error; otherwise InvalidArgument whose message is
// the first rendered error, with the count of the others.
absl::Status ToStatus(const Module& module, const Report& report);

}  // namespace indim

#endif  // INDIM_IR_REPORT_H_
