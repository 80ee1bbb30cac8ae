// SPDX-License-Identifier: Apache-2.0
// Shape functions of collective-permute and of asynchronous operations. A
// -start gives a tuple: its operands, its results, and contexts that only the
// backend knows.
// Source: XLA's ShapeInference and HLO verifier.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/shape/infer/infer_sizes.h"
#include "indim/shape/infer/infer_util.h"

namespace indim {
namespace {

// The operands of a permute that is not in place must be arrays. For a -start
// with several operands XLA doesn't check it: they may be tuples.
bool ExpectPermutedArrays(InferContext* context, const OpInputs& inputs) {
  for (size_t i = 0; i < inputs.operands.size(); ++i) {
    if (!ExpectArray(context, inputs, static_cast<int>(i))) return false;
  }
  return true;
}

// In place, the operands are input, output, and the offsets into each.
bool IsInPlace(const CollectivePermuteAttributes& a) {
  return !a.slice_sizes.empty();
}

// Offsets into `buffer` are a tuple of one array for each dim, or a tuple of
// such tuples.
bool IsOffsets(const Shape& buffer, const Shape& offsets) {
  if (!offsets.is_tuple()) return false;
  const int64_t rank = buffer.has_rank() ? buffer.rank() : 0;
  bool arrays = true;
  bool tuples = true;
  for (const Shape& offset : offsets.elements()) {
    arrays = arrays && offset.is_array();
    tuples = tuples && offset.is_tuple() && offset.tuple_size() == rank;
  }
  return tuples || (arrays && offsets.tuple_size() == rank);
}

// IsOffsets, for one buffer, or for each buffer of a tuple.
bool HasOffsets(const Shape& buffers, const Shape& offsets) {
  if (!buffers.is_tuple()) return IsOffsets(buffers, offsets);
  if (!offsets.is_tuple() || offsets.tuple_size() != buffers.tuple_size()) {
    return false;
  }
  for (int i = 0; i < buffers.tuple_size(); ++i) {
    if (!IsOffsets(buffers.elements()[i], offsets.elements()[i])) return false;
  }
  return true;
}

// Source: XLA's CheckInplaceCollectivePermute. XLA's builder checks only the
// count.
bool ExpectInPlace(InferContext* context, const OpInputs& inputs) {
  if (inputs.operands.size() != 4) {
    return context->Diagnose(Code::kOperandCount)
        .Arg(std::string("4 (slice sizes are given)"))
        .Arg(Number(inputs.operands.size()));
  }
  if (context->is_builder()) return true;
  const Shape& from = *inputs.operands[0];
  const Shape& to = *inputs.operands[1];
  const bool alike = from.is_tuple()
                         ? to.is_tuple() && from.tuple_size() == to.tuple_size()
                         : from.is_array() && to.is_array();
  if (!alike) {
    return context->Diagnose(Code::kOperandShape, 1)
        .Arg(std::string("an array or a tuple of as many, as operand 0"));
  }
  for (int i = 0; i < 2; ++i) {
    if (HasOffsets(*inputs.operands[i], *inputs.operands[2 + i])) continue;
    return context->Diagnose(Code::kOperandShape, 2 + i)
        .Arg(absl::StrCat("offsets into operand ", i,
                          ", one for each dim of what lies there"));
  }
  return true;
}

// The operands as a result: one bare, several as a tuple.
std::optional<Shape> Permuted(InferContext* context, const OpInputs& inputs) {
  if (inputs.operands.size() == 1) return inputs.operands[0]->WithoutLayout();
  std::vector<Shape> arrays;
  for (const Shape* operand : inputs.operands) {
    arrays.push_back(operand->WithoutLayout());
  }
  return MakeTuple(context, std::move(arrays));
}

// Element `index` of the recorded result must be `whole`: XLA's verifier takes
// no start that has only the first parameters, or the first results.
bool ExpectPart(InferContext* context, const OpInputs& inputs, int index,
                const Shape& whole) {
  if (Compatible(inputs.declared->elements()[index], whole)) return true;
  return context->Diagnose(Code::kAsyncPart).Arg(int64_t{index}).Arg(whole);
}

// The recorded result must fit the computation, when that is known.
bool ExpectWrapped(InferContext* context, const OpInputs& inputs) {
  if (inputs.callees.empty()) return true;
  const Signature& wrapped = *inputs.callees[0];
  std::optional<Shape> parameters = MakeTuple(context, wrapped.parameters);
  return parameters && ExpectPart(context, inputs, 0, *parameters) &&
         ExpectPart(context, inputs, 1, wrapped.result);
}

}  // namespace

// --- Collective-permute ------------------------------------------------------

std::optional<Shape> InferCollectivePermute(InferContext* context,
                                            const OpInputs& inputs) {
  const auto& a = inputs.attributes_as<CollectivePermuteAttributes>();
  if (IsInPlace(a)) {
    if (!ExpectInPlace(context, inputs)) return std::nullopt;
    return inputs.operands[1]->WithoutLayout();
  }
  if (!ExpectPermutedArrays(context, inputs)) return std::nullopt;
  return Permuted(context, inputs);
}

// (operands, results, contexts...). The backend defines the contexts, so the
// recorded ones stand.
std::optional<Shape> InferCollectivePermuteStart(InferContext* context,
                                                 const OpInputs& inputs) {
  const auto& a = inputs.attributes_as<CollectivePermuteAttributes>();
  std::vector<Shape> elements;
  if (IsInPlace(a)) {
    if (!ExpectInPlace(context, inputs)) return std::nullopt;
    elements = {inputs.operands[0]->WithoutLayout(),
                inputs.operands[1]->WithoutLayout()};
  } else {
    if (inputs.operands.size() == 1 && !ExpectPermutedArrays(context, inputs)) {
      return std::nullopt;
    }
    const std::optional<Shape> permuted = Permuted(context, inputs);
    if (!permuted) return std::nullopt;
    elements = {*permuted, *permuted};
  }
  for (const Shape& extra : inputs.declared->elements().subspan(2)) {
    elements.push_back(extra.WithoutLayout());
  }
  return MakeTuple(context, std::move(elements));
}

// --- Async wrappers ----------------------------------------------------------
// ((arguments...), result, contexts...).
std::optional<Shape> InferAsyncStart(InferContext* context,
                                     const OpInputs& inputs) {
  if (!ExpectWrapped(context, inputs)) return std::nullopt;
  const absl::Span<const Shape> parameters =
      inputs.declared->elements()[0].elements();
  if (parameters.size() != inputs.operands.size()) {
    return context->Diagnose(Code::kCalleeArity)
        .Arg(CalleeRole(inputs.opcode, 0))
        .Arg(Number(parameters.size()))
        .Arg(Number(inputs.operands.size()));
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (Compatible(*inputs.operands[i], parameters[i])) continue;
    return context->Diagnose(Code::kCalleeParameter, static_cast<int>(i))
        .Arg(CalleeRole(inputs.opcode, 0))
        .Arg(Number(i))
        .Arg(parameters[i])
        .Arg(DifferenceText(*inputs.operands[i], parameters[i]));
  }
  return inputs.declared->WithoutLayout();
}

// The operand's shape: an update doesn't change it.
std::optional<Shape> InferAsyncUpdate(InferContext* context,
                                      const OpInputs& inputs) {
  if (!ExpectWrapped(context, inputs)) return std::nullopt;
  return inputs.operands[0]->WithoutLayout();
}

// The computation's result. Element 1 of the operand must be it.
std::optional<Shape> InferAsyncDone(InferContext* context,
                                    const OpInputs& inputs) {
  const Shape& written = inputs.operands[0]->elements()[1];
  if (inputs.callees.empty()) return written.WithoutLayout();
  const Shape& result = inputs.callees[0]->result;
  if (!Compatible(written, result)) {
    return context->Diagnose(Code::kOperandShape, 0)
        .Arg(
            std::string("a tuple whose element 1 is the computation's result"));
  }
  return result.WithoutLayout();
}

}  // namespace indim
