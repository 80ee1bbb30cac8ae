#include "indim/passes/glance.h"

#include <variant>

#include "absl/types/span.h"
#include "indim/ir/byte_hash.h"
#include "indim/ir/field_numbers.h"
#include "indim/ir/literal_wire.h"
#include "indim/ir/wire.h"
#include "indim/ir/wire_table.h"
#include "indim/shape/checked_math.h"
#include "indim/shape/verify_inferred.h"

namespace indim {
namespace {

using field::HloInstructionProto::kParameterNumber;
using field::HloInstructionProto::kTupleIndex;

// Fields one after the other, each once and of its type, from which a number
// can always be read: what real files say of parameters and elements.
bool IsSurelyUnderstood(const BlobView& blob) {
  static const WireMessageInfo* const kInfo =
      &GetWireMessageInfo(WireMessage::kHloInstructionProto);
  uint32_t last = 0;
  for (absl::string_view run :
       {blob.before_id, blob.control, blob.after_callees}) {
    WireReader reader(run);
    while (!reader.done()) {
      uint32_t tag;
      if (!reader.ReadTag(&tag) || TagNumber(tag) <= last) return false;
      last = TagNumber(tag);
      const WireField* const field = kInfo->Find(last);
      if (field == nullptr || field->wire_type != TagType(tag) ||
          !reader.SkipValue(tag, kMaxWireDepth)) {
        return false;
      }
    }
  }
  return true;
}

// An array of sizes that are known, whose size in bytes is nowhere near what is
// too large, whatever the order in which its sizes are multiplied.
bool IsPlainArray(const Shape& shape) {
  constexpr int64_t kMostElements = int64_t{1} << 48;
  if (!shape.is_array() || !shape.has_rank()) return false;
  int64_t count = 1;
  for (const Dim dim : shape.dims()) {
    if (!dim.is_static()) return false;
    const int64_t size = dim.size() == 0 ? 1 : dim.size();
    if (__builtin_mul_overflow(count, size, &count) || count >= kMostElements) {
      return false;
    }
  }
  return true;
}

// The same, or a tuple of nothing else, at any depth.
bool IsPlain(const Shape& shape) {
  if (!shape.is_tuple()) return IsPlainArray(shape);
  // Depth is at most Shape::kMaxTupleDepth.
  for (const Shape& element : shape.elements()) {
    if (!IsPlain(element)) return false;
  }
  return true;
}

bool IsArrayOf(ElementType type, absl::Span<const Dim> dims,
               const Shape& shape) {
  return shape.is_array() && shape.element_type() == type && shape.has_rank() &&
         shape.dims() == dims;
}

// Whether elements of `type` can be compared as `comparison` says; of total
// order, which is rare, the rule is asked.
bool IsComparedBy(ComparisonType comparison, ElementType type) {
  switch (comparison) {
    case ComparisonType::kDefault:
      return true;
    case ComparisonType::kFloat:
      return IsFloat(type);
    case ComparisonType::kSigned:
      return IsSigned(type);
    case ComparisonType::kUnsigned:
      return IsUnsigned(type);
    default:
      return false;
  }
}

}  // namespace

bool Glance::HasPlainLiteral(const InstructionRecord& r) const {
  const ShapeTable& shapes = data_.pools->shapes();
  return IsPlainLiteralOf(shapes.shape(r.shape), shapes.wire(r.shape),
                          BlobField(data_.pools->blob(r.blob),
                                    field::HloInstructionProto::kLiteral));
}

bool Glance::ReadNumberAlone(const BlobView& blob, uint32_t field,
                             uint64_t* number) {
  *number = 0;
  WireReader reader(blob.before_id);
  const bool is_alone =
      blob.control.empty() &&
      (reader.done() || (reader.ConsumeTag(MakeTag(field, WireType::kVarint)) &&
                         reader.ReadVarint(number) && reader.done()));
  if (!is_alone) return false;
  if (SameBytes(blob.after_callees, understood_rest_)) return true;
  if (!IsSurelyUnderstood(blob)) return false;
  understood_rest_ = blob.after_callees;
  return true;
}

bool Glance::UnderstandsParameter(BlobId id) {
  const BlobView& blob = data_.pools->blob(id);
  uint64_t number;
  return ReadNumberAlone(blob, kParameterNumber, &number) ||
         IsSurelyUnderstood(blob) ||
         data_.pools->attributes_status(Opcode::kParameter, id).ok();
}

bool Glance::IsParameter(const InstructionRecord& r) {
  uint64_t number;
  return r.operand_count == 0 && r.callee_count == 0 &&
         IsPlainArray(data_.pools->shapes().shape(r.shape)) &&
         ReadNumberAlone(data_.pools->blob(r.blob), kParameterNumber, &number);
}

bool Glance::IsElement(uint32_t c, const InstructionRecord& r) {
  if (r.operand_count != 1 || r.callee_count != 0) return false;
  const ShapeTable& shapes = data_.pools->shapes();
  const Shape& tuple = shapes.shape(Operand(c, r, 0));
  uint64_t index;
  return IsPlainArray(shapes.shape(r.shape)) &&
         ReadNumberAlone(data_.pools->blob(r.blob), kTupleIndex, &index) &&
         index < tuple.elements().size() &&
         SameStructure(tuple.elements()[index], shapes.shape(r.shape));
}

bool Glance::OperandsAre(ShapeId shape, uint32_t c, const InstructionRecord& r,
                         uint32_t first) const {
  const ShapeTable& shapes = data_.pools->shapes();
  if (r.operand_count != static_cast<uint32_t>(Info(r.opcode).min_operands) ||
      r.callee_count != 0) {
    return false;
  }
  const StructureId structure = shapes.structure(shape);
  for (uint32_t k = first; k < r.operand_count; ++k) {
    if (shapes.structure(Operand(c, r, k)) != structure) return false;
  }
  return true;
}

bool Glance::IsElementwise(uint32_t c, const InstructionRecord& r) const {
  const Shape& shape = data_.pools->shapes().shape(r.shape);
  if (!KeepsOneShape(r.opcode, shape.element_type()) || !IsPlainArray(shape) ||
      !OperandsAre(r.shape, c, r, 0) || !HasAttributes(r)) {
    return false;
  }
  const auto* const attributes = std::get_if<ElementwiseAttributes>(
      &data_.pools->attributes(r.opcode, r.blob));
  return attributes == nullptr || attributes->broadcast == BroadcastSpec();
}

bool Glance::IsCompare(uint32_t c, const InstructionRecord& r) const {
  if (r.operand_count != 2) return false;
  const ShapeTable& shapes = data_.pools->shapes();
  const Shape& operand = shapes.shape(Operand(c, r, 0));
  if (!IsPlainArray(operand) ||
      !IsArrayOf(ElementType::kPred, operand.dims(), shapes.shape(r.shape)) ||
      !OperandsAre(Operand(c, r, 0), c, r, 1) || !HasAttributes(r)) {
    return false;
  }
  const auto& compare = AttributesAs<CompareAttributes>(r);
  return compare.broadcast == BroadcastSpec() &&
         IsComparedBy(compare.type, operand.element_type());
}

bool Glance::IsSelect(uint32_t c, const InstructionRecord& r) const {
  if (r.operand_count != 3) return false;
  const ShapeTable& shapes = data_.pools->shapes();
  const Shape& shape = shapes.shape(r.shape);
  return IsPlainArray(shape) && OperandsAre(r.shape, c, r, 1) &&
         IsArrayOf(ElementType::kPred, shape.dims(),
                   shapes.shape(Operand(c, r, 0))) &&
         HasAttributes(r);
}

bool Glance::IsTuple(uint32_t c, const InstructionRecord& r) const {
  const ShapeTable& shapes = data_.pools->shapes();
  const Shape& tuple = shapes.shape(r.shape);
  if (!tuple.is_tuple() || r.callee_count != 0 ||
      tuple.elements().size() != r.operand_count || !IsPlain(tuple)) {
    return false;
  }
  for (uint32_t k = 0; k < r.operand_count; ++k) {
    if (!SameStructure(tuple.elements()[k], shapes.shape(Operand(c, r, k)))) {
      return false;
    }
  }
  return HasAttributes(r);
}

bool Glance::IsOfOneArray(uint32_t c, const InstructionRecord& r) const {
  const ShapeTable& shapes = data_.pools->shapes();
  return r.operand_count == 1 && r.callee_count == 0 &&
         IsPlainArray(shapes.shape(r.shape)) &&
         IsPlainArray(shapes.shape(Operand(c, r, 0))) && HasAttributes(r);
}

bool Glance::Moves(uint32_t c, const InstructionRecord& r, Move is) const {
  if (!IsOfOneArray(c, r)) return false;
  const ShapeTable& shapes = data_.pools->shapes();
  const Shape& operand = shapes.shape(Operand(c, r, 0));
  return operand.element_type() == shapes.shape(r.shape).element_type() &&
         (this->*is)(operand, r);
}

bool Glance::IsBroadcast(const Shape& operand,
                         const InstructionRecord& r) const {
  const Shape& shape = data_.pools->shapes().shape(r.shape);
  const DimIndices& map = AttributesAs<DimensionsAttributes>(r).dimensions;
  if (map.size() != operand.dims().size()) return false;
  int64_t last = -1;
  for (size_t i = 0; i < map.size(); ++i) {
    if (map[i] <= last || map[i] >= shape.rank() ||
        shape.dim(static_cast<int>(map[i])) != operand.dims()[i]) {
      return false;
    }
    last = map[i];
  }
  return true;
}

bool Glance::IsReshape(const Shape& operand, const InstructionRecord& r) const {
  const Shape& shape = data_.pools->shapes().shape(r.shape);
  return operand.ElementCount() == shape.ElementCount() &&
         AttributesAs<DimensionsAttributes>(r).dimensions.empty();
}

bool Glance::IsTranspose(const Shape& operand,
                         const InstructionRecord& r) const {
  const absl::Span<const Dim> dims =
      data_.pools->shapes().shape(r.shape).dims();
  const DimIndices& order = AttributesAs<DimensionsAttributes>(r).dimensions;
  const size_t rank = operand.dims().size();
  if (rank > 64 || dims.size() != rank || order.size() != rank) return false;
  uint64_t seen = 0;
  for (size_t i = 0; i < rank; ++i) {
    if (order[i] < 0 || order[i] >= static_cast<int64_t>(rank)) return false;
    const size_t from = static_cast<size_t>(order[i]);
    if ((seen >> from & 1) != 0 || dims[i] != operand.dims()[from]) {
      return false;
    }
    seen |= uint64_t{1} << from;
  }
  return true;
}

bool Glance::IsSlice(const Shape& operand, const InstructionRecord& r) const {
  const absl::Span<const Dim> dims =
      data_.pools->shapes().shape(r.shape).dims();
  const auto& slice = AttributesAs<SliceAttributes>(r);
  const size_t rank = operand.dims().size();
  if (dims.size() != rank || slice.starts.size() != rank ||
      slice.limits.size() != rank || !slice.whole.empty() ||
      (!slice.strides.empty() && slice.strides.size() != rank)) {
    return false;
  }
  for (size_t i = 0; i < rank; ++i) {
    const int64_t stride = slice.strides.empty() ? 1 : slice.strides[i];
    if (slice.starts[i] < 0 || slice.limits[i] < slice.starts[i] ||
        slice.limits[i] > operand.dims()[i].size() || stride <= 0 ||
        CheckedCeilDivide(slice.limits[i] - slice.starts[i], stride) !=
            dims[i].size()) {
      return false;
    }
  }
  return true;
}

bool Glance::IsCall(uint32_t c, const InstructionRecord& r) {
  if (r.callee_count != 1) return false;
  const ShapeTable& shapes = data_.pools->shapes();
  const NodeInputs::Structures& callee =
      inputs_.StructuresOf(data_.Callees(r)[0]);
  if (callee.size() != size_t{r.operand_count} + 1 ||
      shapes.structure(r.shape).value != callee.back() ||
      !IsPlain(shapes.shape(r.shape))) {
    return false;
  }
  for (uint32_t k = 0; k < r.operand_count; ++k) {
    const StructureId operand = shapes.structure(Operand(c, r, k));
    if (!operand || operand.value != callee[k]) return false;
  }
  return HasAttributes(r);
}

bool Glance::IsRight(uint32_t c, const InstructionRecord& r, NodeCheck* check) {
  *check = KindOfCheck(r.opcode);
  switch (r.opcode) {
    case Opcode::kParameter:
      return IsParameter(r);
    case Opcode::kConstant:
      return r.operand_count == 0 && r.callee_count == 0 &&
             IsPlainArray(data_.pools->shapes().shape(r.shape)) &&
             HasPlainLiteral(r);
    case Opcode::kGetTupleElement:
      return IsElement(c, r);
    case Opcode::kTuple:
      return IsTuple(c, r);
    case Opcode::kBitcast:
      return IsOfOneArray(c, r);
    case Opcode::kBroadcast:
      return Moves(c, r, &Glance::IsBroadcast);
    case Opcode::kReshape:
      return Moves(c, r, &Glance::IsReshape);
    case Opcode::kSlice:
      return Moves(c, r, &Glance::IsSlice);
    case Opcode::kTranspose:
      return Moves(c, r, &Glance::IsTranspose);
    case Opcode::kCompare:
      return IsCompare(c, r);
    case Opcode::kSelect:
      return IsSelect(c, r);
    case Opcode::kCall:
    case Opcode::kFusion:
      return IsCall(c, r);
    default:
      return IsElementwise(c, r);
  }
}

}  // namespace indim
