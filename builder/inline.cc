// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/inline.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "indim/builder/call_checks.h"
#include "indim/builder/instruction_copier.h"
#include "indim/builder/op_queries.h"
#include "indim/ir/link.h"
#include "indim/ir/module_access.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_numbers.h"

namespace indim::internal {
namespace {

// The half of an id by which a field names an instruction.
int64_t LowHalf(int64_t id) { return id & 0xffffffff; }

class Inliner {
 public:
  Inliner(Recorder* recorder, const Module& module,
          absl::Span<const Op> arguments, Caller caller)
      : recorder_(*recorder),
        module_(module),
        data_(DataOf(module)),
        arguments_(arguments),
        caller_(caller) {}

  Op Run();

 private:
  Op Reject(Code code, std::vector<DiagnosticArg> args) {
    return recorder_.Reject(Opcode::kCall, arguments_, code, std::move(args),
                            caller_);
  }
  // Whether the entry takes the arguments, by the rule of a call; else *failed
  // is set.
  bool CheckArguments(Op* failed);
  Op Copy(uint32_t i);
  // Gives a new op its layout and control predecessors.
  void Describe(const InstructionRecord& r, uint32_t node);
  void SetControl(const InstructionRecord& r, InstructionRecord* here);

  Recorder& recorder_;
  const Module& module_;
  const ModuleData& data_;
  const absl::Span<const Op> arguments_;
  const Caller caller_;

  std::optional<InstructionCopier> copier_;
  std::vector<Op> ops_;  // by position in the entry
  bool same_shapes_ = true;
  absl::flat_hash_map<int64_t, uint32_t> by_id_;  // for control dependencies
};

Op Inliner::Run() {
  if (data_.computations.empty()) {
    return Reject(Code::kCalleeNotBuilt,
                  {CalleeRole(Opcode::kCall, 0),
                   std::string(": the module has no computation")});
  }
  Op failed;
  if (!CheckArguments(&failed)) return failed;
  copier_.emplace(module_, recorder_.family());
  const ComputationRecord& entry = data_.computations[data_.entry];
  ops_.reserve(entry.count);
  for (uint32_t i = 0; i < entry.count; ++i) ops_.push_back(Copy(i));
  return ops_[entry.root];
}

bool Inliner::CheckArguments(Op* failed) {
  Nodes nodes;
  if (!recorder_.Resolve(Opcode::kCall, arguments_, caller_, &nodes, failed)) {
    return false;
  }
  const Signature signature = module_.entry().signature();
  OpInputs inputs;
  inputs.opcode = Opcode::kCall;
  absl::InlinedVector<const Shape*, 6> operands;
  for (const Op argument : arguments_) {
    operands.push_back(recorder_.ShapeOf(argument));
  }
  const Signature* const callees[] = {&signature};
  inputs.operands = operands;
  inputs.callees = callees;
  InferContext context;
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    if (!signature.parameters[i].is_none()) continue;
    context.Diagnose(Code::kCalleeNotBuilt)
        .Arg(CalleeRole(Opcode::kCall, 0))
        .Arg(absl::StrCat(": its parameter ", i, " has no shape"));
    break;
  }
  if (!context.has_error()) InferShape(&context, inputs);
  if (context.has_error()) {
    *failed =
        recorder_.Reject(Opcode::kCall, arguments_,
                         std::move(*context.mutable_diagnostics()), caller_);
    return false;
  }
  for (size_t i = 0; i < arguments_.size(); ++i) {
    same_shapes_ &= SameStructure(*operands[i], signature.parameters[i]);
  }
  return true;
}

Op Inliner::Copy(uint32_t i) {
  const InstructionRecord& r = data_.Record(data_.entry, i);
  if (r.opcode == Opcode::kParameter) {
    // The signature has a shape for each number, so the number is good.
    return arguments_[static_cast<size_t>(data_.ParameterNumber(r))];
  }
  std::vector<Op> operands;
  for (const uint32_t k : data_.Operands(r)) operands.push_back(ops_[k]);
  const Shape& recorded = data_.pools->shapes().shape(r.shape);
  const bool declared =
      r.shape &&
      (same_shapes_ || Info(r.opcode).result != ResultSource::kInferred);
  const size_t before = recorder_.open().current().instructions.size();
  const Op op =
      copier_->Copy(&recorder_, InstructionOf(&data_, data_.entry, i), operands,
                    declared ? &recorded : nullptr, caller_);
  const size_t after = recorder_.open().current().instructions.size();
  if (after > before &&
      op == recorder_.open().OpOf(static_cast<uint32_t>(after - 1))) {
    Describe(r, OpAccess::Node(op));
  }
  return op;
}

void Inliner::Describe(const InstructionRecord& r, uint32_t node) {
  InstructionRecord& here = recorder_.open().current().instructions[node];
  if (!here.shape) return;  // poisoned
  SetControl(r, &here);
  // Also where only dims are inferred the recorded shape may have a layout.
  const Shape& recorded = data_.pools->shapes().shape(r.shape);
  const Shape& inferred =
      recorder_.family()->pools().shapes().shape(here.shape);
  if (same_shapes_ && r.shape && Compatible(recorded, inferred)) {
    here.shape = InternGiven(recorded, &recorder_.family()->pools().shapes());
  }
}

void Inliner::SetControl(const InstructionRecord& r, InstructionRecord* here) {
  const AttributeBytesView bytes =
      data_.pools->attribute_bytes(r.attribute_bytes);
  if (bytes.control.empty()) return;
  const ComputationRecord& entry = data_.computations[data_.entry];
  if (by_id_.empty()) {
    for (uint32_t k = 0; k < entry.count; ++k) {
      by_id_.emplace(LowHalf(data_.InstructionId(entry.first + k)), k);
    }
  }
  const std::string control =
      MapControl(bytes.control, [&](uint64_t id) -> std::optional<uint64_t> {
        const auto found = by_id_.find(LowHalf(static_cast<int64_t>(id)));
        if (found == by_id_.end() || found->second >= ops_.size()) {
          return std::nullopt;
        }
        // An op of an enclosing computation is there before this one begins.
        const Op before = ops_[found->second];
        if (recorder_.open().StateOf(before) != OpState::kGood)
          return std::nullopt;
        return OpAccess::Node(before);
      });
  Pools& pools = recorder_.family()->pools();
  const AttributeBytesView own = pools.attribute_bytes(here->attribute_bytes);
  here->attribute_bytes =
      pools.AddAttributeBytes({own.before_id, control, own.after_callees});
}

}  // namespace

Op InlineEntry(Recorder* recorder, const Module& module,
               absl::Span<const Op> arguments, Caller caller) {
  const bool is_open = recorder->EnterComposite("Inline", caller);
  const Op result = Inliner(recorder, module, arguments, caller).Run();
  if (is_open) recorder->LeaveComposite(result);
  return result;
}

std::vector<Op> InlineCallee(Recorder* recorder, const Callee& callee,
                             absl::Span<const Op> arguments, size_t count) {
  const std::shared_ptr<SharedState>& family = recorder->family();
  const absl::StatusOr<uint32_t> at = family->Link(callee);
  if (!at.ok()) {
    return std::vector<Op>(
        count, recorder->Record({Opcode::kCall, arguments, nullptr, nullptr,
                                 absl::MakeConstSpan(&callee, 1)},
                                Caller()));
  }
  const ModuleData& store = family->store();
  const ComputationRecord& computation = store.computations[*at];
  std::vector<Op> ops;
  for (uint32_t i = 0; i < computation.count; ++i) {
    const InstructionRecord& r = store.Record(*at, i);
    if (r.opcode == Opcode::kParameter) {
      ops.push_back(arguments[static_cast<size_t>(store.ParameterNumber(r))]);
      continue;
    }
    std::vector<Op> operands;
    for (const uint32_t k : store.Operands(r)) operands.push_back(ops[k]);
    if (i == computation.root && r.opcode == Opcode::kTuple) return operands;
    // A sharding stays.
    if (r.opcode == Opcode::kGetTupleElement &&
        store.pools->attribute_bytes(r.attribute_bytes).after_callees.empty()) {
      const OpQueries queries(*recorder);
      const absl::StatusOr<Opcode> from = queries.opcode(operands[0]);
      if (from.ok() && *from == Opcode::kTuple) {
        const Attributes& attributes =
            store.pools->attributes(r.opcode, r.attribute_bytes);
        ops.push_back((*queries.operands(operands[0]))[static_cast<size_t>(
            As<GetTupleElementAttributes>(attributes).index)]);
        continue;
      }
    }
    std::vector<Callee> callees;
    for (const uint32_t c : store.Callees(r)) {
      callees.push_back(SharedState::CalleeOf(family, c));
    }
    Recorder::Request request{r.opcode, operands};
    request.callees = callees;
    request.attribute_bytes = r.attribute_bytes;
    request.result = r.shape;
    ops.push_back(recorder->Record(request, Caller()));
    Frame& frame = recorder->open().current();
    if (r.metadata && recorder->open().StateOf(ops.back()) == OpState::kGood) {
      frame.instructions[OpAccess::Node(ops.back())].metadata = r.metadata;
    }
  }
  return {ops[computation.root]};
}

}  // namespace indim::internal
