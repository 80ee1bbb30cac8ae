// Prints the part after an instruction's operands.

#include <string>

#include "indim/text/attributes/attribute_text.h"
#include "indim/text/base/text_colors.h"
#include "indim/text/print/hlo_printer.h"
#include "indim/wire/attribute_bytes.h"
#include "indim/wire/field_list.h"
#include "indim/wire/field_numbers.h"

namespace indim {
namespace {

using field::HloInstructionProto::kAsyncExecutionThread;
using field::HloInstructionProto::kControlPredecessorIds;
using field::HloInstructionProto::kFrontendAttributes;

}  // namespace

HloPrinter::AttributePieces* HloPrinter::FindAttributes(uint32_t computation,
                                                        uint32_t i) {
  const InstructionRecord& record = Record(computation, i);
  FormKey key = MakeNodeKey<1>(record.opcode, 0, 0, MetadataId(), ShapeId(),
                               record.attribute_bytes);
  if (OpAttributesDependOnShapes(record.opcode)) {
    // A comparison's type depends on its first operand; other such ops are
    // rare.
    if (record.opcode != Opcode::kCompare || record.operand_count == 0) {
      return nullptr;
    }
    const uint32_t operand = data_.Operands(record)[0];
    AddPart(0, Record(computation, operand).shape.value, &key);
  }
  const uint64_t hash = HashOf(key);
  const auto known = attribute_index_.Find(
      hash, [&](uint32_t k) { return SameKey(attributes_[k].key, key); });
  if (known) return &attributes_[*known];
  attribute_index_.Insert(hash, static_cast<uint32_t>(attributes_.size()));
  AttributePieces& pieces = attributes_.emplace_back();
  pieces.key = key;
  pieces.fields = AttributeBytesFields(
      data_.pools->attribute_bytes(record.attribute_bytes));
  return &pieces;
}

HloPrinter::Piece HloPrinter::PrintAttributes(const Scope& scope, uint32_t i,
                                              AttributePieces* kept) {
  const Instruction instruction = At(scope.computation, i);
  const Piece callees = PrintExtraAttributes(scope, i, options_, kept);
  Print(&kept->late, [&] {
    out_.AppendWith([&](std::string* to) {
      AppendLateAttributes(instruction, kept->fields, options_, data_.recorded,
                           to);
    });
  });
  return callees;
}

HloPrinter::Piece HloPrinter::PrintExtraAttributes(const Scope& scope,
                                                   uint32_t i,
                                                   const PrintOptions& options,
                                                   AttributePieces* kept) {
  const Instruction instruction = At(scope.computation, i);
  if (options.extra_attributes) {
    if (instruction.opcode() == Opcode::kAsyncStart ||
        (data_.recorded && IsAsync(instruction.opcode()))) {
      PrintAsyncAttributes(scope, i, options);
    }
    Print(&kept->own, [&] {
      out_.AppendWith([&](std::string* to) {
        AppendOpAttributes(instruction, kept->fields, options, data_.recorded,
                           to);
      });
    });
  }
  const size_t callees = out_.size();
  if (instruction.callee_count() > 0) PrintCallees(scope, i);
  const Piece printed{callees, out_.size() - callees};
  Print(&kept->devices, [&] {
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
  const std::optional<uint32_t> wrapped = Sugared(scope.computation, i);
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

void HloPrinter::PrintMetadata(MetadataId metadata) {
  if (!options_.metadata || !metadata) return;
  Print(&metadata_pieces_[metadata.value], [&] {
    const size_t begin = out_.size();
    Color(kColorDim);
    if (metadata_.AppendText(", metadata=", metadata, &out_)) {
      Color(kColorEnd);
    } else {
      out_.Truncate(begin);
    }
  });
}

std::optional<uint32_t> HloPrinter::Wrapped(uint32_t computation,
                                            uint32_t i) const {
  // An update or done that names no computation has its start's.
  std::vector<uint32_t> chain;
  std::optional<uint32_t> result;
  const uint32_t first = data_.computations[computation].first;
  for (;;) {
    const InstructionRecord& record = Record(computation, i);
    if (!IsAsync(record.opcode)) break;
    if (record.callee_count > 0) {
      result = data_.Callees(record)[0];
      break;
    }
    const auto known = wrapped_.find(first + i);
    if (known != wrapped_.end()) {
      result = known->second;
      break;
    }
    chain.push_back(first + i);
    if (record.operand_count == 0) break;
    i = data_.Operands(record)[0];
  }
  for (uint32_t position : chain) wrapped_.emplace(position, result);
  return result;
}

std::optional<uint32_t> HloPrinter::Sugared(uint32_t computation,
                                            uint32_t i) const {
  if (!options_.async_sugar || !IsAsync(Record(computation, i).opcode)) {
    return std::nullopt;
  }
  const std::optional<uint32_t> wrapped = Wrapped(computation, i);
  if (!wrapped || !is_single_[*wrapped]) return std::nullopt;
  // An async op in an async op is printed unchanged: sugar has one level.
  return wrapped;
}

}  // namespace indim
