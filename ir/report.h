// Reports: diagnostics about a module, and how people see them.
//
//   affine.cc:14: error: add can't match f32[8,10] with f32[10]: ranks differ,
//   no broadcast_dimensions given  [IND0007]
//       %dot.3 = f32[8,10] dot(%x, %w)        affine.cc:14
//       %bias  = f32[10] parameter(2)         affine.cc:13
//     to fix: Add(dot.3, bias, {1}) matches dim 0 of bias with dim 1 of dot.3
//     (10 = 10)
//
// First the place (that of its metadata; else, of HLO text, file:line:column;
// of an instruction without either: the file's name, where it is known, and its
// module and computation) and the
// message; then the instruction, where it has a name or a shape of its own, its
// operands and the computations it calls, each with its place; a picture of the
// dims that don't match; and the call that would have worked. What is long is
// shortened, what isn't printable escaped: any file can be reported.

#ifndef INDIM_IR_REPORT_H_
#define INDIM_IR_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "indim/ir/module.h"
#include "indim/shape/rules/diagnostic.h"

namespace indim {

// A diagnostic and the instruction it is about.
struct ModuleDiagnostic {
  Diagnostic diagnostic;
  uint32_t computation = 0;
  uint32_t instruction = 0;  // position in the computation
};
// The instruction (and computation) of what is about none.
constexpr uint32_t kNowhere = ~uint32_t{0};

// That instruction, with its places; nullopt: the diagnostic is about none, or
// not about this module.
std::optional<Instruction> InstructionAt(const Module& module,
                                         const ModuleDiagnostic& d);

// What a pass found. Of one rule only so many are kept (kMaxPerRule, unless
// told otherwise); the rest is counted.
class Report {
 public:
  static constexpr int64_t kMaxPerRule = 20;

  explicit Report(int64_t max_per_rule = kMaxPerRule)
      : max_per_rule_(max_per_rule) {}

  void Add(ModuleDiagnostic diagnostic);
  // Adds all that `other` has, those not kept included, but for what
  // `leave_out` is true of (of a rule of which something is left out, those not
  // kept count as left out too).
  void Append(
      const Report& other,
      absl::FunctionRef<bool(const ModuleDiagnostic&)> leave_out =
          [](const ModuleDiagnostic&) { return false; });

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
  int64_t max_per_rule_;
  std::vector<int64_t> per_rule_;
  int64_t errors_ = 0;
  int64_t warnings_ = 0;
};

// One instruction on one line, in HLO text: "%dot.3 = f32[8,10] dot(%x, %w)",
// "%p = f32[2] parameter(0)", "%c = f32[] constant(1.5)". Layouts and
// attributes are left out, long lists end in "..., 997 more".
std::string InstructionText(const Instruction& instruction);

// What stands before a message about it: the place of its metadata, else that
// in the HLO text, else `file`, where that isn't empty, and its module and
// computation. With ": " after it; "" where none of them is known.
std::string PlacePrefix(const Module& module, const Instruction& instruction,
                        absl::string_view file = "");

// Where it comes from: "affine.cc:14", its metadata's place; "affine.hlo:5:3",
// that in the HLO text that was read, its folder left out; "affine.cc:14,
// affine.hlo:5:3", both; "", neither.
std::string PlaceText(const Instruction& instruction);

// The message alone: FormatMessage for the instruction's operands and shape. A
// diagnostic about an instruction that the module doesn't have is told without
// them. `within` as of RenderDiagnostic.
std::string MessageText(const Module& module, const ModuleDiagnostic& d,
                        absl::string_view within = "");

// What would have worked, without "to fix: "; "" where nothing is known.
std::string FixText(const Module& module, const ModuleDiagnostic& d);

// The whole thing, as above, ending in a newline. `within`: what the
// instruction is a part of; the message then says "Softmax's exponential", or,
// of an instruction without an opcode, "Softmax".
// `file`: what the module was read from; it stands before what has no place.
std::string RenderDiagnostic(const Module& module, const ModuleDiagnostic& d,
                             absl::string_view within = "",
                             absl::string_view file = "");

// All diagnostics, then a line per rule of which some were not kept. `file` as
// of RenderDiagnostic.
std::string RenderReport(const Module& module, const Report& report,
                         absl::string_view file = "");

// OK when the report has no error; otherwise InvalidArgument whose message is
// the first rendered error, with the count of the others.
absl::Status ToStatus(const Module& module, const Report& report);

}  // namespace indim

#endif  // INDIM_IR_REPORT_H_
