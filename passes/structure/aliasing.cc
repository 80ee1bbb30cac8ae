// SPDX-License-Identifier: Apache-2.0
// Checks output_to_operand_aliasing, which says which parts of a result share
// memory with parts of operands (XLA: ShapeVerifier::HandleFusion,
// ::HandleCustomCall, ::CheckAsyncOpAliasConfig; InstructionVerifier: calls).

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/passes/structure/checks.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/shape/types/shape_parts.h"

namespace indim::structure {
namespace {

using field::HloInstructionProto::kOutputOperandAliasing;

// The shapes that pairs refer to: the result and the operands.
struct Sides {
  Shape result;
  std::vector<Shape> operands;
};

// The first element of an async operation's result that only the backend knows.
constexpr int64_t kAsyncContext = 2;

// The full result of a start and the parameters of its computation, some of
// which may come with later updates.
Sides OfAsyncStart(const Context& context, const Instruction& start) {
  Sides sides;
  if (start.callee_count() == 0 || !start.shape().is_tuple()) return sides;
  const Computation callee = start.callee(0);
  const uint32_t c = static_cast<uint32_t>(callee.index());
  for (const uint32_t i : context.parameters.Of(c)) {
    sides.operands.push_back(context.At(c, i).shape());
  }
  std::vector<Shape> parts = {
      Shape::Tuple(sides.operands),
      context.At(c, context.data.computations[c].root).shape()};
  const absl::Span<const Shape> recorded = start.shape().elements();
  for (size_t k = kAsyncContext; k < recorded.size(); ++k) {
    parts.push_back(recorded[k]);
  }
  sides.result = Shape::Tuple(std::move(parts));
  return sides;
}

Sides OfOthers(const Instruction& instruction) {
  Sides sides;
  sides.result = instruction.shape();
  for (int k = 0; k < instruction.operand_count(); ++k) {
    sides.operands.push_back(instruction.operand(k).shape());
  }
  return sides;
}

// Whether an alias may connect a buffer and an array: in pin and unpin calls,
// and in async operations.
bool SeesThroughBuffers(const Instruction& instruction) {
  const BufferCall call = BufferCallOf(instruction);
  return IsAsync(instruction.opcode()) || call == BufferCall::kPin ||
         call == BufferCall::kUnpin;
}

// Whether two parts may share memory.
bool Fits(const Instruction& instruction, const Shape& out, const Shape& in) {
  const bool through = SeesThroughBuffers(instruction);
  const auto contents = [&](const Shape& shape) -> const Shape& {
    return through && shape.is_buffer() ? shape.elements()[0] : shape;
  };
  return Compatible(contents(out), contents(in));
}

// Async operations may alias only parts of the result, updates only parts of
// the context.
bool MayAlias(Opcode opcode, const DimIndices& part, bool is_result) {
  if (opcode == Opcode::kAsyncUpdate) {
    return !part.empty() && part[0] == kAsyncContext;
  }
  return opcode != Opcode::kAsyncStart || !is_result || !part.empty();
}

// Checks pair `k` of an instruction's output_to_operand_aliasing.
void CheckPair(Context* context, uint32_t c, uint32_t i, int64_t k,
               const Sides& sides, absl::string_view wire) {
  namespace of = field::OutputOperandAliasing;
  const Instruction instruction = context->At(c, i);
  FieldList pair(WireMessage::kOutputOperandAliasing, wire);
  const int64_t operand = pair.Number(of::kOperandIndex);
  if (operand < 0 || operand >= static_cast<int64_t>(sides.operands.size())) {
    context->Add(Code::kAliasingIndex, c, i, k, instruction.name(),
                 absl::StrCat("operand ", operand));
    return;
  }
  const Shape& from = sides.operands[static_cast<size_t>(operand)];
  if (sides.result.is_none() || from.is_none()) return;
  const auto part = [&](bool is_result, const DimIndices& index) {
    const Shape* shape = PartOf(is_result ? sides.result : from, index);
    if (shape != nullptr && MayAlias(instruction.opcode(), index, is_result)) {
      return shape;
    }
    context->Add(Code::kAliasingIndex, c, i, k,
                 is_result ? "the result" : absl::StrCat("operand ", operand),
                 IndexText(index));
    return static_cast<const Shape*>(nullptr);
  };
  const Shape* out = part(true, pair.Numbers(of::kOutputShapeIndex));
  const Shape* in = part(false, pair.Numbers(of::kOperandShapeIndex));
  if (out != nullptr && in != nullptr && !Fits(instruction, *out, *in)) {
    context->Add(Code::kAliasingShape, c, i, k, *out, *in, operand);
  }
}

}  // namespace

void CheckAliasing(Context* context) {
  context->ForEachInstruction([&](uint32_t c, uint32_t i,
                                  const InstructionRecord& r) {
    if (r.opcode != Opcode::kCall && r.opcode != Opcode::kFusion &&
        r.opcode != Opcode::kCustomCall && r.opcode != Opcode::kAsyncStart &&
        r.opcode != Opcode::kAsyncUpdate) {
      return;
    }
    if (!context->occurs.Has(r.attribute_bytes, Occurrences::kAliasing)) return;
    const AttributeBytesView attribute_bytes =
        context->data.pools->attribute_bytes(r.attribute_bytes);
    bool present = false;
    AttributeBytesField(attribute_bytes, kOutputOperandAliasing, &present);
    if (!present) return;
    if (r.opcode == Opcode::kCall) {
      context->Add(Code::kCallAliasing, c, i);
      return;
    }
    const Instruction instruction = context->At(c, i);
    const Sides sides = r.opcode == Opcode::kAsyncStart
                            ? OfAsyncStart(*context, instruction)
                            : OfOthers(instruction);
    const FieldList fields = FieldList::Of(attribute_bytes);
    int64_t k = 0;
    for (absl::string_view pair : fields.Texts(kOutputOperandAliasing)) {
      CheckPair(context, c, i, k++, sides, pair);
    }
  });
}

}  // namespace indim::structure
