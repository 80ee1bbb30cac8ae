#include "indim/passes/instruction_emitter.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/ir/attribute_wire.h"
#include "indim/ir/literal.h"
#include "indim/ir/shape_wire.h"
#include "indim/ir/wire.h"

namespace indim {
namespace {

// Field numbers of HloInstructionProto.
constexpr int kLiteralField = 8;
constexpr int kShardingField = 40;
constexpr int kBackendConfigField = 43;

constexpr int64_t kLowHalf = 0xffffffff;

}  // namespace

// XLA compares a constant's shape with its literal's, layouts too, and refuses
// a literal without one. The layout that is there wins; else it is row-major.
void LayOutConstant(Pools* pools, InstructionRecord* r) {
  const Shape& shape = pools->shapes().shape(r->shape);
  absl::string_view literal = BlobField(pools->blob(r->blob), kLiteralField);
  WireReader reader(literal);
  uint32_t tag = 0;
  absl::string_view wire;
  if (!reader.ReadTag(&tag) || tag != MakeTag(1, WireType::kLengthDelimited) ||
      !reader.ReadLengthDelimited(&wire)) {
    return;  // no value, or one without a shape: not ours to mend
  }
  const absl::StatusOr<Shape> value = ParseShapeProto(wire);
  if (!value.ok() || !SameStructure(*value, shape)) return;
  const Shape laid_out = shape.has_layout_anywhere()
                             ? shape.WithDefaultLayout()
                             : value->WithDefaultLayout();
  if (!(laid_out == shape)) r->shape = pools->shapes().Intern(laid_out);
  if (value->has_layout_anywhere()) return;
  std::string with_layout;
  AppendTag(1, WireType::kLengthDelimited, &with_layout);
  AppendLengthDelimited(SerializeShapeProto(laid_out), &with_layout);
  with_layout.append(reader.cursor(), reader.remaining());
  const EncodedBlob blob =
      WithField(pools->blob(r->blob), kLiteralField, with_layout);
  r->blob = pools->AddBlob(blob.view());
}

InstructionEmitter::InstructionEmitter(ModuleData* old)
    : old_(*old),
      pools_(old->MutablePools()),
      new_(std::make_shared<ModuleData>()) {
  new_->pools = old_.pools;
  new_->name = old_.name;
  new_->id = old_.id;
  new_->entry = old_.entry;
  new_->entry_name = old_.entry_name;
  new_->host_program_shape = old_.host_program_shape;
  new_->other_fields = old_.other_fields;
  new_->config = old_.config;
  new_->names_as_read = old_.names_as_read;
  new_->computations.reserve(old_.computations.size());
  // Room for one broadcast to two instructions: it takes none until it is used.
  const size_t count = old_.instructions.size() + old_.instructions.size() / 2;
  new_->instructions.reserve(count);
  new_->operands.reserve(old_.operands.size() + old_.instructions.size() / 2);
  new_->ids.reserve(count);
  for (uint32_t i = 0; i < old_.instructions.size(); ++i) {
    last_low_id_ = std::max(last_low_id_, old_.InstructionId(i) & kLowHalf);
  }
}

void InstructionEmitter::BeginComputation(uint32_t c) {
  computation_ = c;
  ComputationRecord record = old_.computations[c];
  record.first = static_cast<uint32_t>(new_->instructions.size());
  record.count = 0;
  new_->computations.push_back(std::move(record));
  new_position_.assign(old_.computations[c].count, 0);
}

void InstructionEmitter::BeginInstruction(uint32_t i) { instruction_ = i; }

void InstructionEmitter::MapOperands(const InstructionRecord& r,
                                     std::vector<uint32_t>* operands) const {
  const absl::Span<const uint32_t> old = old_.Operands(r);
  operands->resize(old.size());
  for (size_t k = 0; k < old.size(); ++k) {
    (*operands)[k] = new_position_[old[k]];
  }
}

void InstructionEmitter::Push(InstructionRecord r,
                              absl::Span<const uint32_t> operands,
                              absl::Span<const uint32_t> callees, int64_t id) {
  r.first_operand = static_cast<uint32_t>(new_->operands.size());
  r.operand_count = static_cast<uint32_t>(operands.size());
  r.callee_count = static_cast<uint32_t>(callees.size());
  if (r.opcode == Opcode::kConstant) LayOutConstant(&pools_, &r);
  new_->operands.insert(new_->operands.end(), operands.begin(), operands.end());
  new_->operands.insert(new_->operands.end(), callees.begin(), callees.end());
  new_->instructions.push_back(r);
  new_->ids.push_back(id);
  ++new_->computations.back().count;
}

void InstructionEmitter::EndInstruction(const InstructionRecord& r,
                                        absl::Span<const uint32_t> operands,
                                        BlobId blob) {
  const uint32_t old_position =
      old_.computations[computation_].first + instruction_;
  const uint32_t position = static_cast<uint32_t>(new_->instructions.size());
  new_position_[instruction_] = new_->computations.back().count;
  if (r.flags & InstructionRecord::kUnknownOpcode) {
    const auto name =
        std::lower_bound(old_.opcode_names.begin(), old_.opcode_names.end(),
                         std::make_pair(old_position, std::string()));
    if (name != old_.opcode_names.end() && name->first == old_position) {
      new_->opcode_names.emplace_back(position, name->second);
    }
  }
  InstructionRecord copy = r;
  copy.blob = blob;
  Push(copy, operands, old_.Callees(r), old_.InstructionId(old_position));
}

void InstructionEmitter::EndComputation() {
  ComputationRecord& record = new_->computations.back();
  if (record.count > 0) record.root = new_position_[record.root];
}

void InstructionEmitter::CopyComputation(uint32_t c) {
  BeginComputation(c);
  for (uint32_t i = 0; i < old_.computations[c].count; ++i) {
    BeginInstruction(i);
    const InstructionRecord& r =
        old_.instructions[old_.computations[c].first + i];
    EndInstruction(r, old_.Operands(r), r.blob);
  }
  new_->computations.back().root = old_.computations[c].root;
}

Module InstructionEmitter::Finish() {
  new_->ForgetSpellings();
  return Module(std::move(new_));
}

const Shape& InstructionEmitter::shape(uint32_t value) const {
  const uint32_t first = new_->computations.back().first;
  return pools_.shapes().shape(new_->instructions[first + value].shape);
}

BlobId InstructionEmitter::BlobWithout(BlobId blob, int field) {
  bool present = false;
  BlobField(pools_.blob(blob), field, &present);
  if (!present) return blob;
  return pools_.AddBlob(WithoutField(pools_.blob(blob), field).view());
}

uint32_t InstructionEmitter::Emit(Opcode opcode, const Shape& shape,
                                  absl::Span<const uint32_t> operands,
                                  const EncodedBlob& blob) {
  return Emit(opcode, pools_.shapes().Intern(shape),
              pools_.AddBlob(blob.view()), operands);
}

uint32_t InstructionEmitter::Emit(Opcode opcode, ShapeId shape, BlobId blob,
                                  absl::Span<const uint32_t> operands) {
  const uint32_t user = old_.computations[computation_].first + instruction_;
  InstructionRecord r;
  r.opcode = opcode;
  r.shape = shape;
  r.blob = blob;
  r.metadata = old_.instructions[user].metadata;
  const int64_t high = old_.InstructionId(user) & ~kLowHalf;
  const uint32_t position = new_->computations.back().count;
  Push(r, operands, {}, high | ++last_low_id_);
  return position;
}

uint32_t InstructionEmitter::Emit(Opcode opcode, const Shape& shape,
                                  absl::Span<const uint32_t> operands,
                                  const Attributes& attributes) {
  return Emit(opcode, shape, operands, EncodeAttributes(opcode, attributes));
}

InstructionEmitter::Recipe InstructionEmitter::RecipeSince(
    uint32_t first, absl::Span<const uint32_t> before,
    absl::Span<const uint32_t> after, BlobId blob) const {
  const auto encode = [&](absl::Span<const uint32_t> values) {
    absl::InlinedVector<int32_t, 3> encoded;
    for (const uint32_t value : values) {
      encoded.push_back(
          value >= first ? -1 - static_cast<int32_t>(value - first)
                         : static_cast<int32_t>(
                               std::find(before.begin(), before.end(), value) -
                               before.begin()));
    }
    return encoded;
  };
  Recipe recipe;
  const uint32_t base = new_->computations.back().first;
  for (uint32_t i = first; i < next(); ++i) {
    const InstructionRecord& r = new_->instructions[base + i];
    recipe.steps.push_back(
        {r.opcode, r.shape, r.blob, encode(new_->Operands(r))});
  }
  recipe.operands = encode(after);
  recipe.blob = blob;
  return recipe;
}

void InstructionEmitter::Follow(const Recipe& recipe,
                                std::vector<uint32_t>* operands) {
  const uint32_t first = next();
  const auto decode = [&](int32_t value) {
    return value < 0 ? first + static_cast<uint32_t>(-1 - value)
                     : (*operands)[static_cast<size_t>(value)];
  };
  absl::InlinedVector<uint32_t, 6> values;
  for (const Recipe::Step& step : recipe.steps) {
    values.clear();
    for (const int32_t value : step.operands) values.push_back(decode(value));
    Emit(step.opcode, step.shape, step.blob, values);
  }
  values.clear();
  for (const int32_t value : recipe.operands) values.push_back(decode(value));
  operands->assign(values.begin(), values.end());
}

uint32_t InstructionEmitter::Convert(uint32_t value, ElementType type) {
  Shape result = shape(value).WithoutLayout();
  result.set_element_type(type);
  return Emit(Opcode::kConvert, result, {value}, NoAttributes());
}

uint32_t InstructionEmitter::Reshape(uint32_t value, const Shape& shape) {
  return Emit(Opcode::kReshape, shape, {value}, DimensionsAttributes());
}

uint32_t InstructionEmitter::Broadcast(uint32_t value, const Shape& shape,
                                       const DimIndices& dims, bool annotate) {
  EncodedBlob blob =
      EncodeAttributes(Opcode::kBroadcast, DimensionsAttributes{dims});
  const uint32_t user = old_.computations[computation_].first + instruction_;
  bool sharded = false;
  const absl::string_view sharding = BlobField(
      pools_.blob(old_.instructions[user].blob), kShardingField, &sharded);
  if (annotate && sharded) {
    blob = WithField(blob.view(), kShardingField, sharding);
  }
  return Emit(Opcode::kBroadcast, shape, {value}, blob);
}

uint32_t InstructionEmitter::ConstantS32(int32_t value) {
  const Shape scalar = Shape::Scalar(ElementType::kS32).WithDefaultLayout();
  const absl::StatusOr<Literal> literal =
      Literal::Array(absl::MakeConstSpan(&value, 1), {});
  const EncodedBlob blob =
      WithField(BlobView(), kLiteralField,
                literal.ok() ? SerializeLiteralProto(*literal) : std::string());
  return Emit(Opcode::kConstant, scalar, {}, blob);
}

uint32_t InstructionEmitter::GetDimensionSize(uint32_t value, int64_t dim) {
  return Emit(Opcode::kGetDimensionSize, Shape::Scalar(ElementType::kS32),
              {value}, DimensionsAttributes{{dim}});
}

uint32_t InstructionEmitter::Equal(uint32_t lhs, uint32_t rhs) {
  return Emit(Opcode::kCompare, Shape::Scalar(ElementType::kPred), {lhs, rhs},
              CompareAttributes());
}

uint32_t InstructionEmitter::Select(uint32_t pred, uint32_t on_true,
                                    uint32_t on_false) {
  return Emit(Opcode::kSelect, shape(on_true).WithoutLayout(),
              {pred, on_true, on_false}, NoAttributes());
}

uint32_t InstructionEmitter::Stack(absl::Span<const uint32_t> scalars) {
  const Shape one = Shape::Of(ElementType::kS32, {1});
  std::vector<uint32_t> rows;
  for (const uint32_t scalar : scalars) rows.push_back(Reshape(scalar, one));
  if (rows.size() == 1) return rows[0];
  const int64_t count = static_cast<int64_t>(rows.size());
  return Emit(Opcode::kConcatenate, Shape::Of(ElementType::kS32, {count}), rows,
              DimensionsAttributes{{0}});
}

uint32_t InstructionEmitter::DynamicBroadcastInDim(uint32_t value,
                                                   uint32_t sizes,
                                                   const Shape& shape,
                                                   const DimIndices& dims) {
  CustomCallAttributes attributes;
  attributes.target = "mhlo.dynamic_broadcast_in_dim";
  attributes.api_version = 1;
  const EncodedBlob call = EncodeAttributes(Opcode::kCustomCall, attributes);
  const EncodedBlob blob = WithField(
      call.view(), kBackendConfigField,
      absl::StrCat("{broadcast_dimensions=[", absl::StrJoin(dims, ","), "]}"));
  return Emit(Opcode::kCustomCall, shape, {value, sizes}, blob);
}

}  // namespace indim
