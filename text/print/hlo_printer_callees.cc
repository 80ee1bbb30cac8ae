// SPDX-License-Identifier: Apache-2.0
// Prints the callees of an instruction: names, or the bodies.

#include "indim/ir/module_access.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/shape/types/element_type.h"
#include "indim/text/print/hlo_printer.h"

namespace indim {
namespace {

using field::HloInstructionProto::kIsComposite;

// How the callees of an opcode are spelled.
enum class Spelling {
  kCalls,      // calls=%a, %b
  kToApply,    // to_apply=%a
  kCallees,    // called_computations={%a, %b}
  kWhile,      // condition=%a, body=%b
  kScatter,    // select=%a, scatter=%b
  kBranches,   // branch_computations={%a, %b}
  kTrueFalse,  // true_computation=%a, false_computation=%b
  kNothing,
};

bool IsSequential(Opcode opcode) {
  return CallsAsControlFlow(opcode) && !IsAsync(opcode);
}

Spelling SpellingOfBranches(const Instruction& conditional) {
  // Two branches have names; another number of branches is printed as a list.
  if (conditional.operand_count() == 0 || conditional.callee_count() != 2) {
    return Spelling::kBranches;
  }
  const Shape& selector = conditional.operand(0).shape();
  return selector.is_array() && selector.element_type() == ElementType::kPred
             ? Spelling::kTrueFalse
             : Spelling::kBranches;
}

// `bodies`: XLA's spelling before inline bodies, where reduce-scatter and scan
// use calls=. `recorded`: an async-update prints its callee, because it may
// differ from its start's.
Spelling SpellingOf(const Instruction& instruction, bool bodies,
                    bool recorded) {
  const Opcode opcode = instruction.opcode();
  switch (Info(opcode).callee_form) {
    case CalleeForm::kBodyAndCondition:
      return Spelling::kWhile;
    case CalleeForm::kSelectAndScatter:
      return Spelling::kScatter;
    case CalleeForm::kBranches:
      return SpellingOfBranches(instruction);
    case CalleeForm::kApplied:
      return bodies && (opcode == Opcode::kReduceScatter ||
                        opcode == Opcode::kScan)
                 ? Spelling::kCalls
                 : Spelling::kToApply;
    case CalleeForm::kCalled:
      return Spelling::kToApply;
    case CalleeForm::kListed:
      return Spelling::kCallees;
    case CalleeForm::kOfStart:
      return recorded ? Spelling::kCalls : Spelling::kNothing;
    default:
      return Spelling::kCalls;
  }
}

// The names of callees that are printed separately, in the order of the text,
// and the index of each callee.
struct NamedCallees {
  absl::string_view names[2];
  int callees[2];
};
NamedCallees NamesOf(Spelling spelling) {
  switch (spelling) {
    case Spelling::kWhile:
      return {{"condition", "body"}, {1, 0}};
    case Spelling::kScatter:
      return {{"select", "scatter"}, {0, 1}};
    case Spelling::kTrueFalse:
      return {{"true_computation", "false_computation"}, {0, 1}};
    default:
      return {{"to_apply", ""}, {0, 1}};
  }
}

bool IsComposite(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kCall &&
         internal::FieldsOf(instruction).Number(kIsComposite) != 0;
}

}  // namespace

void HloPrinter::PrintCallees(const Scope& scope, uint32_t i) {
  const Instruction instruction = At(scope.computation, i);
  if (options_.subcomputations == Subcomputations::kNone) return;
  if (options_.subcomputations == Subcomputations::kNonSequentialBodies &&
      IsSequential(instruction.opcode())) {
    return;
  }
  const Spelling spelling =
      SpellingOf(instruction, ShowsBodies(options_), data_.recorded);
  const absl::string_view newline = ShowsBodies(options_) ? "\n" : "";
  const auto print = [&](int callee) {
    const uint32_t c =
        static_cast<uint32_t>(instruction.callee(callee).index());
    if (ShowsBodies(options_)) {
      PrintBody(scope, c);
    } else {
      PrintName(names_.computation(c));
    }
  };
  const auto print_all = [&](absl::string_view separator) {
    for (int k = 0; k < instruction.callee_count(); ++k) {
      if (k > 0) Append(separator);
      print(k);
    }
  };
  switch (spelling) {
    case Spelling::kNothing:
      return;
    case Spelling::kCalls:
      if (!ShowsBodies(options_) && async_.Of(scope.computation, i)) return;
      Append(", calls=");
      Append(newline);
      print_all(", ");
      return;
    case Spelling::kCallees:
    case Spelling::kBranches:
      Append(spelling == Spelling::kCallees ? ", called_computations={"
                                            : ", branch_computations={");
      Append(newline);
      print_all(ShowsBodies(options_) ? ",\n" : ", ");
      Append(newline);
      Append('}');
      return;
    case Spelling::kToApply:
      Append(", to_apply=");
      Append(newline);
      print(0);
      if (IsComposite(instruction)) Append(", is_composite=true");
      return;
    case Spelling::kWhile:
    case Spelling::kScatter:
    case Spelling::kTrueFalse: {
      const NamedCallees named = NamesOf(spelling);
      for (int k = 0; k < 2; ++k) {
        if (named.callees[k] >= instruction.callee_count()) continue;
        Append(", ");
        Append(named.names[k]);
        Append('=');
        Append(newline);
        print(named.callees[k]);
      }
      return;
    }
  }
}

void HloPrinter::PrintBody(const Scope& scope, uint32_t callee) {
  if (bodies_.depth == 0) bodies_.begin = out_.size();
  const uint64_t printed = bodies_.text + (out_.size() - bodies_.begin);
  if (bodies_.depth >= kMaxBodyDepth || printed >= options_.max_body_text) {
    bodies_.left_out = true;
    PrintName(names_.computation(callee));
    return;
  }
  ++bodies_.depth;
  PrintComputation(callee, scope.indent, /*is_nested=*/true);
  if (--bodies_.depth == 0) bodies_.text += out_.size() - bodies_.begin;
}

}  // namespace indim
