#include "indim/passes/export/expanded_writer.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "absl/base/optimization.h"
#include "absl/container/flat_hash_map.h"
#include "indim/codec/shape_wire.h"
#include "indim/hlo_proto/inline_literals.h"
#include "indim/hlo_proto/instruction_encoder.h"
#include "indim/hlo_proto/module_writer.h"
#include "indim/ir/final_names.h"
#include "indim/ir/module_access.h"
#include "indim/ir/module_data.h"
#include "indim/ir/report.h"
#include "indim/passes/check/node_checker.h"
#include "indim/passes/check/node_inputs.h"
#include "indim/passes/export/lay_out.h"
#include "indim/passes/export/node_expander.h"
#include "indim/passes/export/write_plan.h"
#include "indim/passes/export/xla_spelling.h"
#include "indim/structure/structure.h"
#include "indim/wire/attribute_bytes.h"
#include "indim/wire/field_numbers.h"
#include "indim/wire/wire_buffer.h"

namespace indim {
namespace {

constexpr uint64_t kLargestForXla = std::numeric_limits<int32_t>::max();

class ExpandedWriter {
 public:
  ExpandedWriter(const Module& module, ExportCheck check)
      : data_(internal::DataOf(module)),
        check_(check),
        names_(data_, FinalNames::Keep::kUnchecked),
        buffer_(nullptr),
        encoder_(&buffer_),
        inputs_(&data_),
        checker_(&data_, RulesOf(data_), {},
                 {BroadcastableMode::kLenient, &verified_}),
        as_xla_(&data_, InferPolicy::kVerifier, {},
                {BroadcastableMode::kLenient, &verified_}),
        expander_(&data_, &verified_.report) {
    FindReplacedShapes();
  }

  std::optional<std::string> ToString();
  std::optional<absl::Status> To(const std::function<absl::Status()>& begin,
                                 const WireBuffer::Sink& sink);

 private:
  // The state of a node's computation.
  enum class State : uint8_t { kAny, kHasNothing, kIsExpanded };

  // Writes everything into buffer_. False: the caller must run the stages one
  // by one.
  bool Write();
  bool WriteComputation(uint32_t c, ModuleWriter* writer);
  // Null: as Write's false.
  WritePlan* PlanOf(uint32_t c, uint32_t i);
  // The plan of a frequent kind of node; null: another kind, or no plan kept.
  WritePlan* KnownPlanOf(const InstructionRecord* base,
                         const InstructionRecord& r);
  WritePlan* FindOrMake(uint32_t c, uint32_t i, State state,
                        const NodeKey* key);
  bool MakePlan(uint32_t c, uint32_t i, State state, WritePlan* plan);
  // False: as in Write.
  bool MakeExpansion(uint32_t c, uint32_t i, State state, WritePlan* plan);
  void WriteNode(const ComputationRecord& computation, uint32_t position,
                 WritePlan* plan);
  // WriteSteps puts the ids of the instruction's own operands into values_.
  void WriteSteps(WritePlan* plan, const int64_t* operands);
  void FindValues(const Expansion::Values& values, const int64_t* operands,
                  int64_t first_step);
  void FindReplacedShapes();

  const ModuleData& data_;
  const ExportCheck check_;
  const FinalNames names_;
  WireBuffer buffer_;
  InstructionEncoder encoder_;
  VerifyResult verified_;
  NodeInputs inputs_;
  ShapeVerifier checker_;
  ShapeVerifier as_xla_;  // checks nodes that expand on their own
  NodeExpander expander_;
  int64_t last_id_ = 0;  // of any instruction, also new ones
  // The state of the current computation; kAny: not determined yet.
  State state_ = State::kAny;
  absl::flat_hash_map<uint32_t, Shape> replaced_;
  WritePlans plans_;
  WritePlan once_;
  // The given names of the current sweep, and whether all differ so far.
  GivenNames* given_ = nullptr;
  bool names_differ_ = true;
  // ids_: ids of operands and callees, if there are many. values_: ids of an
  // expansion's operands, with room for those of any plan.
  std::vector<int64_t> ids_, values_;
  std::vector<uint32_t> parameters_;  // of the current computation
};

inline bool HasFewParts(const InstructionRecord& r) {
  return r.operand_count <= 2 && r.callee_count == 0;
}

inline WritePlan* ExpandedWriter::KnownPlanOf(const InstructionRecord* base,
                                              const InstructionRecord& r) {
  if (ABSL_PREDICT_FALSE(!HasFewParts(r))) return nullptr;
  const uint32_t* const operands = data_.operands.data() + r.first_operand;
  NodeKeyOf<2> key = MakeNodeKey<2>(r.opcode, r.operand_count, r.callee_count,
                                    r.metadata, r.shape, r.attribute_bytes);
  if (r.operand_count > 0) AddPart(0, base[operands[0]].shape.value, &key);
  if (r.operand_count > 1) AddPart(1, base[operands[1]].shape.value, &key);
  return plans_.FindFew(key);
}

bool ExpandedWriter::MakeExpansion(uint32_t c, uint32_t i, State state,
                                   WritePlan* plan) {
  const InstructionRecord& r =
      data_.instructions[data_.computations[c].first + i];
  plan->expansion = Expansion();
  plan->hangs_on_computation = false;
  plan->is_parameter = r.opcode == Opcode::kParameter;
  const bool is_constant = r.opcode == Opcode::kConstant;
  if (state == State::kHasNothing && !is_constant) return true;
  std::optional<Expansion> expansion = expander_.Expand(c, i);
  if (!expansion) return false;
  plan->hangs_on_computation = state == State::kAny && !is_constant &&
                               !expansion->keeps_all() &&
                               expander_.IsExpanded(c, r);
  if (!plan->hangs_on_computation) plan->expansion = *std::move(expansion);
  return true;
}

bool ExpandedWriter::MakePlan(uint32_t c, uint32_t i, State state,
                              WritePlan* plan) {
  const uint32_t position = data_.computations[c].first + i;
  const InstructionRecord& r = data_.instructions[position];
  const Pools& pools = *data_.pools;
  if (!r.shape || !HasXlaSpelling(pools.shapes().shape(r.shape)) ||
      FirstOpenLimit(data_, r) >= 0) {
    return false;
  }
  if (r.opcode == Opcode::kConstant) {
    bool has_values = false;
    AttributeBytesField(pools.attribute_bytes(r.attribute_bytes),
                        field::HloInstructionProto::kLiteral, &has_values);
    if (!has_values) return false;
  }
  checker_.Visit(c, i);
  if (!verified_.ok()) return false;
  if (!MakeExpansion(c, i, state, plan)) return false;
  if (plan->hangs_on_computation) return true;
  const Expansion& expansion = plan->expansion;
  if (expansion.steps.empty() && check_ == ExportCheck::kAll) {
    // XLA's builder accepts more than its verifier, which checks the node too.
    as_xla_.Visit(c, i);
    if (!verified_.ok()) return false;
  }
  const absl::string_view metadata = pools.metadata(r.metadata);
  const absl::string_view* const user = r.metadata ? &metadata : nullptr;
  plan->steps.resize(expansion.steps.size());
  for (size_t s = 0; s < expansion.steps.size(); ++s) {
    const Expansion::Step& step = expansion.steps[s];
    const std::string wire =
        SerializeShapeProto(step.shape.WithDefaultLayout());
    const absl::string_view shape = wire;
    plan->steps[s].Assign(Name(step.opcode), &shape, user,
                          step.attribute_bytes.view());
  }
  const std::string wire = SerializeShapeProto(
      (expansion.shape ? *expansion.shape : pools.shapes().shape(r.shape))
          .WithDefaultLayout());
  const absl::string_view shape = wire;
  plan->bytes.Assign(Name(r.opcode), &shape, user,
                     expansion.attribute_bytes
                         ? expansion.attribute_bytes->view()
                         : pools.attribute_bytes(r.attribute_bytes));
  values_.resize(
      std::max(values_.size(), plan->MostOperands() + r.callee_count));
  return true;
}

WritePlan* ExpandedWriter::FindOrMake(uint32_t c, uint32_t i, State state,
                                      const NodeKey* key) {
  if (key != nullptr) {
    if (WritePlan* const known = plans_.Find(*key)) return known;
    if (plans_.IsWantedAgain(*key)) {
      auto plan = std::make_unique<WritePlan>();
      if (!MakePlan(c, i, state, plan.get())) return nullptr;
      return plans_.Keep(*key, std::move(plan));
    }
  }
  return MakePlan(c, i, state, &once_) ? &once_ : nullptr;
}

WritePlan* ExpandedWriter::PlanOf(uint32_t c, uint32_t i) {
  const InstructionRecord& r =
      data_.instructions[data_.computations[c].first + i];
  NodeKey key;
  const bool has_key = inputs_.KeyOf(c, r, r.attribute_bytes, r.metadata, &key);
  WritePlan* const plan =
      FindOrMake(c, i, State::kAny, has_key ? &key : nullptr);
  if (plan == nullptr) return nullptr;
  if (plan->hangs_on_computation) {
    if (state_ == State::kAny) {
      state_ =
          expander_.IsExpanded(c) ? State::kHasNothing : State::kIsExpanded;
    }
    key[0] |= static_cast<uint64_t>(state_) << 24;
    return FindOrMake(c, i, state_, has_key ? &key : nullptr);
  }
  if (has_key && HasFewParts(r) && plan != &once_) {
    plans_.KeepFew({key[0], key[1], key[2]}, plan);
  }
  return plan;
}

inline void ExpandedWriter::FindValues(const Expansion::Values& values,
                                       const int64_t* operands,
                                       int64_t first_step) {
  int64_t* out = values_.data();
  for (const Expansion::Value value : values) {
    *out++ = value < 0
                 ? first_step + static_cast<int64_t>(Expansion::StepOf(value))
                 : operands[value];
  }
}

void ExpandedWriter::WriteSteps(WritePlan* plan, const int64_t* operands) {
  const Expansion& expansion = plan->expansion;
  const int64_t first_step = last_id_ + 1;
  for (size_t s = 0; s < plan->steps.size(); ++s) {
    const Expansion::Values& values = expansion.steps[s].operands;
    FindValues(values, operands, first_step);
    InstructionEncoder::Own own;
    own.id = ++last_id_;
    own.ids = absl::MakeConstSpan(values_.data(), values.size());
    own.operand_count = values.size();
    encoder_.Write(own, &plan->steps[s]);
  }
  FindValues(expansion.operands, operands, first_step);
}

inline void ExpandedWriter::WriteNode(const ComputationRecord& computation,
                                      uint32_t position, WritePlan* plan) {
  const InstructionRecord& r = data_.instructions[position];
  size_t operand_count = r.operand_count;
  std::array<int64_t, kMaxKeyParts> few;
  int64_t* ids = few.data();
  if (operand_count + r.callee_count > few.size()) {
    ids_.resize(operand_count + r.callee_count);
    ids = ids_.data();
  }
  const uint32_t* const operands = data_.operands.data() + r.first_operand;
  const int64_t first_id = int64_t{computation.first} + 1;
  for (size_t k = 0; k < operand_count; ++k) ids[k] = first_id + operands[k];
  if (!plan->steps.empty()) {
    WriteSteps(plan, ids);
    ids = values_.data();
    operand_count = plan->expansion.operands.size();
  }
  for (uint32_t k = 0; k < r.callee_count; ++k) {
    ids[operand_count + k] =
        data_.computations[operands[r.operand_count + k]].id;
  }
  buffer_.Step();
  InstructionEncoder::Own own;
  own.id = int64_t{position} + 1;
  own.ids = absl::MakeConstSpan(ids, operand_count + r.callee_count);
  own.operand_count = operand_count;
  if (r.name) {
    own.name = data_.pools->name(r.name);
    names_differ_ = given_->Add(own.name) && names_differ_;
  }
  encoder_.Write(own, &plan->bytes);
}

bool ExpandedWriter::WriteComputation(uint32_t c, ModuleWriter* writer) {
  const ComputationRecord& computation = data_.computations[c];
  if (computation.name == Pools::kNameless ||
      !computation.program_shape.empty() ||
      computation.program_shape_when_empty != WhenEmpty::kMake) {
    return false;
  }
  state_ = State::kAny;
  parameters_.clear();
  const InstructionRecord* const base =
      data_.instructions.data() + computation.first;
  for (uint32_t i = 0; i < computation.count; ++i) {
    // Expansion needs shapes; check those of the operands first.
    const InstructionRecord& r = base[i];
    if (!r.shape || r.name == Pools::kNameless) return false;
    WritePlan* plan = KnownPlanOf(base, r);
    if (ABSL_PREDICT_FALSE(plan == nullptr)) {
      plan = PlanOf(c, i);
      if (plan == nullptr) return false;
    }
    if (buffer_.over_limit()) return false;
    if (plan->is_parameter) parameters_.push_back(i);
    WriteNode(computation, computation.first + i, plan);
  }
  writer->SetParameters(c, parameters_);
  return true;
}

// A computation's result shape is that of its root as written.
void ExpandedWriter::FindReplacedShapes() {
  for (const ComputationRecord& computation : data_.computations) {
    const uint32_t root = computation.first + computation.root;
    if (computation.root >= computation.count ||
        data_.instructions[root].opcode != Opcode::kConstant) {
      continue;
    }
    const InstructionRecord& r = data_.instructions[root];
    Expansion expansion;
    LayOutConstant(*data_.pools, r.shape, r.attribute_bytes, &expansion);
    if (expansion.shape) replaced_[root] = *std::move(expansion.shape);
  }
}

bool ExpandedWriter::Write() {
  GivenNames given;
  given_ = &given;
  names_differ_ = true;
  const uint64_t old = data_.instructions.size();
  last_id_ = static_cast<int64_t>(old);
  buffer_.set_limit(kLargestForXla);
  ModuleWriter writer(data_, names_, &buffer_);
  writer.LeaveOutMark();
  writer.LayOut();
  writer.ReplaceShapes(&replaced_);
  if (!writer.Write([&](uint32_t c) { return WriteComputation(c, &writer); }) ||
      buffer_.over_limit() || !names_differ_ || !given.Finish(data_)) {
    return false;
  }
  // A given name may equal that of a new instruction.
  return static_cast<uint64_t>(last_id_) == old ||
         given.largest_number() <= old;
}

std::optional<std::string> ExpandedWriter::ToString() {
  std::string bytes;
  buffer_ = WireBuffer(&bytes);
  if (!Write()) return std::nullopt;
  return bytes;
}

std::optional<absl::Status> ExpandedWriter::To(
    const std::function<absl::Status()>& begin, const WireBuffer::Sink& sink) {
  if (!Write()) return std::nullopt;
  const absl::Status begun = begin();
  if (!begun.ok()) return begun;
  buffer_ = WireBuffer(sink, buffer_.TakeLengths());
  if (!Write()) return absl::InternalError("two sweeps differ");
  return buffer_.status();
}

// Whether no spelling of a file is left to handle.
bool IsAsBuilt(const ModuleData& data) {
  return data.recorded && !data.names_as_read && data.ids.empty() &&
         data.opcode_names.empty() && data.operand_spellings.empty() &&
         data.root_spellings.empty() && data.entry_name.empty() &&
         data.entry_name_when_empty == WhenEmpty::kMake &&
         data.host_program_shape.empty() &&
         data.host_program_shape_when_empty == WhenEmpty::kMake;
}

bool CanBeWritten(const Module& module, ExportCheck check) {
  const ModuleData& data = internal::DataOf(module);
  if (data.entry >= data.computations.size() || !IsAsBuilt(data) ||
      HasCompactLiterals(*data.pools)) {
    return false;
  }
  if (check == ExportCheck::kShapes) return true;
  const StructureResult structure = VerifyStructure(module);
  return structure.in_order && structure.report.ok();
}

}  // namespace

std::optional<std::string> VerifyExpandAndWrite(const Module& module,
                                                ExportCheck check) {
  if (!CanBeWritten(module, check)) return std::nullopt;
  return ExpandedWriter(module, check).ToString();
}

std::optional<absl::Status> VerifyExpandAndWriteTo(
    const Module& module, ExportCheck check,
    const std::function<absl::Status()>& begin,
    const std::function<absl::Status(absl::string_view)>& sink) {
  if (!CanBeWritten(module, check)) return std::nullopt;
  return ExpandedWriter(module, check).To(begin, sink);
}

}  // namespace indim
