// SPDX-License-Identifier: Apache-2.0
// Reports: diagnostics about a module, and their text for people.
//
//   affine.cc:14: error: add can't match f32[8,10] with f32[10]: ranks differ,
//   no broadcast_dimensions given  [IND0007]
//       %dot.3 = f32[8,10] dot(%x, %w)        affine.cc:14
//       %bias  = f32[10] parameter(2)         affine.cc:13
//     to fix: Add(dot.3, bias, {1}) matches dim 0 of bias with dim 1 of dot.3
//     (10 = 10)
//
// The text has, in this order: the place and the message; the instruction,
// where it has a name or a shape; its operands and callees, each with its
// place; a picture of the dims that don't match; and a call that would have
// worked. The place is that in the text that the module was read from
// (file:line:column), which people edit, and the program's line by the metadata
// is a note at the end; of a module that was no text it is the program's line.
// An instruction without either is placed by the file's name, if known, its
// module and its computation. Long parts are shortened and unprintable bytes
// escaped, so any file can be reported.

#ifndef INDIM_IR_REPORT_H_
#define INDIM_IR_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "indim/ir/module.h"
#include "indim/shape/diagnostics/diagnostic.h"

namespace indim {

// A diagnostic and its instruction.
struct ModuleDiagnostic {
  Diagnostic diagnostic;
  uint32_t computation = 0;
  uint32_t instruction = 0;  // position in the computation
};
// The instruction and the computation of a diagnostic about no instruction.
constexpr uint32_t kNowhere = ~uint32_t{0};

// The instruction of `d`; nullopt: `d` is about none, or not about this module.
std::optional<Instruction> InstructionAt(const Module& module,
                                         const ModuleDiagnostic& d);

// The diagnostics that a pass found. It keeps at most `max_per_code` of each
// code and counts the rest.
class Report {
 public:
  static constexpr int64_t kMaxPerCode = 20;

  explicit Report(int64_t max_per_code = kMaxPerCode)
      : max_per_code_(max_per_code) {}

  void Add(ModuleDiagnostic diagnostic);
  // Adds all diagnostics of `other`, counted ones included, except those for
  // which `leave_out` is true. Where it leaves out some of a code, it leaves
  // out the counted ones of that code too.
  void Append(
      const Report& other,
      absl::FunctionRef<bool(const ModuleDiagnostic&)> leave_out =
          [](const ModuleDiagnostic&) { return false; });

  const std::vector<ModuleDiagnostic>& diagnostics() const {
    return diagnostics_;
  }
  // The numbers of all added diagnostics, kept or not.
  int64_t error_count() const { return errors_; }
  int64_t warning_count() const { return warnings_; }
  // How many diagnostics of `code` were added but not kept.
  int64_t dropped(Code code) const;
  bool ok() const { return errors_ == 0; }

 private:
  std::vector<ModuleDiagnostic> diagnostics_;
  int64_t max_per_code_;
  std::vector<int64_t> per_code_;
  int64_t errors_ = 0;
  int64_t warnings_ = 0;
};

// One instruction on one line, in HLO text: "%dot.3 = f32[8,10] dot(%x, %w)",
// "%p = f32[2] parameter(0)", "%c = f32[] constant(1.5)". Without layouts and
// attributes; long lists end in "..., 997 more".
std::string InstructionText(const Instruction& instruction);

// Where the instruction was written, the first of which is where to mend it: in
// the text that was read, and the program's line by the metadata. Those that
// are known.
std::vector<SourceLocation> PlacesOf(const Instruction& instruction);

// The place before a message, with ": " after it: the first of PlacesOf; else
// `file`, if that isn't empty, and the instruction's module and computation. ""
// where nothing is known.
std::string PlacePrefix(const Module& module, const Instruction& instruction,
                        absl::string_view file = "");

// The instruction's places: "affine.hlo:5:3", in the text that was read,
// without its folder; "affine.cc:14", from its metadata; "affine.hlo:5:3,
// affine.cc:14", both; "", none.
std::string PlaceText(const Instruction& instruction);

// The message alone: FormatMessage with the instruction's operands and shape,
// or without them if the module lacks the instruction. `within` as in
// RenderDiagnostic.
std::string MessageText(const Module& module, const ModuleDiagnostic& d,
                        absl::string_view within = "");

// The call that would have worked, without "to fix: "; "" where none is known.
// `within` as in RenderDiagnostic: a composite's caller can't change the calls
// that it is made of.
std::string FixText(const Module& module, const ModuleDiagnostic& d,
                    absl::string_view within = "");

// The whole text, ending in a newline. `within` names the composite that the
// instruction is a part of: the message then says "Softmax's exponential", or,
// for an instruction without an opcode, "Softmax". `file` is the file that the
// module was read from; it precedes a message without a place.
std::string RenderDiagnostic(const Module& module, const ModuleDiagnostic& d,
                             absl::string_view within = "",
                             absl::string_view file = "");

// All diagnostics, then a line for each code with diagnostics that were not
// kept. `file` as in RenderDiagnostic.
std::string RenderReport(const Module& module, const Report& report,
                         absl::string_view file = "");

// OK when the report has no error; else InvalidArgument with the first rendered
// error and the number of others.
absl::Status ToStatus(const Module& module, const Report& report);

}  // namespace indim

#endif  // INDIM_IR_REPORT_H_
