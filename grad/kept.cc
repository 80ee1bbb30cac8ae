// SPDX-License-Identifier: Apache-2.0
#include "indim/grad/kept.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "indim/grad/linearizer.h"
#include "indim/grad/rules.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"

namespace indim {
namespace internal {
namespace {

bool IsElement(const Instruction& node) {
  return node.opcode() == Opcode::kGetTupleElement;
}

// Element `index` of a tuple that was put together; nullopt: it wasn't.
std::optional<Instruction> ElementOfTuple(const Instruction& tuple,
                                          int64_t index) {
  if (tuple.opcode() != Opcode::kTuple) return std::nullopt;
  return tuple.operand(static_cast<int>(index));
}

// The instruction that computes a value which costs nothing to make from it.
Instruction WithoutFree(Instruction node) {
  while (node.operand_count() == 1 &&
         GradientRuleOf(node.opcode()).has(kFree)) {
    Instruction from = node.operand(0);
    if (IsElement(node)) {
      const std::optional<Instruction> element = ElementOfTuple(
          from, As<GetTupleElementAttributes>(node.attributes()).index);
      if (!element) return node;
      from = *element;
    }
    node = from;
  }
  return node;
}

// What computes a value, in the computations that are called for it; the steps
// of loops on whose stacks it is are in `steps`.
Instruction SourceOf(Instruction node, int64_t* steps) {
  while (true) {
    node = WithoutFree(node);
    std::optional<Instruction> inner;
    if (node.opcode() == Opcode::kCall) inner = node.callee(0).root();
    if (IsElement(node)) {
      const int64_t index =
          As<GetTupleElementAttributes>(node.attributes()).index;
      const Instruction tuple = node.operand(0);
      if (tuple.opcode() == Opcode::kCall) {
        inner = ElementOfTuple(tuple.callee(0).root(), index);
      } else if (tuple.opcode() == Opcode::kWhile) {
        inner = ElementOfTuple(tuple.callee(0).root(), index);
        if (inner && inner->opcode() != Opcode::kDynamicUpdateSlice)
          return node;
        if (inner) {
          *steps *= inner->shape().dim(0).size();
          inner = inner->operand(1);
        }
      }
    }
    if (!inner) return node;
    node = *inner;
  }
}

KeptValue KeptValueOf(const Instruction& node) {
  KeptValue kept;
  const std::vector<Shape> leaves = LeafShapes(node.shape());
  for (const Shape& leaf : leaves) {
    if (!leaf.is_array()) continue;
    const int bits = Info(leaf.element_type()).bits;
    kept.bytes += (leaf.ElementCount().value_or(0) * bits + 7) / 8;
  }
  const Instruction source = SourceOf(node, &kept.steps);
  kept.shape = source.shape().WithoutLayout();
  kept.opcode = source.opcode();
  kept.name = source.text_name();
  kept.location = source.location();
  if (kept.location.file.empty()) kept.location = node.location();
  kept.op_name =
      std::string(FieldList(WireMessage::kOpMetadata, source.metadata())
                      .Text(field::OpMetadata::kOpName));
  return kept;
}

}  // namespace

std::vector<KeptValue> KeptValues(const Module& derivative, int64_t reverse,
                                  int64_t last) {
  const Computation entry = derivative.entry();
  std::vector<bool> is_kept(static_cast<size_t>(entry.instruction_count()));
  for (const Instruction node : entry.instructions()) {
    if (node.id() < reverse || node.id() > last) continue;
    for (const Instruction operand : node.operands()) {
      const Instruction value = WithoutFree(operand);
      if (value.id() >= reverse || value.operand_count() == 0) continue;
      is_kept[static_cast<size_t>(value.index())] = true;
    }
  }
  std::vector<KeptValue> all;
  for (const Instruction node : entry.instructions()) {
    if (is_kept[static_cast<size_t>(node.index())]) {
      all.push_back(KeptValueOf(node));
    }
  }
  absl::c_stable_sort(all, [](const KeptValue& a, const KeptValue& b) {
    return a.bytes > b.bytes;
  });
  return all;
}

}  // namespace internal

std::string KeptText(absl::Span<const KeptValue> kept) {
  int64_t bytes = 0;
  for (const KeptValue& value : kept) bytes += value.bytes;
  std::string text =
      absl::StrCat("kept from forward to reverse: ", bytes, " bytes in ",
                   kept.size(), kept.size() == 1 ? " value\n" : " values\n");
  for (const KeptValue& value : kept) {
    absl::StrAppend(&text, "  ", value.bytes);
    if (value.steps > 1) {
      absl::StrAppend(&text, " = ", value.steps, " steps x ",
                      value.bytes / value.steps);
    }
    absl::StrAppend(&text, ": ", value.shape.ToString(), " ",
                    Info(value.opcode).wire, " %", value.name);
    if (!value.location.file.empty()) {
      absl::StrAppend(&text, ", ", value.location.file, ":",
                      value.location.line);
    }
    if (!value.op_name.empty()) absl::StrAppend(&text, ", ", value.op_name);
    absl::StrAppend(&text, "\n");
  }
  return text;
}

}  // namespace indim
