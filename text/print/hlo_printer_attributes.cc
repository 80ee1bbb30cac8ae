// SPDX-License-Identifier: Apache-2.0
// Prints the part after an instruction's operands.

#include <string>

#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/text/attributes/attribute_text.h"
#include "indim/text/print/hlo_printer.h"

namespace indim {
namespace {

using field::HloInstructionProto::kAsyncExecutionThread;
using field::HloInstructionProto::kControlPredecessorIds;
using field::HloInstructionProto::kFrontendAttributes;

}  // namespace

TextBuffer::Piece HloPrinter::PrintAttributes(const Scope& scope, uint32_t i,
                                              AttributePieces* kept) {
  const Instruction instruction = At(scope.computation, i);
  const TextBuffer::Piece callees =
      PrintExtraAttributes(scope, i, options_, kept);
  out_.AppendOnce(&kept->late, [&] {
    out_.AppendWith([&](std::string* to) {
      AppendLateAttributes(instruction, kept->fields, options_, data_.recorded,
                           to);
    });
  });
  return callees;
}

TextBuffer::Piece HloPrinter::PrintExtraAttributes(const Scope& scope,
                                                   uint32_t i,
                                                   const PrintOptions& options,
                                                   AttributePieces* kept) {
  const Instruction instruction = At(scope.computation, i);
  if (options.extra_attributes) {
    if (instruction.opcode() == Opcode::kAsyncStart ||
        (data_.recorded && IsAsync(instruction.opcode()))) {
      PrintAsyncAttributes(scope, i, options);
    }
    out_.AppendOnce(&kept->own, [&] {
      out_.AppendWith([&](std::string* to) {
        AppendOpAttributes(instruction, kept->fields, options, data_.recorded,
                           to);
      });
    });
  }
  const size_t callees = out_.size();
  if (instruction.callee_count() > 0) PrintCallees(scope, i);
  const TextBuffer::Piece printed{callees, out_.size() - callees};
  out_.AppendOnce(&kept->devices, [&] {
    out_.AppendWith([&](std::string* to) {
      AppendDeviceAttributes(instruction, kept->fields, options, to);
    });
  });
  if (options.control_predecessors &&
      kept->fields.has(kControlPredecessorIds)) {
    PrintControlPredecessors(scope, i);
  }
  return printed;
}

void HloPrinter::PrintAsyncAttributes(const Scope& scope, uint32_t i,
                                      const PrintOptions& options) {
  const AttributeBytesView attribute_bytes =
      internal::AttributeBytesOf(At(scope.computation, i));
  const absl::string_view thread =
      AttributeBytesField(attribute_bytes, kAsyncExecutionThread);
  if (!thread.empty() && thread != kMainThread) {
    Append(", async_execution_thread=\"");
    Append(thread);
    Append('"');
  }
  const std::optional<uint32_t> wrapped = async_.Of(scope.computation, i);
  if (!wrapped) return;
  // The attributes of async-start come later, and replace those of the op.
  PrintOptions inner = options;
  inner.frontend_attributes =
      options.frontend_attributes &&
      FrontendAttributesText(
          AttributeBytesField(attribute_bytes, kFrontendAttributes)) == "{}";
  inner.original_value = false;
  const Scope scope_inside{*wrapped, scope.indent, {}};
  const uint32_t root = data_.computations[*wrapped].root;
  AttributePieces unkept;
  unkept.fields =
      AttributeBytesFields(internal::AttributeBytesOf(At(*wrapped, root)));
  PrintExtraAttributes(scope_inside, root, inner, &unkept);
  out_.AppendWith([&](std::string* to) {
    AppendLateAttributes(At(*wrapped, root), unkept.fields, inner,
                         data_.recorded, to);
  });
}

void HloPrinter::PrintControlPredecessors(const Scope& scope, uint32_t i) {
  Append(", control-predecessors={");
  absl::string_view separator = "";
  const uint32_t first = data_.computations[scope.computation].first;
  for (uint32_t p : order_.ControlPredecessors(scope.computation, i)) {
    Append(separator);
    PrintName(names_.instruction(first + p));
    separator = ", ";
  }
  Append('}');
}

}  // namespace indim
