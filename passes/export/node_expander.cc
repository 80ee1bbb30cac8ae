// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/export/node_expander.h"

#include <limits>
#include <numeric>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/types/span.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_numbers.h"

namespace indim {
namespace {

using field::HloInstructionProto::kSharding;

bool MayBroadcast(Opcode opcode) {
  const OpInfo& op = Info(opcode);
  return op.has(kBroadcasts) || op.has(kScalarsStretch);
}

// Whether `dim` of operand `operand` may have to stretch at run time.
bool MayStretch(const BroadcastPlan& plan, DimRef ref) {
  using Kind = Condition::Kind;
  return absl::c_any_of(plan.conditions, [&](const Condition& c) {
    const bool either = c.kind == Kind::kEitherOneOrEqual;
    return ((either || c.kind == Kind::kOneOrEqual) && c.a == ref) ||
           (either && c.b == ref);
  });
}

// How an operand gets the result's dims.
enum class Way {
  kAsItIs,
  kStatic,   // by broadcast and reshape
  kRuntime,  // it depends on the run whether a dim stretches
  kNoWay,    // XLA has no operation for it
};

Way WayOf(const BroadcastPlan& plan, int operand, const Shape& shape) {
  const BroadcastPlan::DimMap& map = plan.operands[operand];
  bool same = shape.rank() == static_cast<int>(plan.dims.size());
  bool unknown = false;
  bool dropped = false;
  bool runtime = false;
  std::vector<bool> covered(plan.dims.size(), false);
  for (int d = 0; d < shape.rank(); ++d) {
    if (map[d] < 0) {  // a trailing 1 of kPdpd
      dropped = true;
      if (same && shape.dim(d) != plan.dims[d]) same = false;
      continue;
    }
    const Dim dim = shape.dim(d);
    const Dim result = plan.dims[map[d]];
    if (dim.is_unknown() || (dim.is_symbolic() && dim != result)) {
      unknown = true;
      if (MayStretch(plan, {operand, d})) runtime = true;
    } else if (!dim.is_exact()) {
      // A dim with the result's bound stays: XLA itself stretches it where its
      // run-time size is 1.
      if (dim.upper() != result.upper()) return Way::kNoWay;
    } else if (dim.is(1) && !result.is(1)) {
      same = false;
      continue;  // stretches
    }
    covered[map[d]] = true;
  }
  for (size_t r = 0; r < covered.size(); ++r) {
    const Dim dim = plan.dims[r];
    if (!covered[r] && !dim.has_upper() && !dim.is_symbolic()) runtime = true;
  }
  // reshape and broadcast don't take unknown dims.
  if (unknown && !same) runtime = true;
  if (runtime && dropped) return Way::kNoWay;
  return runtime ? Way::kRuntime : same ? Way::kAsItIs : Way::kStatic;
}

// The first dim of the result that neither XLA can express nor a name, which
// Refine gives a value; or -1.
int FirstDimXlaLacks(const BroadcastPlan& plan) {
  for (size_t r = 0; r < plan.dims.size(); ++r) {
    const Dim dim = plan.dims[r];
    if (!dim.is_xla() && !dim.is_symbolic()) return static_cast<int>(r);
  }
  return -1;
}

// The size to which a broadcast stretches: a named one, or the most that it
// can be.
Dim StretchedSize(Dim dim) {
  return dim.is_symbolic() ? dim : Dim::Static(dim.upper());
}

}  // namespace

NodeExpander::NodeExpander(const ModuleData* data, Report* report)
    : data_(*data),
      report_(*report),
      inputs_(data),
      keeps_(data->computations.size(), Known::kNotYet) {
  for (const OpInfo& op : AllOps()) {
    may_change_[static_cast<size_t>(op.opcode)] =
        op.has(kUnifiesFloats) || MayBroadcast(op.opcode);
  }
}

bool NodeExpander::HasImplicitBroadcast(AttributeBytesId attribute_bytes) {
  if (attribute_bytes.value >= says_broadcast_.size()) {
    says_broadcast_.resize(attribute_bytes.value + 1, Known::kNotYet);
  }
  Known& known = says_broadcast_[attribute_bytes.value];
  if (known == Known::kNotYet) {
    bool present = false;
    AttributeBytesField(data_.pools->attribute_bytes(attribute_bytes),
                        field::HloInstructionProto::kImplicitBroadcast,
                        &present);
    known = present ? Known::kYes : Known::kNo;
  }
  return known == Known::kYes;
}

bool NodeExpander::Keeps(uint32_t c) {
  Known& known = keeps_[c];
  if (known == Known::kNotYet) {
    const bool keeps = absl::c_all_of(
        data_.Instructions(c),
        [&](const InstructionRecord& r) { return IsExpanded(c, r); });
    known = keeps ? Known::kYes : Known::kNo;
  }
  return known == Known::kYes;
}

bool NodeExpander::KeyOf(uint32_t c, uint32_t i, NodeKey* key) {
  const InstructionRecord& r = data_.Record(c, i);
  return inputs_.KeyOf(c, r, r.attribute_bytes, r.metadata, key);
}

bool NodeExpander::IsExpanded(uint32_t c, const InstructionRecord& r) {
  if (!may_change_[static_cast<size_t>(r.opcode)]) return true;
  const bool mixes = Info(r.opcode).has(kUnifiesFloats);
  const bool broadcasts = MayBroadcast(r.opcode);
  if (HasImplicitBroadcast(r.attribute_bytes)) return false;
  const ShapeTable& shapes = data_.pools->shapes();
  const InstructionRecord* const base =
      data_.instructions.data() + data_.computations[c].first;
  const absl::Span<const uint32_t> operands = data_.Operands(r);
  // Usually all have one shape.
  if (absl::c_all_of(operands, [&](uint32_t operand) {
        return base[operand].shape == r.shape;
      })) {
    return true;
  }
  const Shape& result = shapes.shape(r.shape);
  ElementType type = ElementType::kInvalid;
  for (const uint32_t operand : operands) {
    const Shape& shape = shapes.shape(base[operand].shape);
    if (broadcasts && !absl::c_equal(shape.dims(), result.dims())) return false;
    if (!mixes || !IsFloat(shape.element_type())) continue;
    if (type != ElementType::kInvalid && type != shape.element_type()) {
      return false;
    }
    type = shape.element_type();
  }
  return true;
}

bool NodeExpander::Fail(Code code, int dim, int operand) {
  Diagnostic d;
  d.code = code;
  d.dim = dim;
  d.operand = operand;
  errors_.push_back(std::move(d));
  return false;
}

std::optional<Expansion> NodeExpander::Expand(uint32_t c, uint32_t i) {
  const InstructionRecord& r = data_.Record(c, i);
  Expansion expansion;
  if (r.opcode == Opcode::kConstant) {
    LayOutConstant(*data_.pools, r.shape, r.attribute_bytes, &expansion);
    return expansion;
  }
  if (NeverChanges(r.opcode)) return expansion;
  errors_.clear();
  if (ExpandAlone(r, inputs_.Gather(c, r), &expansion)) return expansion;
  if (!Keeps(c)) {
    for (Diagnostic& d : errors_) report_.Add({std::move(d), c, i});
  }
  return std::nullopt;
}

bool NodeExpander::ExpandAlone(const InstructionRecord& r,
                               const OpInputs& inputs, Expansion* expansion) {
  const AttributeBytesView attribute_bytes =
      data_.pools->attribute_bytes(r.attribute_bytes);
  bool sharded = false;
  const absl::string_view sharding =
      AttributeBytesField(attribute_bytes, kSharding, &sharded);
  emit_.emplace(inputs.operands, sharded ? &sharding : nullptr, expansion);
  operands_.resize(inputs.operands.size());
  std::iota(operands_.begin(), operands_.end(), 0);
  if (Info(r.opcode).has(kUnifiesFloats)) MatchFloatTypes(inputs);
  if (Info(r.opcode).has(kBroadcasts) && inputs.declared != nullptr) {
    if (!ExpandBinary(inputs)) return false;
    if (HasImplicitBroadcast(r.attribute_bytes)) {
      expansion->attribute_bytes = WithoutField(
          attribute_bytes, field::HloInstructionProto::kImplicitBroadcast);
    }
  } else if (Info(r.opcode).has(kScalarsStretch)) {
    ExpandScalars(inputs);
  }
  expansion->operands = operands_;
  return true;
}

// Converts operands to the operation's float type: XLA's builder accepts mixed
// float types, its verifier doesn't.
void NodeExpander::MatchFloatTypes(const OpInputs& inputs) {
  ElementType type = inputs.declared->element_type();
  if (inputs.opcode == Opcode::kCompare) {
    const std::optional<ElementType> common = HigherPrecision(
        inputs.operands[0]->element_type(), inputs.operands[1]->element_type());
    if (!common) return;
    type = *common;
  }
  if (!IsFloat(type)) return;
  for (size_t k = 0; k < inputs.operands.size(); ++k) {
    const Shape& shape = *inputs.operands[k];
    if (!IsFloat(shape.element_type()) || shape.element_type() == type) {
      continue;
    }
    operands_[k] = emit_->Convert(operands_[k], type);
  }
}

bool NodeExpander::ExpandBinary(const OpInputs& inputs) {
  const BroadcastSpec& spec =
      inputs.opcode == Opcode::kCompare
          ? inputs.attributes_as<CompareAttributes>().broadcast
          : inputs.attributes_as<ElementwiseAttributes>().broadcast;
  BroadcastPlan plan;
  if (!PlanBroadcast(spec, inputs.operands, &plan, &errors_)) return false;
  if (absl::c_any_of(inputs.operands,
                     [](const Shape* shape) { return shape->is_unranked(); })) {
    return Fail(Code::kExpandUnranked, -1);
  }
  const int lacking = FirstDimXlaLacks(plan);
  if (lacking >= 0) return Fail(Code::kExpandInterval, lacking);
  for (int k = 0; k < static_cast<int>(operands_.size()); ++k) {
    const Way way = WayOf(plan, k, *inputs.operands[k]);
    if (way == Way::kNoWay) return Fail(Code::kExpandBounded, -1, k);
    const auto large = absl::c_find_if(plan.dims, [](Dim dim) {
      return dim.has_upper() &&
             dim.upper() > std::numeric_limits<int32_t>::max();
    });
    if (way == Way::kRuntime && large != plan.dims.end()) {
      return Fail(Code::kExpandSizeRange,
                  static_cast<int>(large - plan.dims.begin()));
    }
  }
  Expansion::Values placed;
  for (size_t k = 0; k < operands_.size(); ++k) {
    placed.push_back(
        PlaceOperand(plan, spec.rule, inputs, static_cast<int>(k)));
  }
  operands_ = std::move(placed);
  return true;
}

// For select, clamp and map: broadcasts scalars to the shape of the first
// operand that is an array of rank 1 or more.
void NodeExpander::ExpandScalars(const OpInputs& inputs) {
  int donor = -1;
  for (size_t k = 0; k < inputs.operands.size(); ++k) {
    if (inputs.operands[k]->rank() > 0) {
      donor = static_cast<int>(k);
      break;
    }
  }
  if (donor < 0) return;
  const Shape& target = *inputs.operands[donor];
  for (size_t k = 0; k < inputs.operands.size(); ++k) {
    if (!inputs.operands[k]->is_scalar()) continue;
    const Shape* pair[] = {inputs.operands[k], &target};
    OpInputs two = inputs;
    two.operands = pair;
    const Expansion::Values all = operands_;
    operands_ = {all[k], all[donor]};
    BroadcastPlan plan;
    std::vector<Diagnostic> ignored;  // a scalar matches any shape
    PlanBroadcast(BroadcastSpec(), two.operands, &plan, &ignored);
    const Value placed = PlaceOperand(plan, BroadcastRule::kXla, two, 0);
    operands_ = all;
    operands_[k] = placed;
  }
}

Expansion::Value NodeExpander::PlaceOperand(const BroadcastPlan& plan,
                                            BroadcastRule rule,
                                            const OpInputs& inputs,
                                            int operand) {
  const Shape& shape = *inputs.operands[operand];
  const Value value = operands_[operand];
  const BroadcastPlan::DimMap& map = plan.operands[operand];
  switch (WayOf(plan, operand, shape)) {
    case Way::kAsItIs:
    case Way::kNoWay:  // already refused
      return value;
    case Way::kRuntime:
      return PlaceAtRunTime(plan, inputs, operand);
    case Way::kStatic:
      break;
  }
  const int rank = static_cast<int>(plan.dims.size());
  if (rule != BroadcastRule::kXla || shape.is_scalar() ||
      shape.rank() == rank) {
    return PlaceStatic(plan, shape, map, value);
  }
  // As XLA's builder: first to the result's rank, where a 1 stays 1, then
  // stretching as a second step.
  Shape raised = Shape::Array(emit_->shape(value).element_type(), {});
  for (const Dim dim : plan.dims) raised.add_dim(StretchedSize(dim));
  DimIndices dims;
  for (int d = 0; d < shape.rank(); ++d) {
    raised.set_dim(map[d], shape.dim(d));
    dims.push_back(map[d]);
  }
  BroadcastPlan::DimMap identity(rank);
  std::iota(identity.begin(), identity.end(), 0);
  const Value wide = emit_->Broadcast(value, raised, dims);
  return PlaceStatic(plan, raised, identity, wide);
}

// Drops the dims that stretch (and those without a place) and broadcasts the
// rest. `map` has the place of each dim of `shape`, the shape of `value`.
Expansion::Value NodeExpander::PlaceStatic(const BroadcastPlan& plan,
                                           const Shape& shape,
                                           BroadcastPlan::DimMap map,
                                           Value value) {
  const ElementType type = emit_->shape(value).element_type();
  Shape kept = Shape::Array(type, {});
  Shape result = Shape::Array(type, {});
  for (const Dim dim : plan.dims) result.add_dim(StretchedSize(dim));
  DimIndices dims;
  for (int d = 0; d < shape.rank(); ++d) {
    const Dim dim = shape.dim(d);
    if (map[d] < 0 || (dim.is(1) && !plan.dims[map[d]].is(1))) continue;
    kept.add_dim(dim);
    result.set_dim(map[d], dim);
    dims.push_back(map[d]);
  }
  if (kept.rank() == shape.rank() && kept.rank() == result.rank()) return value;
  if (kept.rank() < shape.rank()) value = emit_->Reshape(value, kept);
  if (kept.rank() == result.rank()) return value;
  return emit_->Broadcast(value, result, dims);
}

// The run-time size of a result dim as s32[]: from an operand's dim that can't
// stretch; if all can, the first that isn't 1.
Expansion::Value NodeExpander::ResultSize(const BroadcastPlan& plan,
                                          const OpInputs& inputs,
                                          int result_dim) {
  const Dim dim = plan.dims[result_dim];
  if (dim.is_static()) {
    return emit_->ConstantS32(static_cast<int32_t>(dim.size()));
  }
  std::vector<DimRef> stretching;
  for (size_t k = 0; k < inputs.operands.size(); ++k) {
    const Shape& shape = *inputs.operands[k];
    for (int d = 0; d < shape.rank(); ++d) {
      if (plan.operands[k][d] != result_dim || shape.dim(d).is(1)) continue;
      const DimRef ref{static_cast<int>(k), d};
      if (!MayStretch(plan, ref)) {
        return emit_->GetDimensionSize(operands_[k], d);
      }
      stretching.push_back(ref);
    }
  }
  const Value one = emit_->ConstantS32(1);
  Value size = one;
  for (const DimRef ref : stretching) {
    const Value other =
        emit_->GetDimensionSize(operands_[ref.operand], ref.dim);
    size = size == one ? other
                       : emit_->Select(emit_->Equal(size, one), other, size);
  }
  return size;
}

// The instructions of XLA's builder for an unknown size, with two differences:
// operands are placed as the rule maps them (XLA: at the last dims), and the
// size that isn't 1 wins (XLA: the larger one, which is wrong for 0 with 1).
Expansion::Value NodeExpander::PlaceAtRunTime(const BroadcastPlan& plan,
                                              const OpInputs& inputs,
                                              int operand) {
  const Shape& shape = *inputs.operands[operand];
  const Value value = operands_[operand];
  const BroadcastPlan::DimMap& map = plan.operands[operand];
  const DimIndices dims(map.begin(), map.begin() + shape.rank());
  Expansion::Values sizes;
  for (size_t r = 0; r < plan.dims.size(); ++r) {
    sizes.push_back(ResultSize(plan, inputs, static_cast<int>(r)));
  }
  return emit_->DynamicBroadcastInDim(
      value, emit_->Stack(sizes),
      Shape::Array(emit_->shape(value).element_type(), plan.dims), dims);
}

}  // namespace indim
