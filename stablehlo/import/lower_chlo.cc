// SPDX-License-Identifier: Apache-2.0
// CHLO, and other operations that become several: functions of the builder and
// its composites, copied in.

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "indim/builder/composites/einsum.h"
#include "indim/builder/composites/math.h"
#include "indim/builder/composites/special.h"
#include "indim/stablehlo/import/lower_arrays.h"
#include "indim/stablehlo/import/lowering.h"

namespace indim::stablehlo_import {
namespace {

// --- Functions of elements ---------------------------------------------------

Op Conjugate(Op x, ComputationBuilder* b) {
  return b->Complex(b->Real(x), -b->Imag(x));
}

using Ops = absl::Span<const Op>;
using ChloFunction = Op (*)(ComputationBuilder* b, Ops x);
struct ElementFunctionRow {
  absl::string_view name;
  ChloFunction function;
};
const ElementFunctionRow kElementFunctions[] = {
    {"chlo.conj",
     [](ComputationBuilder* b, Ops x) { return Conjugate(x[0], b); }},
#define INDIM_MLIR_ELEMENT_FUNCTION(name, value) \
  {name, []([[maybe_unused]] ComputationBuilder* b, Ops x) { return value; }},
#include "indim/stablehlo/import/lowering.def"
};

const ElementFunctionRow* FindElementFunction(absl::string_view name) {
  return mlir::FindRow(kElementFunctions, &ElementFunctionRow::name, name);
}

// All operands have the shape of the first.
bool CheckSameShapes(OpImport* op) {
  for (size_t i = 1; i < op->operand_count(); ++i) {
    if (Compatible(op->operand_shape(i), op->operand_shape(0))) continue;
    return op->Fail("requires the same type for all operands");
  }
  return true;
}

// The dims of the result that the dims of an operand become: those of
// broadcast_dimensions for the operand of the lower rank, else the last ones.
DimIndices PlacesOf(OpImport* op, int rank, int result_rank) {
  if (op->Has("broadcast_dimensions") && rank < result_rank) {
    return op->Numbers("broadcast_dimensions");
  }
  DimIndices places;
  for (int i = 0; i < rank; ++i) places.push_back(result_rank - rank + i);
  return places;
}

// The dims of the result: a 1 stretches; other sizes must be equal.
std::optional<Shape> BroadcastShape(OpImport* op,
                                    absl::Span<const DimIndices> places,
                                    int rank) {
  Shape shape = Shape::Scalar(ElementType::kPred);
  for (int d = 0; d < rank; ++d) {
    Dim size = Dim::Static(1);
    for (size_t i = 0; i < places.size(); ++i) {
      for (size_t k = 0; k < places[i].size(); ++k) {
        if (places[i][k] != d) continue;
        const Dim other = op->operand_shape(i).dim(static_cast<int>(k));
        if (other.is(1)) continue;
        if (!size.is(1) && !CompatibleDims(size, other)) {
          return op->Fail(
              absl::StrCat("operands can't be broadcast: dimension ", d,
                           " of the result is ", size.ToString(), " and ",
                           other.ToString()));
        }
        if (!size.is_static() || size.is(1)) size = other;
      }
    }
    shape.add_dim(size);
  }
  return shape;
}

// The operands, broadcast to one shape.
std::optional<std::vector<Node>> BroadcastOperands(OpImport* op) {
  int rank = 0;
  for (size_t i = 0; i < op->operand_count(); ++i) {
    if (!op->operand_shape(i).has_rank()) {
      return op->Fail("operands must be ranked");
    }
    rank = std::max(rank, op->operand_shape(i).rank());
  }
  std::vector<DimIndices> places;
  for (size_t i = 0; i < op->operand_count(); ++i) {
    const int own = op->operand_shape(i).rank();
    places.push_back(PlacesOf(op, own, rank));
    DimIndices& p = places.back();
    const bool ascends = std::is_sorted(p.begin(), p.end()) &&
                         std::adjacent_find(p.begin(), p.end()) == p.end();
    if (static_cast<int>(p.size()) != own || !ascends ||
        (own > 0 && (p.front() < 0 || p.back() >= rank))) {
      return op->Fail(absl::StrCat(
          "broadcast_dimensions must place the ", own,
          " dimensions of the smaller operand, in order, at some of the ", rank,
          " of the other"));
    }
  }
  const std::optional<Shape> shape = BroadcastShape(op, places, rank);
  if (!shape.has_value()) return std::nullopt;
  std::vector<Node> nodes;
  for (size_t i = 0; i < op->operand_count(); ++i) {
    Shape to = *shape;
    to.set_element_type(op->operand_shape(i).element_type());
    nodes.push_back(SameStructure(op->operand_shape(i), to)
                        ? op->operand(i)
                        : EmitBroadcast(op, op->operand(i), places[i], to));
  }
  return nodes;
}

}  // namespace

void LowerFunction(OpImport* op) {
  if (!CheckSameShapes(op)) return;
  SetMainResult(op, EmitByBuilder(op, op->operands(),
                                  FindElementFunction(op->name())->function));
}

// A real number is its own conjugate.
void LowerConjugate(OpImport* op) {
  if (IsComplex(op->operand_shape(0).element_type())) return LowerFunction(op);
  op->SetResult(0, op->operand(0));
}

// --- Broadcasting ------------------------------------------------------------

// chlo.broadcast_add: the operands are broadcast, then added.
void LowerBroadcastOp(OpImport* op) {
  absl::string_view name = op->name();
  absl::ConsumePrefix(&name, "chlo.broadcast_");
  const std::optional<std::vector<Node>> operands = BroadcastOperands(op);
  if (!operands.has_value()) return;
  if (const ElementFunctionRow* const row =
          FindElementFunction(absl::StrCat("chlo.", name))) {
    return SetMainResult(op, EmitByBuilder(op, *operands, row->function));
  }
  const OpRow* row = FindOp(absl::StrCat("stablehlo.", name));
  if (row == nullptr) {
    return op->Error("has no form in HLO", Code::kNoHloForm);
  }
  Attributes attributes;
  if (row->opcode == Opcode::kCompare) {
    attributes = CompareAttributes();
    if (!ReadMembers(op, *row, &attributes)) return;
  }
  SetMainResult(
      op, op->Emit(row->opcode, op->result_shape(), attributes, *operands));
}

// A number, as often as the operand has elements.
void LowerConstantLike(OpImport* op) {
  const absl::StatusOr<Literal> literal =
      LiteralOf(op->ir(), op->Find("value"), &op->importer().shapes());
  if (!literal.ok()) {
    return op->Error(absl::StrCat("value: ", literal.status().message()));
  }
  const AttrKind kind = op->ir().attr(op->Find("value")).kind;
  if (kind == AttrKind::kDense || kind == AttrKind::kDenseResource) {
    return op->Error("value: must be a number of the result's element type");
  }
  Shape shape = op->operand_shape(0);
  shape.set_element_type(literal->shape().element_type());
  const Node scalar = op->writer().Constant(*literal);
  SetMainResult(op, EmitBroadcast(op, scalar, {}, shape));
}

// --- Others ------------------------------------------------------------------

// Its operands are inputs, then carries.
void LowerScan(OpImport* op) {
  Attributes attributes = ScanAttributes();
  if (!ReadAttributes(op, &attributes)) return;
  auto* to = std::get_if<ScanAttributes>(&attributes);
  const DimIndices segments = op->Numbers("operandSegmentSizes");
  if (op->failed()) return;
  if (segments.size() != 2) {
    op->WrongKind("operandSegmentSizes");
    return;
  }
  to->num_carries = segments[1];
  if (op->Has("is_associative")) {
    to->is_associative = op->Bool("is_associative") ? 1 : 2;
  }
  const Node node =
      op->Emit(Opcode::kScan, op->ResultsShape(/*tuple_of_one=*/true),
               attributes, op->operands(), op->importer().callees());
  AddCommonAttributes(op, node);
  op->SetResults(node, /*tuple_of_one=*/true);
}

// Products and sums by the names of dims (builder/composites/einsum.h).
void LowerEinsum(OpImport* op) {
  const std::string config = op->Text("einsum_config");
  if (op->failed()) return;
  // Sums may be of a wider type than the operands. HLO refuses others.
  const ElementType declared = op->result_shape().element_type();
  std::optional<ElementType> preferred;
  if (op->operand_shape(0).element_type() != declared) preferred = declared;
  const auto make = [&](ComputationBuilder* b, absl::Span<const Op> operands) {
    // A dot takes pred beside other types.
    std::vector<Op> numbers(operands.begin(), operands.end());
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (op->operand_shape(i).element_type() == ElementType::kPred) {
        numbers[i] = b->ConvertElementType(numbers[i], declared);
      }
    }
    return Einsum(config, numbers, preferred);
  };
  SetMainResult(op, EmitByBuilder(op, op->operands(), make));
}

// Slices of the operand along `dim`, one for each index; the first `batch_dims`
// dims are those of the index too.
void LowerTorchIndexSelect(OpImport* op) {
  const Shape& from = op->operand_shape(0);
  const Shape& index = op->operand_shape(1);
  const int64_t dim = op->Number("dim");
  const int64_t batch_dims = op->Number("batch_dims");
  if (op->failed()) return;
  if (dim < 0 || dim >= from.rank() || batch_dims < 0 || batch_dims > dim ||
      batch_dims > index.rank()) {
    return op->Error(absl::StrCat("dim ", dim, " and batch_dims ", batch_dims,
                                  " are out of range"));
  }
  GatherAttributes gather;
  gather.index_vector_dim = index.rank();
  gather.start_index_map = {dim};
  gather.collapsed_slice_dims = {dim};
  // The result: the dims before `dim`, those of the index without the batch,
  // the dims after `dim`.
  for (int i = 0; i < from.rank(); ++i) {
    if (i < batch_dims) {
      gather.operand_batching_dims.push_back(i);
      gather.start_indices_batching_dims.push_back(i);
      gather.slice_sizes.push_back(1);
      continue;
    }
    if (i == dim) {
      gather.slice_sizes.push_back(1);
      continue;
    }
    if (!from.dim(i).is_static()) {
      return op->Error("the sizes of the operand must be static",
                       Code::kNoHloForm);
    }
    gather.slice_sizes.push_back(from.dim(i).size());
    gather.offset_dims.push_back(i < dim ? i
                                         : i + index.rank() - batch_dims - 1);
  }
  // XLA's conversion makes 32 bits without a sign of 64, so that a negative
  // index is a large one.
  std::vector<Node> operands = op->operands();
  if (IsIntegral(index.element_type()) &&
      Info(index.element_type()).bits == 64) {
    Shape narrow = index;
    narrow.set_element_type(ElementType::kU32);
    operands[1] = op->Emit(Opcode::kConvert, narrow, {operands[1]});
  }
  SetMainResult(
      op, op->Emit(Opcode::kGather, op->result_shape(), gather, operands));
}

}  // namespace indim::stablehlo_import
