// SPDX-License-Identifier: Apache-2.0
// HloPrinter: the printer behind PrintHloText (print_hlo_text.h). One object
// prints one module.
//
// It formats the common parts of instructions (shapes, attributes, metadata)
// once, and later copies them from where they were first printed.

#ifndef INDIM_TEXT_PRINT_HLO_PRINTER_H_
#define INDIM_TEXT_PRINT_HLO_PRINTER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module.h"
#include "indim/ir/module_access.h"
#include "indim/text/attributes/attribute_text.h"
#include "indim/text/base/print_options.h"
#include "indim/text/base/printed_names.h"
#include "indim/text/base/text_buffer.h"
#include "indim/text/print/async_shorthand.h"
#include "indim/text/print/line_forms.h"
#include "indim/text/print/print_order.h"
#include "indim/text/print/printed_metadata.h"
#include "indim/text/print/shape_printer.h"

namespace indim {

class HloPrinter {
 public:
  // `module` must outlive this.
  HloPrinter(const Module& module, const PrintOptions& options);

  std::string Print();
  // Prints in pieces; for the result see PrintHloText (print_hlo_text.h).
  absl::Status PrintTo(absl::FunctionRef<void(absl::string_view)> sink);

  // The text before tables and computations: "HloModule m, ...".
  std::string HeaderText();
  // One instruction as in Print, without indent: "ROOT %x = f32[2]{0} add(%a,
  // %b)"; if !named, without its name and ROOT. Names are never canonical.
  std::string InstructionText(uint32_t computation, uint32_t i,
                              bool named = true);
  // The name as Print shows it at its definition, with ENTRY: "ENTRY %main".
  std::string ComputationName(uint32_t computation) const;

 private:
  using Subcomputations = PrintOptions::Subcomputations;

  // Deep enough for any reader, and far from the end of the stack.
  static constexpr int kMaxBodyDepth = 200;

  // A computation while it is printed.
  struct Scope {
    uint32_t computation;
    int indent;  // of its instructions
    // The N of tmp_N by position, from 1; 0: none yet. Empty unless names are
    // canonical.
    std::vector<uint32_t> canonical;
    uint32_t canonical_count = 0;
  };

  // --- hlo_printer.cc: modules and computations -----------------------------
  void PrintModule();
  void PrintHeader();
  void PrintComputations();
  // Called between two lines of an outermost computation: if there is enough
  // text, passes it to the sink and drops all pieces in it.
  void HandOn();
  // Sorted by size, then by text.
  std::vector<uint32_t> SortedComputations();
  void PrintComputation(uint32_t computation, int indent, bool is_nested);
  void PrintInstruction(Scope* scope, uint32_t i);
  // Prints "%x = ", with ROOT; PrintRightHandSide prints the rest.
  void PrintLeftHandSide(Scope* scope, uint32_t i);
  // Fills `form` with the positions of its parts, unless it is null.
  void PrintRightHandSide(Scope* scope, uint32_t i, LineForm* form = nullptr);
  // Prints the whole line.
  void PrintForm(const LineForm& form, const Scope& scope, uint32_t i);
  void PrintIndent(int indent) {
    out_.Append(2 * static_cast<size_t>(indent), ' ');
  }

  // --- hlo_printer_operands.cc: the text before the attributes --------------
  void PrintName(absl::string_view name);
  // Whether instructions show their names unchanged.
  bool HasPlainNames() const {
    return options_.ids && !options_.canonical_names;
  }
  // Writes the name of the instruction at `position` of the module to a buffer
  // with room for it; returns the end. Only for plain names.
  char* WriteName(uint32_t position, char* to) const {
    *to = '%';
    return names_.WriteInstruction(position, to + (options_.percent ? 1 : 0));
  }
  void PrintInstructionName(Scope* scope, uint32_t i);
  void PrintOpcode(const Scope& scope, uint32_t i);
  void PrintOperands(Scope* scope, uint32_t i);
  void PrintOperand(Scope* scope, uint32_t i);
  void PrintTupleElement(Scope* scope, uint32_t i);
  void PrintConstant(const Instruction& instruction);

  // --- hlo_printer_attributes.cc --------------------------------------------

  // Prints all attributes before metadata. These two return the piece of the
  // callees.
  TextBuffer::Piece PrintAttributes(const Scope& scope, uint32_t i,
                                    AttributePieces* kept);
  // Prints the op's own attributes, callees, devices, control predecessors.
  TextBuffer::Piece PrintExtraAttributes(const Scope& scope, uint32_t i,
                                         const PrintOptions& options,
                                         AttributePieces* kept);
  // Prints the thread of an async-start, and PrintExtraAttributes' text of the
  // op that it wraps.
  void PrintAsyncAttributes(const Scope& scope, uint32_t i,
                            const PrintOptions& options);
  void PrintControlPredecessors(const Scope& scope, uint32_t i);

  // --- hlo_printer_callees.cc -----------------------------------------------

  // Prints the callees of an instruction that has some.
  void PrintCallees(const Scope& scope, uint32_t i);
  void PrintBody(const Scope& scope, uint32_t callee);

  void Append(absl::string_view text) { out_.Append(text); }
  void Append(char c) { out_.Append(c); }
  // Switches to a colour of text_colors.h, if colours are on.
  void Color(absl::string_view code) {
    if (options_.color) Append(code);
  }

  const InstructionRecord& Record(uint32_t computation, uint32_t i) const {
    return data_.instructions[data_.computations[computation].first + i];
  }
  Instruction At(uint32_t computation, uint32_t i) const {
    return internal::InstructionOf(&data_, computation, i);
  }

  // Nested bodies of computations.
  struct Bodies {
    int depth = 0;
    size_t begin = 0;       // where the outermost begins
    uint64_t text = 0;      // the size of earlier ones
    bool left_out = false;  // names replaced some
  };

  const Module& module_;
  const ModuleData& data_;
  const PrintedNames names_;
  const PrintOptions options_;
  InstructionOrder order_;
  TextBuffer out_;
  PrintedMetadata metadata_;
  ShapePrinter shapes_;
  LineForms forms_;
  const AsyncShorthand async_;
  Bodies bodies_;
  // Receives the text; null: all of it is kept.
  const absl::FunctionRef<void(absl::string_view)>* sink_ = nullptr;
};

}  // namespace indim

#endif  // INDIM_TEXT_PRINT_HLO_PRINTER_H_
