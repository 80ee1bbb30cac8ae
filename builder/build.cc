// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/build.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "indim/builder/module_options.h"
#include "indim/ir/link.h"
#include "indim/ir/module_access.h"
#include "indim/ir/post_order.h"
#include "indim/ir/storage/byte_pool.h"
#include "indim/ir/unique_names.h"

namespace indim::internal {
namespace {

// Most errors in a Status; nobody reads more.
constexpr size_t kErrorsInStatus = 10;

// The callees of all instructions, as often as they are called.
std::vector<uint32_t> CalledBy(const Frame& frame) {
  std::vector<uint32_t> called;
  for (const InstructionRecord& record : frame.instructions) {
    for (uint32_t i = 0; i < record.callee_count; ++i) {
      called.push_back(
          frame.operands[record.first_operand + record.operand_count + i]);
    }
  }
  return called;
}

// Whether an unnamed instruction will get this name: its opcode and its id.
bool IsDefaultName(const ModuleData& data, absl::string_view name) {
  const std::optional<uint64_t> id = NumberAtEnd(name);
  if (!id || *id < 1 || *id > data.instructions.size()) return false;
  const InstructionRecord& record = data.instructions[*id - 1];
  // For an opcode that the table lacks it doesn't look up the text: such
  // opcodes are rare.
  return !record.name &&
         (record.unknown_opcode || Name(record.opcode) == WithoutNumber(name));
}

// Gives a new name to every computation and named instruction whose name an
// earlier one has, or whose name an unnamed instruction will get ("add.17"). A
// name that a file left empty counts as unnamed. The last computation, the
// entry, comes first, so its names stay; `named` contains, in order, all of its
// instructions that have names. The pools of `*data` must not be shared, and
// its ids must be the default ones.
// Source: XLA requires names unique across a module.
void MakeNamesUnique(ModuleData* data, absl::Span<const uint32_t> named) {
  if (data->computations.empty()) return;
  Pools& pools = *data->pools;
  BytePool made;
  UniqueNames computations(&made), instructions(&made);
  const auto rename = [&](NameId* id, absl::string_view name) {
    if (name.data() != pools.name(*id).data()) *id = pools.AddName(name);
  };
  const auto claim = [&](InstructionRecord* record) {
    if (record->name == Pools::kNameless) record->name = NameId{};
    if (!record->name) return;
    rename(&record->name, instructions.Claim(pools.name(record->name),
                                             [data](absl::string_view name) {
                                               return IsDefaultName(*data,
                                                                    name);
                                             }));
  };
  const size_t count = data->computations.size();
  for (size_t i = 0; i < count; ++i) {
    const bool is_entry = i == 0;
    ComputationRecord& computation =
        data->computations[is_entry ? count - 1 : i - 1];
    if (pools.name(computation.name).empty()) {
      computation.name = pools.AddName("computation");
    }
    rename(&computation.name, computations.Claim(pools.name(computation.name)));
    InstructionRecord* const records =
        data->instructions.data() + computation.first;
    if (is_entry) {
      for (const uint32_t j : named) claim(&records[j]);
    } else {
      for (uint32_t j = 0; j < computation.count; ++j) claim(&records[j]);
    }
  }
}

void CheckParameters(Recorder* recorder, absl::string_view what,
                     Caller caller) {
  const auto& parameters = recorder->open().current().parameters;
  const int64_t count = static_cast<int64_t>(parameters.size());
  for (int64_t i = 0; i < count; ++i) {
    if (parameters.contains(i)) continue;
    recorder->AddDiagnostic(
        what, MakeDiagnostic(Code::kParameterMissing, {i, count}), caller);
    return;
  }
}

void CheckModuleOptions(Recorder* recorder, absl::string_view what,
                        const BuildOptions& options, Caller caller) {
  std::vector<Diagnostic> wrong = WrongOptions(options);
  for (Diagnostic& diagnostic : wrong) {
    recorder->AddDiagnostic(what, std::move(diagnostic), caller);
  }
  if (!wrong.empty()) return;
  const ModuleData module =
      recorder->snapshots().DataAt(recorder->open().depth());
  const uint32_t own = module.entry;
  for (ModuleDiagnostic& d : ErrorsOfOptions(module, options)) {
    if (d.computation == own && d.instruction != kNowhere) {
      recorder->AddDiagnostic(d.instruction, std::move(d.diagnostic), caller);
    } else {
      recorder->AddDiagnostic(what, std::move(d.diagnostic), caller);
    }
  }
}

void WarnOfUnused(Recorder* recorder) {
  const Frame& frame = recorder->open().current();
  std::vector<bool> used(frame.instructions.size());
  used[frame.root] = true;
  for (const InstructionRecord& record : frame.instructions) {
    for (uint32_t i = 0; i < record.operand_count; ++i) {
      used[frame.operands[record.first_operand + i]] = true;
    }
  }
  for (uint32_t node = 0; node < used.size(); ++node) {
    const OpInfo& op = Info(frame.instructions[node].opcode);
    if (used[node] || op.has(kMayGoUnused) || op.has(kSideEffect)) continue;
    recorder->AddDiagnostic(node, MakeDiagnostic(Code::kUnusedOp), Caller{});
  }
}

// Checks a finished computation and, of a module, its `options` (null: it is a
// callee). False: an error was recorded.
bool Complete(Recorder* recorder, absl::string_view what,
              std::optional<Op> root, const BuildOptions* options,
              Caller caller) {
  const OpenComputations& open = recorder->open();
  if (recorder->built()) {
    recorder->AddDiagnostic(what, MakeDiagnostic(Code::kUsedAfterBuild),
                            caller);
    return false;
  }
  if (open.depth() > 0) {
    recorder->AddDiagnostic(
        what, MakeDiagnostic(Code::kRegionOpen, {open.current().name}), caller);
    return false;
  }
  recorder->log().BeginBuild();
  if (open.current().instructions.empty()) {
    recorder->AddDiagnostic(what, MakeDiagnostic(Code::kNothingRecorded),
                            caller);
  } else if (root) {
    const OpState op_state = open.StateOf(*root);
    if (op_state == OpState::kGood) {
      recorder->open().current().root = OpAccess::Node(*root);
    } else if (op_state != OpState::kPoisoned) {
      recorder->AddDiagnostic(what, MisuseOf(*recorder, *root, 0), caller);
    }
  } else {
    recorder->open().current().root =
        static_cast<uint32_t>(open.current().instructions.size() - 1);
  }
  // After an error, the missing parameter may be one whose call failed.
  if (recorder->log().error_count() == 0)
    CheckParameters(recorder, what, caller);
  if (recorder->log().error_count() == 0 && options != nullptr &&
      HasModuleOptions(*options)) {
    CheckModuleOptions(recorder, what, *options, caller);
  }
  if (recorder->log().error_count() == 0 && options != nullptr &&
      options->warn_unused) {
    WarnOfUnused(recorder);
  }
  recorder->log().EndBuild();
  return recorder->log().error_count() == 0;
}

// Warnings of this computation, and of the computations of its family that it
// calls.
std::vector<CallDiagnostic> WarningsOf(const Recorder& recorder) {
  std::vector<CallDiagnostic> warnings;
  const Frame& frame = recorder.open().current();
  if (!recorder.built() && frame.calls) {
    const SharedState& shared = *recorder.family();
    for (const uint32_t c : Reachable(shared.store(), CalledBy(frame))) {
      const absl::Span<const CallDiagnostic> called = shared.Warnings(c);
      warnings.insert(warnings.end(), called.begin(), called.end());
    }
  }
  for (CallDiagnostic& diagnostic : recorder.Diagnostics()) {
    if (diagnostic.diagnostic.severity() == Severity::kWarning) {
      warnings.push_back(std::move(diagnostic));
    }
  }
  return warnings;
}

// The entry is last, after its callees.
ModuleData Assemble(Recorder* recorder, const BuildOptions& options) {
  // The rest of the family goes on adding to its pools. So, unless nobody
  // shares them, a module gets pools of its own, with only what it needs.
  const std::shared_ptr<SharedState>& shared = recorder->family();
  const bool alone = shared.use_count() == 1;
  const ModuleData& store = shared->store();
  Frame& frame = recorder->open().current();
  std::vector<uint32_t> called;
  if (frame.calls) called = Reachable(store, CalledBy(frame));

  ModuleData own = TakeRecords(*shared, &frame);
  ModuleData data(alone ? store.pools : std::make_shared<Pools>());
  IdMap map(store.pools, data.pools.get());
  auto place_of = [&](uint32_t callee) {
    auto at = std::lower_bound(called.begin(), called.end(), callee);
    return static_cast<uint32_t>(at - called.begin());
  };
  for (uint32_t c : called) {
    AppendComputation(store, c, ControlForm::kPositions, ControlForm::kIds,
                      place_of, &map, &data);
  }
  if (alone) {
    AppendModule(std::move(own), ControlForm::kIds, place_of, &data);
  } else {
    AppendComputation(own, 0, ControlForm::kPositions, ControlForm::kIds,
                      place_of, &map, &data);
  }
  data.entry = static_cast<uint32_t>(data.computations.size() - 1);
  data.name = recorder->name();
  data.recorded = true;
  if (options.order == BuildOptions::Order::kPostOrder) {
    data = InPostOrder(std::move(data), &frame.named);
  }
  std::sort(frame.named.begin(), frame.named.end());
  frame.named.erase(std::unique(frame.named.begin(), frame.named.end()),
                    frame.named.end());
  MakeNamesUnique(&data, frame.named);
  ApplyModuleOptions(options, &data);
  return data;
}

}  // namespace

BuildResult BuildModule(Recorder* recorder, std::optional<Op> root,
                        const BuildOptions& options, Caller caller) {
  if (!Complete(recorder, "Build", root, &options, caller)) {
    return {recorder->Failure(kErrorsInStatus), WarningsOf(*recorder)};
  }
  std::vector<CallDiagnostic> warnings = WarningsOf(*recorder);
  recorder->SettleDiagnostics();
  ModuleData data = Assemble(recorder, options);
  recorder->Close();
  return {ModuleOf(std::make_shared<const ModuleData>(std::move(data))),
          std::move(warnings)};
}

Callee BuildCallee(Recorder* recorder, std::optional<Op> root, Caller caller) {
  if (!Complete(recorder, "BuildCallee", root, /*options=*/nullptr, caller)) {
    return Callee(absl::StatusOr<Module>(recorder->Failure(kErrorsInStatus)));
  }
  recorder->SettleDiagnostics();
  const std::shared_ptr<SharedState> shared = recorder->family();
  Frame& frame = recorder->open().current();
  const absl::InlinedVector<ShapeId, 6> signature = SignatureOf(frame);
  const uint32_t place = shared->Adopt(TakeRecords(*shared, &frame), signature);
  std::vector<CallDiagnostic> warnings = recorder->Diagnostics();  // no errors
  if (!warnings.empty()) shared->KeepWarnings(place, std::move(warnings));
  recorder->Close();
  return SharedState::CalleeOf(shared, place);
}

absl::InlinedVector<ShapeId, 6> SignatureOf(const Frame& frame) {
  absl::InlinedVector<ShapeId, 6> shapes;
  for (size_t i = 0; i < frame.parameters.size(); ++i) {
    const uint32_t node = frame.parameters.at(static_cast<int64_t>(i));
    shapes.push_back(frame.instructions[node].shape);
  }
  shapes.push_back(frame.instructions[frame.root].shape);
  return shapes;
}

ModuleData TakeRecords(const SharedState& shared, Frame* frame) {
  ModuleData own(shared.store().pools);
  own.instructions = std::move(frame->instructions);
  own.operands = std::move(frame->operands);
  ComputationRecord computation;
  computation.count = static_cast<uint32_t>(own.instructions.size());
  computation.root = frame->root;
  computation.name = own.pools->AddName(frame->name);
  computation.id = 1;
  own.computations.push_back(std::move(computation));
  return own;
}

}  // namespace indim::internal
