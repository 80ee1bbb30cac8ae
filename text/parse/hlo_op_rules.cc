// SPDX-License-Identifier: Apache-2.0
#include "indim/text/parse/hlo_op_rules.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/types/element_type.h"

namespace indim {
namespace {

using field::HloInstructionProto::kDimensions;
using field::HloInstructionProto::kNumCarries;
using field::HloInstructionProto::kOperandShapesWithLayout;
using field::HloInstructionProto::kUseGlobalDeviceIds;

Shape WithData(const Shape& data, bool with_context) {
  std::vector<Shape> elements = {data};
  if (with_context) {
    Shape context = Shape::Scalar(ElementType::kU32);
    context.set_layout(Layout::RowMajor(0));
    elements.push_back(std::move(context));
  }
  elements.push_back(Shape::Token());
  return Shape::Tuple(std::move(elements));
}

// The result shape that XLA's parser computes, whatever is written.
struct Derived {
  enum From : uint8_t {
    kNothing,   // a token
    kOperand,   // operand 0
    kSent,      // operand 0 is data, then a token
    kReceived,  // the data at the beginning of operand 0, a tuple, then a token
    kWritten,   // kReceived for the written shape
  };
  Opcode opcode;
  From from;
  bool with_context = false;  // u32[] before the token
};

constexpr Derived kDerived[] = {
    {Opcode::kAfterAll, Derived::kNothing},
    {Opcode::kAddDependency, Derived::kOperand},
    {Opcode::kInfeed, Derived::kWritten},
    {Opcode::kOutfeed, Derived::kNothing},
    {Opcode::kSend, Derived::kSent, true},
    {Opcode::kSendDone, Derived::kNothing},
    {Opcode::kRecv, Derived::kWritten, true},
    {Opcode::kRecvDone, Derived::kReceived},
};

// Null: the written or inferred shape counts.
const Derived* FindDerived(Opcode opcode) {
  const Derived* const found = absl::c_find_if(
      kDerived, [opcode](const Derived& d) { return d.opcode == opcode; });
  return found == std::end(kDerived) ? nullptr : found;
}

// Beside elementwise ops but map, those whose result, or each array of it, is
// in XLA the shape of an operand, perhaps with other sizes.
constexpr Opcode kCopyOperand[] = {
    Opcode::kBatchNormGrad,
    Opcode::kBatchNormInference,
    Opcode::kBatchNormTraining,
    Opcode::kCholesky,
    Opcode::kFft,
    Opcode::kReverse,
    Opcode::kScatter,
    Opcode::kSelectAndScatter,
    Opcode::kSetDimensionSize,
    Opcode::kShuffle,
    Opcode::kSort,
    Opcode::kTriangularSolve,
};

bool CopiesOperand(Opcode opcode) {
  return (Info(opcode).has(kElementwise) && opcode != Opcode::kMap) ||
         absl::c_linear_search(kCopyOperand, opcode);
}

// The operand of which array `i` of such a result is a copy.
const Shape& CopiedOperand(const OpInputs& inputs, size_t i) {
  switch (inputs.opcode) {
    case Opcode::kSelect:
      // The predicate with another element type.
      return *inputs.operands[inputs.operands[0]->is_scalar() ? 1 : 0];
    case Opcode::kTriangularSolve:
      return *inputs.operands[1];
    default:
      return *inputs.operands[static_cast<size_t>(MainOperand(inputs.opcode)) +
                              i];
  }
}

// Gives the array the layout of the operand of which it is a copy: of an
// elementwise op, only if it isn't stretched.
void CopyLayout(Opcode opcode, const Shape& operand, Shape* array) {
  const bool is_copy = Info(opcode).has(kElementwise)
                           ? operand.dims() == array->dims()
                           : operand.rank() == array->rank();
  if (is_copy && operand.layout() != nullptr) {
    array->set_layout(*operand.layout());
  }
}

// Results that equal an operand, a part of one, or a callee's result.
std::optional<Shape> CopiedShape(const OpInputs& inputs) {
  switch (inputs.opcode) {
    case Opcode::kCopy:
    case Opcode::kOptimizationBarrier:
    case Opcode::kDomain:
    case Opcode::kWhile:
      return *inputs.operands[0];
    case Opcode::kTuple: {
      std::vector<Shape> elements;
      for (const Shape* operand : inputs.operands) elements.push_back(*operand);
      return Shape::Tuple(std::move(elements));
    }
    case Opcode::kGetTupleElement: {
      const auto& a = inputs.attributes_as<GetTupleElementAttributes>();
      return inputs.operands[0]->elements()[static_cast<size_t>(a.index)];
    }
    case Opcode::kCall:
    case Opcode::kConditional:
      return inputs.callees[0]->result;
    default:
      return std::nullopt;
  }
}

// A transpose doesn't move elements in memory: dim i of `operand` is dim
// `place` of the result, where permutation[place] == i.
void SetTransposedLayout(const Shape& operand, const DimIndices& permutation,
                         Shape* result) {
  if (operand.layout() == nullptr) return;
  Layout layout = *operand.layout();
  if (layout.minor_to_major.size() != permutation.size()) return;
  for (int64_t& dim : layout.minor_to_major) {
    dim = std::distance(permutation.begin(), absl::c_find(permutation, dim));
  }
  result->set_layout(std::move(layout));
}

// Without a result shape, XLA's parser reads the `dimensions` of a broadcast as
// the sizes before the operand's.
std::optional<Shape> BroadcastShape(const OpInputs& inputs) {
  const auto& a = inputs.attributes_as<DimensionsAttributes>();
  const Shape& operand = *inputs.operands[0];
  Shape result = Shape::Scalar(operand.element_type());
  if (!operand.has_rank()) return std::nullopt;
  for (int64_t size : a.dimensions) {
    if (size < 0) return std::nullopt;
    result.add_dim(Dim::Static(size));
  }
  for (Dim dim : operand.dims()) result.add_dim(dim);
  return result;
}

std::string Counted(int64_t n, absl::string_view what) {
  return absl::StrCat(n, " ", what, n == 1 ? "" : "s");
}

// --- Errors of XLA's parser --------------------------------------------------

std::string AttributeMissing(absl::string_view attribute) {
  return absl::StrCat("attribute ", attribute, " is missing");
}

bool Given(const OpText& op, absl::string_view attribute) {
  const auto& given = op.attributes->given;
  return std::find(given.begin(), given.end(), attribute) != given.end();
}

// The index, pred[] or s32[], decides how branches are spelled. (The verifier
// reports another index, or another number of branches than two.)
std::string CheckConditional(const OpText& op) {
  const Shape& index = *op.operands[0];
  const bool is_pred = index.element_type() == ElementType::kPred;
  if (!index.is_scalar() || (is_pred && op.callee_count != 2) ||
      (!is_pred && index.element_type() != ElementType::kS32)) {
    return "";
  }
  for (absl::string_view name :
       {"true_computation", "false_computation", "branch_computations"}) {
    const bool wanted = (name != "branch_computations") == is_pred;
    if (wanted && !Given(op, name)) return AttributeMissing(name);
    if (!wanted && Given(op, name)) {
      return absl::StrCat(name, " doesn't go with a first operand of ",
                          index.WithoutLayout().ToString());
    }
  }
  return "";
}

std::string CheckLayoutConstraints(const OpText& op) {
  if (!Given(op, "operand_layout_constraints")) return "";
  const size_t count =
      op.attributes->fields.Texts(kOperandShapesWithLayout).size();
  if (count == op.operands.size()) return "";
  return absl::StrCat(
      "operand_layout_constraints has ",
      Counted(static_cast<int64_t>(count), "shape"), " for ",
      Counted(static_cast<int64_t>(op.operands.size()), "operand"));
}

std::string CheckCount(const OpText& op) {
  const int64_t count = static_cast<int64_t>(op.operands.size());
  switch (op.opcode) {
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
      if (count % 2 == 0) return "";
      return absl::StrCat("a ", Name(op.opcode),
                          " takes an initial value for each array: an even "
                          "number of operands, not ",
                          count);
    case Opcode::kScatter:
      if (count % 2 == 1) return "";
      return absl::StrCat(
          "a scatter takes arrays, indices, and as many updates: an odd number "
          "of operands, not ",
          count);
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteStart:
      if (!Given(op, "slice_sizes") || count == 4) return "";
      return absl::StrCat("with slice_sizes there are 4 operands, not ", count);
    case Opcode::kScan:
      if (op.attributes->fields.Number(kNumCarries) <= count) return "";
      return absl::StrCat("num_carries is ",
                          op.attributes->fields.Number(kNumCarries),
                          ", but there ", count == 1 ? "is " : "are ",
                          Counted(count, "operand"));
    default:
      return "";
  }
}

}  // namespace

bool DerivesResultShape(Opcode opcode) {
  return FindDerived(opcode) != nullptr;
}

std::optional<Shape> DerivedResultShape(Opcode opcode,
                                        absl::Span<const Shape* const> operands,
                                        const Shape& declared) {
  const Derived* const derived = FindDerived(opcode);
  if (derived == nullptr) return std::nullopt;
  switch (derived->from) {
    case Derived::kNothing:
      return Shape::Token();
    case Derived::kOperand:
      return *operands[0];
    case Derived::kSent:
      return WithData(*operands[0], derived->with_context);
    case Derived::kWritten:
    case Derived::kReceived:
      break;
  }
  const Shape& tuple =
      derived->from == Derived::kReceived ? *operands[0] : declared;
  if (!tuple.is_tuple() || tuple.tuple_size() == 0) return std::nullopt;
  return WithData(tuple.elements()[0], derived->with_context);
}

std::optional<Shape> InferForText(const OpInputs& inputs, std::string* why) {
  if (inputs.opcode == Opcode::kBroadcast) {
    std::optional<Shape> shape = BroadcastShape(inputs);
    if (!shape.has_value()) *why = "dimensions aren't sizes";
    return shape;
  }
  InferContext context;
  std::optional<Shape> shape = InferShape(&context, inputs);
  if (!shape.has_value()) {
    DiagnosticSubject subject;
    subject.op = Name(inputs.opcode);
    subject.operands = inputs.operands;
    for (const Diagnostic& diagnostic : context.diagnostics()) {
      if (diagnostic.severity() != Severity::kError) continue;
      *why = FormatMessage(diagnostic, subject);
      return std::nullopt;
    }
    *why = "it doesn't follow from the operands";
    return std::nullopt;
  }
  if (std::optional<Shape> copied = CopiedShape(inputs)) {
    return SameStructure(*copied, *shape) ? copied : shape;
  }
  if (inputs.opcode == Opcode::kTranspose) {
    SetTransposedLayout(*inputs.operands[0],
                        inputs.attributes_as<DimensionsAttributes>().dimensions,
                        &*shape);
    return shape;
  }
  if (!CopiesOperand(inputs.opcode)) return shape;
  const auto copy_layout = [&](size_t i, Shape* array) {
    CopyLayout(inputs.opcode, CopiedOperand(inputs, i), array);
  };
  if (shape->has_rank()) copy_layout(0, &*shape);
  if (shape->is_tuple()) {
    std::vector<Shape> arrays;
    for (const Shape& array : shape->elements()) {
      arrays.push_back(array);
      copy_layout(arrays.size() - 1, &arrays.back());
    }
    shape = Shape::Tuple(std::move(arrays));
  }
  return shape;
}

std::string XlaParserError(const OpText& op) {
  const FieldList& fields = op.attributes->fields;
  std::string wrong = CheckCount(op);
  if (!wrong.empty()) return wrong;
  if (Info(op.opcode).has(kAlongOneDim) && Given(op, "dimensions") &&
      fields.Numbers(kDimensions).size() != 1) {
    return absl::StrCat("a ", Name(op.opcode), " has one dimension");
  }
  switch (op.opcode) {
    case Opcode::kConditional:
      return CheckConditional(op);
    case Opcode::kBroadcast:
      return op.operands[0]->is_scalar() || Given(op, "dimensions")
                 ? ""
                 : AttributeMissing("dimensions");
    case Opcode::kCustomCall:
      return CheckLayoutConstraints(op);
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kReduceScatter:
      return fields.Number(kUseGlobalDeviceIds) != 0 && !Given(op, "mode") &&
                     !Given(op, "channel_id")
                 ? "use_global_device_ids needs a channel_id"
                 : "";
    default:
      return "";
  }
}

}  // namespace indim
