// SPDX-License-Identifier: Apache-2.0
#include "indim/edit/finish.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "indim/edit/assemble.h"
#include "indim/edit/check_changes.h"
#include "indim/edit/insertion_state.h"
#include "indim/edit/module_state.h"
#include "indim/ir/render_diagnostic.h"
#include "indim/ir/stable_order.h"
#include "indim/passes/structure/structure.h"

namespace indim::internal {
namespace {

class Finisher {
 public:
  Finisher(EditSession* graph, Caller caller)
      : graph_(*graph), caller_(caller) {}

  EditResult Run();

 private:
  bool ok() const { return StatusOf(diagnostics_).ok(); }
  void TellCycle(const Assembled& assembled);
  void Tell(const Module& module, const Report& report);
  // Shapes that SetShape() gave, and operands decided otherwise.
  void TellGivenShapes(const Assembled& assembled);
  // Errors of the structure that the module had before are warnings.
  void TellStructure(const Module& module);
  EditResult Result(Module module) {
    graph_.PoolsEscaped();
    return {std::move(module), std::move(diagnostics_)};
  }

  EditSession& graph_;
  const Caller caller_;
  std::vector<EditDiagnostic> diagnostics_;
};

void Finisher::TellCycle(const Assembled& assembled) {
  std::vector<std::string> names;
  for (const uint32_t number : assembled.cycle) {
    names.push_back(assembled.cycle_of_computations
                        ? graph_.ComputationName(number)
                        : graph_.NameOf(number));
  }
  diagnostics_.push_back(graph_.Make(
      "Finish",
      assembled.cycle_of_computations ? Code::kEditRecursion : Code::kEditCycle,
      {CycleText(names)}, caller_));
}

void Finisher::Tell(const Module& module, const Report& report) {
  for (const ModuleDiagnostic& d : report.diagnostics()) {
    diagnostics_.push_back(Rendered(module, d));
  }
}

void Finisher::TellGivenShapes(const Assembled& assembled) {
  const auto& given_shapes = graph_.given_shapes();
  if (given_shapes.empty()) return;
  const ShapeTable& shapes = assembled.data->pools->shapes();
  for (size_t i = 0; i < assembled.nodes.size(); ++i) {
    const auto found = given_shapes.find(assembled.nodes[i]);
    if (found == given_shapes.end()) continue;
    const auto& [shape, caller] = found->second;
    if (shapes.structure(assembled.data->instructions[i].shape) ==
        shapes.structure(shape)) {
      continue;
    }
    diagnostics_.push_back(graph_.Make(
        "SetShape", Code::kEditShape,
        {graph_.NameOf(found->first), shapes.shape(shape)}, caller));
  }
}

void Finisher::TellStructure(const Module& module) {
  const StructureResult now = VerifyStructure(module);
  if (now.report.diagnostics().empty()) return;
  std::set<std::string> before;
  const StructureResult was = VerifyStructure(graph_.module());
  for (const ModuleDiagnostic& d : was.report.diagnostics()) {
    before.insert(MessageText(graph_.module(), d));
  }
  for (const ModuleDiagnostic& d : now.report.diagnostics()) {
    if (before.count(MessageText(module, d)) != 0) {
      if (d.diagnostic.severity() == Severity::kWarning) continue;
      diagnostics_.push_back(graph_.Make("Finish", Code::kEditOldError,
                                         {MessageText(module, d)}, caller_));
      continue;
    }
    diagnostics_.push_back(Rendered(module, d));
  }
}

EditResult Finisher::Run() {
  if (graph_.finished()) {
    graph_.Report("Finish", Code::kEditAfterFinish, {}, caller_);
  }
  for (InsertionState* insertion : graph_.insertions()) {
    insertion->Splice(caller_);
  }
  diagnostics_ = graph_.diagnostics();
  if (!ok()) return Result(graph_.module());
  if (!graph_.changed()) {
    graph_.SetFinished();
    return Result(graph_.module());
  }
  Assembled assembled = Assemble(&graph_);
  if (assembled.data == nullptr) {
    TellCycle(assembled);
    return Result(graph_.module());
  }
  const Report report = CheckChanges(&graph_, &assembled);
  TellGivenShapes(assembled);
  RewriteModuleState(&graph_, &assembled, [this](Diagnostic d) {
    diagnostics_.push_back(graph_.Make(
        "Finish", d.code,
        std::vector<DiagnosticArg>(d.args.begin(), d.args.end()), caller_));
  });
  Module module = ModuleOf(std::move(assembled.data));
  Tell(module, report);
  TellStructure(module);
  if (!ok()) return Result(graph_.module());
  graph_.SetFinished();
  return Result(std::move(module));
}

}  // namespace

EditResult FinishEdits(EditSession* graph, Caller caller) {
  return Finisher(graph, caller).Run();
}

}  // namespace indim::internal
