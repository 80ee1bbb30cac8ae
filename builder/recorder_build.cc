// The end of a recording: a module, or a callee of its family.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "indim/builder/module_options.h"
#include "indim/builder/recorder.h"
#include "indim/builder/unique_names.h"
#include "indim/ir/link.h"
#include "indim/ir/module_access.h"
#include "indim/ir/post_order.h"

namespace indim::internal {
namespace {

// Most errors in a Status; nobody reads more.
constexpr size_t kErrorsInStatus = 10;

}  // namespace

BuildResult Recorder::Build(std::optional<Op> root, const BuildOptions& options,
                            Caller caller) {
  if (!Complete("Build", root, &options, caller)) {
    return {Failure(kErrorsInStatus), Warnings()};
  }
  std::vector<CallDiagnostic> warnings = Warnings();
  if (!diagnostics_.empty()) built_diagnostics_ = Diagnostics();  // no errors
  ModuleData data = Assemble(options);
  Close();
  return {ModuleOf(std::make_shared<const ModuleData>(std::move(data))),
          std::move(warnings)};
}

std::vector<CallDiagnostic> Recorder::Warnings() const {
  std::vector<CallDiagnostic> warnings;
  if (shared_ != nullptr && frame_.calls) {
    for (const uint32_t c : Reachable(shared_->store(), Called())) {
      const absl::Span<const CallDiagnostic> called = shared_->Warnings(c);
      warnings.insert(warnings.end(), called.begin(), called.end());
    }
  }
  if (diagnostics_.empty() && built_diagnostics_.empty()) return warnings;
  for (CallDiagnostic& diagnostic : Diagnostics()) {
    if (diagnostic.diagnostic.severity() == Severity::kWarning) {
      warnings.push_back(std::move(diagnostic));
    }
  }
  return warnings;
}

Callee Recorder::BuildCallee(std::optional<Op> root, Caller caller) {
  if (!Complete("BuildCallee", root, /*options=*/nullptr, caller)) {
    return Callee(Failure(kErrorsInStatus));
  }
  if (!diagnostics_.empty()) built_diagnostics_ = Diagnostics();  // no errors
  const absl::InlinedVector<ShapeId, 6> signature = OwnSignature();
  const uint32_t place = shared_->Adopt(TakeOwn(), signature);
  if (!built_diagnostics_.empty())
    shared_->KeepWarnings(place, built_diagnostics_);
  Callee callee(shared_, place);
  Close();
  return callee;
}

bool Recorder::Complete(absl::string_view what, std::optional<Op> root,
                        const BuildOptions* options, Caller caller) {
  if (built_) {
    AddDiagnostic(what, Make(Code::kUsedAfterBuild), caller);
    return false;
  }
  if (!outer_.empty()) {
    AddDiagnostic(what, Make(Code::kRegionOpen, {frame_.name}), caller);
    return false;
  }
  ForgetFailedBuild();
  const size_t kept_before = diagnostics_.size();
  const size_t errors_before = error_count_;
  if (frame_.instructions.empty()) {
    AddDiagnostic(what, Make(Code::kNothingRecorded), caller);
  } else if (root) {
    const OpState op_state = StateOf(*root);
    if (op_state == OpState::kGood) {
      frame_.root = root->node_;
    } else if (op_state != OpState::kPoisoned) {
      AddDiagnostic(what, MisuseOf(*root, op_state, 0), caller);
    }
  } else {
    frame_.root = static_cast<uint32_t>(frame_.instructions.size() - 1);
  }
  // After an error, the missing parameter may be one whose call failed.
  if (error_count_ == 0) CheckParameters(what, caller);
  if (error_count_ == 0 && options != nullptr && HasModuleOptions(*options)) {
    CheckModuleOptions(what, *options, caller);
  }
  failed_build_ = {kept_before, diagnostics_.size() - kept_before,
                   error_count_ - errors_before};
  return error_count_ == 0;
}

void Recorder::ForgetFailedBuild() {
  const auto first = diagnostics_.begin() + failed_build_.first;
  diagnostics_.erase(first, first + failed_build_.kept);
  error_count_ -= failed_build_.errors;
  failed_build_ = {};
}

void Recorder::CheckParameters(absl::string_view what, Caller caller) {
  const int64_t count = static_cast<int64_t>(frame_.parameters.size());
  for (int64_t i = 0; i < count; ++i) {
    if (frame_.parameters.contains(i)) continue;
    AddDiagnostic(what, Make(Code::kParameterMissing, {i, count}), caller);
    return;
  }
}

void Recorder::CheckModuleOptions(absl::string_view what,
                                  const BuildOptions& options, Caller caller) {
  std::vector<Diagnostic> wrong = WrongOptions(options);
  for (Diagnostic& diagnostic : wrong) {
    AddDiagnostic(what, std::move(diagnostic), caller);
  }
  if (!wrong.empty()) return;
  const ModuleData module = SnapshotData(outer_.size());
  const uint32_t own = module.entry;
  for (ModuleDiagnostic& d : ErrorsOfOptions(module, options)) {
    const bool here = d.computation == own && d.instruction != kNowhere;
    Keep({std::move(d.diagnostic), here ? d.instruction : kNoNode,
          here ? std::string() : std::string(what), caller});
  }
}

absl::InlinedVector<ShapeId, 6> Recorder::OwnSignature() const {
  absl::InlinedVector<ShapeId, 6> shapes;
  for (size_t i = 0; i < frame_.parameters.size(); ++i) {
    const uint32_t node = frame_.parameters.at(static_cast<int64_t>(i));
    shapes.push_back(frame_.instructions[node].shape);
  }
  shapes.push_back(frame_.instructions[frame_.root].shape);
  return shapes;
}

ModuleData Recorder::TakeOwn() {
  ModuleData own;
  own.pools = shared_->store().pools;
  own.instructions = std::move(frame_.instructions);
  own.operands = std::move(frame_.operands);
  ComputationRecord computation;
  computation.count = static_cast<uint32_t>(own.instructions.size());
  computation.root = frame_.root;
  computation.name = own.pools->AddName(frame_.name);
  computation.id = 1;
  own.computations.push_back(std::move(computation));
  return own;
}

// The callees of all instructions, as often as they are called.
std::vector<uint32_t> Recorder::Called() const {
  std::vector<uint32_t> called;
  for (const InstructionRecord& record : frame_.instructions) {
    for (uint32_t i = 0; i < record.callee_count; ++i) {
      called.push_back(
          frame_.operands[record.first_operand + record.operand_count + i]);
    }
  }
  return called;
}

// The entry is last, after its callees.
ModuleData Recorder::Assemble(const BuildOptions& options) {
  // The rest of the family goes on adding to its pools. So, unless nobody
  // shares them, a module gets pools of its own, with only what it needs.
  const bool alone = shared_.use_count() == 1;
  const ModuleData& store = shared_->store();
  std::vector<uint32_t> called;
  if (frame_.calls) called = Reachable(store, Called());

  ModuleData own = TakeOwn();
  ModuleData data;
  if (alone) data.pools = store.pools;
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
  data.name = name_;
  data.recorded = true;
  if (options.order == BuildOptions::Order::kPostOrder) {
    data = InPostOrder(std::move(data), &frame_.named);
  }
  std::sort(frame_.named.begin(), frame_.named.end());
  frame_.named.erase(std::unique(frame_.named.begin(), frame_.named.end()),
                     frame_.named.end());
  MakeNamesUnique(&data, frame_.named);
  ApplyModuleOptions(options, &data);
  return data;
}

// Keeps the diagnostics' texts; drops the instructions.
void Recorder::Close() {
  built_ = true;
  diagnostics_.clear();
  frame_.parameters.clear();
  frame_.instructions = {};
  frame_.operands = {};
  frame_.named = {};
  shared_.reset();
}

}  // namespace indim::internal
