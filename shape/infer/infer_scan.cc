// SPDX-License-Identifier: Apache-2.0
// Shape functions of scan and of random numbers.
// Source: XLA's builder (InferScanShape) and HLO verifier.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "indim/shape/infer/infer_sizes.h"
#include "indim/shape/infer/infer_util.h"
#include "indim/shape/infer/shape_functions.h"
#include "indim/shape/types/element_type.h"

namespace indim {

// --- Scan --------------------------------------------------------------------
// Operands: inputs, which are sliced along one dim, then carries. A step takes
// a slice of each input and the carries, and returns outputs and new carries.
// The op stacks the outputs along that dim.
namespace {

struct Scan {
  int dim = 0;
  int inputs = 0;
  int carries = 0;
};

// Reads the counts and the dim, which all inputs must have; else IND0380,
// IND0381.
std::optional<Scan> ReadScan(InferContext* context, const OpInputs& inputs) {
  const ScanAttributes& a = inputs.attributes_as<ScanAttributes>();
  const int64_t operands = Number(inputs.operands.size());
  if (a.num_carries < 0 || a.num_carries > operands) {
    context->Diagnose(Code::kScanCarries).Arg(a.num_carries).Arg(operands);
    return std::nullopt;
  }
  if (a.num_carries == operands) {
    context->Diagnose(Code::kScanNoInputs);
    return std::nullopt;
  }
  if (a.dimensions.size() != 1) {
    context->Diagnose(Code::kDimensionsCount)
        .Arg(int64_t{1})
        .Arg(Number(a.dimensions.size()));
    return std::nullopt;
  }
  Scan scan;
  scan.inputs = static_cast<int>(operands - a.num_carries);
  scan.carries = static_cast<int>(a.num_carries);
  for (int i = 0; i < scan.inputs; ++i) {
    if (!ExpectArray(context, inputs, i) ||
        !ExpectDimIndex(context, inputs, i, a.dimensions[0], "dimensions")) {
      return std::nullopt;
    }
  }
  if (a.dimensions[0] > INT32_MAX) {  // every input is unranked
    context->Diagnose(Code::kDimIndexRange, 0)
        .Arg(std::string("dimensions"))
        .Arg(a.dimensions[0])
        .Arg(int64_t{0});
    return std::nullopt;
  }
  scan.dim = static_cast<int>(a.dimensions[0]);
  return scan;
}

// `array` without dim `dim`.
Shape WithoutDim(const Shape& array, int dim) {
  if (!array.has_rank()) return array;
  DimVector dims(array.dims().begin(), array.dims().end());
  dims.erase(dims.begin() + dim);
  return Shape::Array(array.element_type(), dims);
}

// The number of steps, which all inputs must agree on; a bound counts as a
// size.
std::optional<Dim> ScanSize(InferContext* context, const OpInputs& inputs,
                            const Scan& scan) {
  std::optional<DimRef> first;
  Dim size = Dim::Unknown();
  for (int i = 0; i < scan.inputs; ++i) {
    if (!inputs.operands[i]->has_rank()) continue;
    const DimRef here = {i, scan.dim};
    if (first && !ExpectEqualSizes(context, inputs, *first, here)) {
      return std::nullopt;
    }
    const Dim dim = inputs.operands[i]->dim(scan.dim);
    size = first ? MergeDims(size, dim) : dim;
    if (!first) first = here;
  }
  return size.is_bounded() ? Dim::Static(size.size()) : size;
}

// The step must take slices of the inputs, then the carries.
bool ExpectStepParameters(InferContext* context, const OpInputs& inputs,
                          const Scan& scan) {
  const Signature& step = *inputs.callees[0];
  if (step.parameters.size() != inputs.operands.size()) {
    return context->Diagnose(Code::kCalleeArity)
        .Arg(CalleeRole(inputs.opcode, 0))
        .Arg(Number(step.parameters.size()))
        .Arg(Number(inputs.operands.size()));
  }
  for (size_t i = 0; i < inputs.operands.size(); ++i) {
    const int operand = static_cast<int>(i);
    const Shape slice = operand < scan.inputs
                            ? WithoutDim(*inputs.operands[i], scan.dim)
                            : inputs.operands[i]->WithoutLayout();
    if (Compatible(slice, step.parameters[i])) {
      AddEqualDimsConditions(context, slice, step.parameters[i]);
      continue;
    }
    return context->Diagnose(Code::kScanParameter, operand)
        .Arg(int64_t{operand})
        .Arg(step.parameters[i])
        .Arg(slice);
  }
  return true;
}

// The outputs of `size` steps, stacked along dim `dim`.
std::optional<Shape> Stacked(InferContext* context, const Shape& output,
                             Dim size, int dim) {
  if (output.is_unranked()) return output;
  if (!output.is_array() || dim > output.rank()) {
    return context->Diagnose(Code::kScanOutput).Arg(output).Arg(int64_t{dim});
  }
  DimVector dims(output.dims().begin(), output.dims().end());
  dims.insert(dims.begin() + dim, size);
  return Shape::Array(output.element_type(), dims);
}

bool IsDistributionType(RandomDistribution distribution, ElementType type) {
  if (distribution == RandomDistribution::kNormal) return IsFloat(type);
  return distribution == RandomDistribution::kUniform &&
         (IsFloat(type) || IsIntegral(type) || type == ElementType::kPred);
}

// Whether the operands are scalars of the result's type, and the distribution
// exists for that type.
bool RngFits(const OpInputs& inputs) {
  const ElementType type = inputs.declared->element_type();
  for (const Shape* operand : inputs.operands) {
    if (!operand->is_array() || operand->element_type() != type) return false;
    if (operand->has_rank() && !operand->is_scalar()) return false;
  }
  return IsDistributionType(inputs.attributes_as<RngAttributes>().distribution,
                            type);
}

}  // namespace

std::optional<Shape> InferScan(InferContext* context, const OpInputs& inputs) {
  const std::optional<Scan> scan = ReadScan(context, inputs);
  if (!scan || !ExpectStepParameters(context, inputs, *scan)) {
    return std::nullopt;
  }
  const std::optional<Dim> size = ScanSize(context, inputs, *scan);
  if (!size) return std::nullopt;
  const Shape& result = inputs.callees[0]->result;
  const absl::Span<const Shape> results =
      result.is_tuple() ? result.elements() : absl::MakeConstSpan(&result, 1);
  const int outputs = static_cast<int>(results.size()) - scan->carries;
  if (outputs < 0) {
    return context->Diagnose(Code::kScanResults)
        .Arg(result)
        .Arg(int64_t{scan->carries});
  }
  std::vector<Shape> elements;
  for (int i = 0; i < outputs; ++i) {
    std::optional<Shape> stacked =
        Stacked(context, results[i], *size, scan->dim);
    if (!stacked) return std::nullopt;
    elements.push_back(*std::move(stacked));
  }
  for (int i = 0; i < scan->carries; ++i) {
    const Shape& carry = *inputs.operands[scan->inputs + i];
    if (!Compatible(carry, results[outputs + i])) {
      return context->Diagnose(Code::kScanCarry, scan->inputs + i)
          .Arg(results[outputs + i]);
    }
    elements.push_back(results[outputs + i].WithoutLayout());
  }
  // XLA's verifier accepts one result bare or in a tuple of one.
  const bool bare = !context->is_builder() && inputs.declared != nullptr &&
                            elements.size() == 1
                        ? !inputs.declared->is_tuple()
                        : !result.is_tuple();
  if (bare) return elements[0];
  return MakeTuple(context, std::move(elements));
}

// --- Random numbers ----------------------------------------------------------
// Operands: the ends of a uniform distribution, or mean and deviation of a
// normal one. XLA's builder checks none of it.
std::optional<Shape> InferRng(InferContext* context, const OpInputs& inputs) {
  if (!context->is_builder() && !RngFits(inputs)) {
    return context->Diagnose(Code::kRngOperands);
  }
  return inputs.declared->WithoutLayout();
}

// (state, bits). XLA accepts any result that is not a tuple; Indim accepts an
// array.
std::optional<Shape> InferRngBitGenerator(InferContext* context,
                                          const OpInputs& inputs) {
  const Shape& declared = *inputs.declared;
  const bool pair = declared.is_tuple() && declared.tuple_size() == 2 &&
                    declared.elements()[1].is_array() &&
                    Compatible(declared.elements()[0], *inputs.operands[0]);
  if (!pair && !declared.is_array()) {
    return context->Diagnose(Code::kDeclaredShape)
        .Arg(std::string("a tuple of the state and an array of bits"));
  }
  return declared.WithoutLayout();
}

}  // namespace indim
