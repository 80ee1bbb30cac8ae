// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/structure/structure.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/ir/module_access.h"
#include "indim/passes/structure/checks.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire.h"
#include "indim/shape/ops/attributes.h"

namespace indim {
namespace structure {
namespace {

// One requirement on a module besides its order.
struct StructureCheck {
  absl::string_view what;
  void (*run)(Context*);
  // False: the module has nothing for it to check. Null: it always runs.
  bool (*applies)(const Occurrences&) = nullptr;
};

template <Occurrences::Field kField>
bool HasField(const Occurrences& occurs) {
  return occurs.Any(kField);
}
template <Opcode... kOpcodes>
bool HasOpcode(const Occurrences& occurs) {
  return occurs.Any({kOpcodes...});
}
bool HasAsync(const Occurrences& occurs) {
  return occurs.AnyWith(AttributesKind::kAsync);
}
bool HasCollectives(const Occurrences& occurs) {
  return occurs.AnyWith(AttributesKind::kCollective);
}
bool HasPermutes(const Occurrences& occurs) {
  return occurs.AnyWith(AttributesKind::kCollectivePermute);
}
bool HasDevices(const Occurrences& occurs) {
  return HasCollectives(occurs) || HasPermutes(occurs);
}
constexpr absl::string_view kOrder =
    "an entry; operands before users, callees before callers; one root each";
constexpr StructureCheck kChecks[] = {
    {"names: present, and unique in the module", CheckNames},
    {"parameters: numbered 0..n-1, each once", CheckParameters},
    {"control predecessors: in the same computation, before", CheckControl,
     HasField<Occurrences::kControl>},
    {"program_shape and entry layout: those of parameters and root",
     CheckProgramShapes},
    {"computations: called in one way", CheckContexts},
    {"fusion bodies: owned, nothing unused, the root unused", CheckFusions,
     HasOpcode<Opcode::kFusion>},
    {"called computations: on their caller's thread", CheckCalleeThreads,
     HasOpcode<Opcode::kFusion, Opcode::kWhile, Opcode::kConditional>},
    {"output_to_operand_aliasing: real parts of one shape", CheckAliasing,
     HasField<Occurrences::kAliasing>},
    {"composite calls: with a name and a version", CheckComposites,
     HasField<Occurrences::kComposite>},
    {"attributes: those that no shape depends on, layouts that custom calls "
     "demand",
     CheckAttributes},
    {"parameter_replication, result_accuracy, backend_config_payload: possible",
     CheckRareFields, HasField<Occurrences::kRare>},
    {"layouts: of possible tiles, splits and sizes", CheckLayouts},
    {"buffers: where they may be, each written once", CheckBuffers},
    {"-start and -done, send and recv: in pairs", CheckPairs, HasPairs},
    {"channels: one id and kind for both halves", CheckChannels, HasChannels},
    {"async chains: one start, one done, one computation and thread",
     CheckAsync, HasAsync},
    {"async-start: on its computation's thread", CheckAsyncThreads,
     HasOpcode<Opcode::kAsyncStart>},
    {"async computations of the main thread: nothing beside the root",
     CheckAsyncBodies, HasOpcode<Opcode::kAsyncStart>},
    {"replica groups: each device once, of one size", CheckReplicaGroups,
     HasCollectives},
    {"formulas of replica groups: of as many devices as they name",
     CheckGroupFormulas, HasField<Occurrences::kGroupFormula>},
    {"replica groups and pairs: of the devices that there are, where known",
     CheckDeviceCounts, HasDevices},
    {"all-to-all: along one dim of one array, or an array for each member, of "
     "one layout",
     CheckSplits, HasOpcode<Opcode::kAllToAll>},
    {"all-gather, reduce-scatter, all-to-all: as many shards as members, where "
     "the number of devices tells",
     CheckShardCounts, HasCollectives},
    {"source_target_pairs: each source and target once", CheckPermutes,
     HasPermutes},
    {"constrain_layout: on every all-reduce or on none", CheckConstrainLayout,
     HasOpcode<Opcode::kAllReduce, Opcode::kAllReduceStart>},
    {"device_assignment: a device for each replica of each partition",
     CheckDeviceAssignment},
    {"shardings: as many tiles as devices, of the shape's rank", CheckShardings,
     HasField<Occurrences::kSharding>},
    {"shardings of domains: well-formed", CheckDomains,
     HasOpcode<Opcode::kDomain>},
    {"shardings of the module: well-formed", CheckModuleShardings},
    {"shardings of loops and conditionals: those of what they call",
     CheckCallShardings, HasField<Occurrences::kSharding>},
    {"input_output_alias and buffer_donor: real arrays, each once",
     CheckAliases},
    {"schedule: everything once, operands first", CheckSchedule},
};

// The watched fields in attribute bytes. It looks only at field numbers; for
// the check itself, a field of a wrong wire type is an unknown field.
uint8_t FieldsOf(AttributeBytesView attribute_bytes) {
  uint8_t found = attribute_bytes.control.empty() ? 0 : Occurrences::kControl;
  namespace of = field::HloInstructionProto;
  WireReader reader(attribute_bytes.after_callees);
  uint32_t tag;
  while (!reader.done() && reader.ReadTag(&tag)) {
    switch (TagNumber(tag)) {
      case of::kSharding:
        found |= Occurrences::kSharding;
        break;
      case of::kOutputOperandAliasing:
        found |= Occurrences::kAliasing;
        break;
      case of::kOriginalValue:
        found |= Occurrences::kOrigin;
        break;
      case of::kIsComposite:
        found |= Occurrences::kComposite;
        break;
      case of::kIotaCollectiveDeviceList:
      case of::kMeshAxesReplicaGroupList:
        found |= Occurrences::kGroupFormula;
        break;
      case of::kParameterReplication:
      case of::kResultAccuracy:
      case of::kBackendConfigPayload:
        found |= Occurrences::kRare;
        break;
      default:
        break;
    }
    if (!reader.SkipValue(tag, kMaxWireDepth)) break;
  }
  return found;
}

// Reports order errors with instructions as text: an instruction out of order
// can't be a diagnostic's position.
void ReportOrder(Context* context, uint32_t c, uint32_t i,
                 const InstructionRecord& r) {
  int64_t k = 0;
  for (const uint32_t operand : context->data.Operands(r)) {
    if (operand >= i) {
      context->Add(Code::kOperandOrder, c, kNowhere, context->NameAt(c, i),
                   context->ComputationName(c), k);
    }
    ++k;
  }
  for (const uint32_t callee : context->data.Callees(r)) {
    if (callee < c) continue;
    context->Add(Code::kCalleeOrder, c, kNowhere, context->NameAt(c, i),
                 context->ComputationName(c),
                 callee < context->data.computations.size()
                     ? absl::StrCat("'", context->ComputationName(callee), "'")
                     : "a computation that isn't there");
  }
}

}  // namespace

bool Occurrences::SlicesFit(const ModuleData& data) {
  for (const ComputationRecord& c : data.computations) {
    if (c.first > data.instructions.size() ||
        c.count > data.instructions.size() - c.first) {
      return false;
    }
  }
  const uint64_t operands = data.operands.size();
  bool fit = true;
  for (const InstructionRecord& r : data.instructions) {
    fit &= r.operands_end() <= operands;
  }
  return fit;
}

void Occurrences::LookAtNewAttributeBytes(const ModuleData& data,
                                          AttributeBytesId attribute_bytes) {
  constexpr uint8_t kSeen = 128;
  const uint8_t fields = FieldsOf(data.pools->attribute_bytes(attribute_bytes));
  any_ |= fields;
  attribute_bytes_[attribute_bytes.value] = fields | kSeen;
}

void Occurrences::Look(const ModuleData& data, uint32_t computation) {
  static const auto* const kHasCheck = [] {
    auto* is = new std::array<bool, 256>();
    for (const OpInfo& op : AllOps()) {
      (*is)[static_cast<uint8_t>(op.opcode)] =
          AttributeCheckOf(op.opcode) != nullptr;
    }
    return is;
  }();
  const ComputationRecord& c = data.computations[computation];
  const InstructionRecord* const records = data.instructions.data() + c.first;
  const uint32_t* const operands = data.operands.data();
  const uint64_t operand_count = data.operands.size();
  const uint32_t count = c.count;
  int64_t parameters = 0;
  bool in_order = c.root < count;
  for (uint32_t i = 0; i < count; ++i) {
    const InstructionRecord& r = records[i];
    const uint8_t opcode = static_cast<uint8_t>(r.opcode);
    opcodes_[opcode] = true;
    if (r.operands_end() > operand_count) {
      in_order_ = false;
      return;
    }
    const uint32_t* const first = operands + r.first_operand;
    for (uint32_t k = 0; k < r.operand_count; ++k) in_order &= first[k] < i;
    if (r.callee_count > 0) {
      const uint32_t* const callees = first + r.operand_count;
      for (uint32_t k = 0; k < r.callee_count; ++k) {
        in_order &= callees[k] < computation;
      }
      callers_.push_back({computation, i});
    }
    if (r.attribute_bytes && attribute_bytes_[r.attribute_bytes.value] == 0)
      LookAtNewAttributeBytes(data, r.attribute_bytes);
    if ((*kHasCheck)[opcode]) attributed_.push_back({computation, i});
    if (r.opcode == Opcode::kParameter) {
      parameters_.push_back(i);
      parameters_in_order_ &= data.ParameterNumber(r) == parameters++;
    }
  }
  in_order_ &= in_order;
}

Occurrences::Occurrences(const ModuleData& data)
    : attribute_bytes_(data.pools->attribute_bytes_count()) {
  uint64_t count = 0;
  in_order_ = data.entry < data.computations.size();
  for (uint32_t c = 0; in_order_ && c < data.computations.size(); ++c) {
    const ComputationRecord& record = data.computations[c];
    in_order_ = record.first <= data.instructions.size() &&
                record.count <= data.instructions.size() - record.first;
    first_parameter_.push_back(static_cast<uint32_t>(parameters_.size()));
    if (in_order_) Look(data, c);
    count += record.count;
  }
  first_parameter_.push_back(static_cast<uint32_t>(parameters_.size()));
  // The loop above saw only instructions that belong to a computation.
  if (in_order_ && count != data.instructions.size()) {
    in_order_ = SlicesFit(data);
  }
}

bool Occurrences::AnyWith(AttributesKind kind) const {
  for (const OpInfo& op : AllOps()) {
    if (op.attributes == kind && Any(op.opcode)) return true;
  }
  return false;
}

void ParameterLists::Fill(const ModuleData& data, const Occurrences& occurs) {
  first_.reserve(data.computations.size() + 1);
  for (uint32_t c = 0; c < data.computations.size(); ++c) {
    const ComputationRecord& record = data.computations[c];
    const absl::Span<const uint32_t> parameters = occurs.parameters(c);
    const size_t first = positions_.size();
    first_.push_back(static_cast<uint32_t>(first));
    if (occurs.parameters_in_order()) {
      positions_.insert(positions_.end(), parameters.begin(), parameters.end());
      continue;
    }
    positions_.resize(first + parameters.size(), record.count);
    for (const uint32_t i : parameters) {
      const int64_t number =
          data.ParameterNumber(data.instructions[record.first + i]);
      if (number < 0 || number >= static_cast<int64_t>(parameters.size())) {
        continue;
      }
      uint32_t& slot = positions_[first + static_cast<size_t>(number)];
      if (slot == record.count) slot = i;
    }
  }
  first_.push_back(static_cast<uint32_t>(positions_.size()));
}

const Shape* PartOf(const Shape& shape, absl::Span<const int64_t> index) {
  const Shape* part = &shape;
  for (const int64_t i : index) {
    if (!part->is_tuple() || i < 0 || i >= part->tuple_size()) {
      return nullptr;
    }
    part = &part->elements()[static_cast<size_t>(i)];
  }
  return part;
}

std::optional<uint32_t> IdLookup::Find(uint32_t computation, int64_t id) {
  if (computation_ != computation) {
    computation_ = computation;
    const ComputationRecord& record = data_.computations[computation];
    ids_.resize(record.count);
    for (uint32_t i = 0; i < record.count; ++i) {
      ids_[i] = data_.InstructionId(record.first + i);
    }
    index_.Reset(absl::MakeConstSpan(ids_));
    for (uint32_t i = 0; i < record.count; ++i) index_.Insert(ids_[i], i);
  }
  const uint32_t position = index_.Find(id);
  if (position == IdIndex::kNone) return std::nullopt;
  return position;
}

bool CheckOrder(Context* context) {
  const ModuleData& data = context->data;
  if (context->occurs.in_order()) return true;
  if (data.entry >= data.computations.size() || !Occurrences::SlicesFit(data)) {
    context->Add(Code::kNoEntry, kNowhere, kNowhere);
    return false;
  }
  for (uint32_t c = 0; c < data.computations.size(); ++c) {
    if (data.computations[c].root < data.computations[c].count) continue;
    context->Add(Code::kNoRoot, c, kNowhere, context->ComputationName(c));
  }
  context->ForEachInstruction(
      [&](uint32_t c, uint32_t i, const InstructionRecord& r) {
        ReportOrder(context, c, i, r);
      });
  return false;
}

// XLA: hlo_computation.cc, HloComputation::CreateFromProto.
void CheckParameters(Context* context) {
  if (context->occurs.parameters_in_order()) return;
  const ModuleData& data = context->data;
  for (uint32_t c = 0; c < data.computations.size(); ++c) {
    const auto instructions = data.Instructions(c);
    // If every number has its parameter, all numbers are right.
    const auto by_number = context->parameters.Of(c);
    if (std::find(by_number.begin(), by_number.end(),
                  data.computations[c].count) == by_number.end()) {
      continue;
    }
    const absl::Span<const uint32_t> parameters = context->occurs.parameters(c);
    // By number: the parameter's position plus 1.
    std::vector<uint32_t> taken(parameters.size(), 0);
    const int64_t count = static_cast<int64_t>(parameters.size());
    for (const uint32_t i : parameters) {
      const int64_t number = data.ParameterNumber(instructions[i]);
      if (number < 0 || number >= count) {
        context->Add(Code::kParameterNumber, c, i, number, count,
                     context->ComputationName(c));
        continue;
      }
      uint32_t& slot = taken[static_cast<size_t>(number)];
      if (slot != 0) {
        context->Add(Code::kParameterTwice, c, i, context->NameAt(c, slot - 1),
                     number);
      }
      slot = i + 1;
    }
  }
}

// XLA: hlo_computation.cc; ShapeVerifier's depth-first search finds cycles.
void CheckControl(Context* context) {
  IdLookup ids(context->data);
  context->ForEachInstruction(
      [&](uint32_t c, uint32_t i, const InstructionRecord& r) {
        if (!context->occurs.Has(r.attribute_bytes, Occurrences::kControl))
          return;
        const AttributeBytesView attribute_bytes =
            context->data.pools->attribute_bytes(r.attribute_bytes);
        for (const int64_t id : ControlPredecessors(attribute_bytes)) {
          const std::optional<uint32_t> predecessor = ids.Find(c, id);
          if (!predecessor) {
            context->Add(Code::kControlMissing, c, i, id,
                         context->ComputationName(c));
          } else if (*predecessor >= i) {
            context->Add(Code::kControlOrder, c, i,
                         context->NameAt(c, *predecessor));
          }
        }
      });
}

}  // namespace structure

StructureResult VerifyStructure(const Module& module, int64_t max_per_code,
                                DeviceCounts devices) {
  StructureResult result;
  result.report = Report(max_per_code);
  structure::Context context(
      internal::DataOf(module),
      devices.known() ? devices
                      : ReadDeviceCounts(internal::DataOf(module).config),
      &result.report);
  result.in_order = structure::CheckOrder(&context);
  if (!result.in_order) return result;
  context.parameters.Fill(internal::DataOf(module), context.occurs);
  for (const structure::StructureCheck& check : structure::kChecks) {
    if (check.applies == nullptr || check.applies(context.occurs)) {
      check.run(&context);
    }
  }
  return result;
}

std::vector<absl::string_view> StructureChecks() {
  std::vector<absl::string_view> checks = {structure::kOrder};
  for (const structure::StructureCheck& check : structure::kChecks) {
    checks.push_back(check.what);
  }
  return checks;
}

}  // namespace indim
