// SPDX-License-Identifier: Apache-2.0
#include "indim/edit/passes/reduce.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "indim/edit/edit_session.h"
#include "indim/edit/passes/dead_code.h"
#include "indim/edit/passes/extract.h"
#include "indim/edit/passes/reducer.h"
#include "indim/passes/check/verify_module.h"
#include "indim/proto/hlo_module/module_serializer.h"

namespace indim {
namespace internal {

void CleanUp(Editor* editor) {
  EditSession& graph = EditSession::Of(editor);
  if (graph.entry() == internal::kNone) return;
  EraseUnneeded(&graph, graph.entry());
  const ComputationRef entry = editor->entry();
  const std::vector<InstructionRef> parameters = editor->parameters(entry);
  std::vector<int64_t> idle;
  for (size_t k = 0; k < parameters.size(); ++k) {
    if (!parameters[k]) continue;
    const uint32_t node = graph.NodeOf(parameters[k]);
    if (graph.uses().first(node) == internal::kNone &&
        graph.at(graph.entry()).root != node && !graph.control().Any(node)) {
      idle.push_back(static_cast<int64_t>(k));
    }
  }
  editor->RemoveParameters(entry, idle);
}

Reducer::Reducer(Module module, absl::FunctionRef<bool(const Module&)> fails,
                 const ReduceOptions& options)
    : module_(std::move(module)),
      valid_(VerifyModule(module_).ok()),
      fails_(fails),
      options_(options) {}

Reducer::Cost Reducer::CostOf(const Module& module) {
  Cost cost = {module.computation_count(), 0, SerializedSize(module)};
  for (const Computation c : module.computations()) {
    for (const Instruction i : c.instructions()) {
      if (i.opcode() != Opcode::kParameter) ++cost.nodes;
      ForEachSize(i.shape(), [&](int64_t size) {
        const uint64_t left = ~uint64_t{0} - cost.sizes;
        cost.sizes += std::min(static_cast<uint64_t>(size), left);
      });
    }
  }
  return cost;
}

bool Reducer::TryModule(Module module) {
  if (spent()) return false;
  ++tests_;
  const bool fails = fails_(module);
  if (options_.on_tested) options_.on_tested(module_, tests_);
  if (!fails) return false;
  module_ = std::move(module);
  if (options_.on_smaller) options_.on_smaller(module_, tests_);
  return true;
}

bool Reducer::TryUnverified(Module module) {
  if (valid_ && !VerifyModule(module).ok()) return false;
  return TryModule(std::move(module));
}

bool Reducer::Try(absl::FunctionRef<void(Editor*)> edit) {
  if (spent()) return false;
  Editor editor(module_);
  edit(&editor);
  CleanUp(&editor);
  EditResult result = editor.Finish();
  if (!result.ok() || !(CostOf(result.module) < CostOf(module_))) return false;
  return TryModule(std::move(result.module));
}

std::vector<Reducer::Place> Reducer::Places(bool entry, bool called) const {
  std::vector<Place> places;
  for (const Computation c : module_.computations()) {
    if (!(c.is_entry() ? entry : called)) continue;
    for (const Instruction i : c.instructions()) {
      if (i.opcode() != Opcode::kParameter) {
        places.push_back({c.index(), i.index()});
      }
    }
  }
  return places;
}

// After a success places mean other instructions, so the caller's list is used
// up: the next round has a new one.
bool Reducer::TryParts(std::vector<Place> places, EditPlaces edit) {
  for (size_t part = places.size(); part > 0; part /= 2) {
    for (size_t end = places.size(); end > 0; end -= std::min(part, end)) {
      const size_t begin = end - std::min(part, end);
      const std::vector<Place> some(places.begin() + begin,
                                    places.begin() + end);
      if (Try([&](Editor* editor) { edit(editor, some); })) return true;
      if (spent()) return false;
    }
  }
  return false;
}

// --- The result --------------------------------------------------------------

bool Reducer::ReduceRoot() {
  const Computation entry = module_.entry();
  const int root = entry.root().index();
  const auto becomes_root = [&](int i) {
    return Try([&](Editor* editor) {
      ExtractCone(editor, {At(*editor, {entry.index(), i})});
    });
  };
  for (int step = root / 2; step > 0; step /= 2) {
    if (becomes_root(root - step)) return true;
  }
  // Of a tuple RemoveResults() leaves one element first.
  const bool is_wide = entry.root().operand_count() > 1 &&
                       entry.root().opcode() == Opcode::kTuple;
  for (const Instruction operand : entry.root().operands()) {
    if (is_wide || spent()) break;
    if (becomes_root(operand.index())) return true;
  }
  // The root needn't be the last instruction; what comes after it isn't needed
  // by it, but the test may ask for it.
  for (int i = entry.instruction_count(); --i > root && !spent();) {
    if (becomes_root(i)) return true;
  }
  return false;
}

// The part that a called computation computes is a module of its own.
bool Reducer::EnterCalled() {
  for (const Computation c : module_.computations()) {
    if (c.is_entry()) continue;
    const Place root = {c.index(), c.root().index()};
    if (Try([&](Editor* editor) {
          ExtractCone(editor, {At(*editor, root)});
        })) {
      return true;
    }
  }
  return false;
}

bool Reducer::RemoveResults() {
  const Instruction root = module_.entry().root();
  if (root.opcode() != Opcode::kTuple) return false;
  const int count = root.operand_count();
  for (int part = std::max(1, count / 2); count > 1; part /= 2) {
    for (int end = count; end > 0; end -= part) {
      const int begin = std::max(0, end - part);
      if (end - begin == count) continue;
      std::vector<int64_t> some;
      for (int k = begin; k < end; ++k) some.push_back(k);
      const bool removed = Try([&](Editor* editor) {
        editor->RemoveResults(editor->entry(), some);
      });
      if (removed) return true;
    }
    if (part == 1) break;
  }
  return false;
}

// --- Instructions ------------------------------------------------------------

bool Reducer::CutToParameters() {
  return TryParts(Places(true, false), [this](Editor* editor,
                                              const std::vector<Place>& some) {
    for (const Place place : some) {
      const InstructionRef x = At(*editor, place);
      if (x == editor->root(editor->entry())) continue;
      editor->ReplaceAllUses(
          x, editor->AddParameter(editor->entry(), Shape(editor->shape(x))));
    }
  });
}

bool Reducer::Bypass() {
  return TryParts(Places(true, true), [this](Editor* editor,
                                             const std::vector<Place>& some) {
    for (const Place place : some) {
      const InstructionRef x = At(*editor, place);
      for (const InstructionRef operand : editor->operands(x)) {
        if (SameStructure(editor->shape(operand), editor->shape(x))) {
          editor->ReplaceAllUses(x, operand);
          break;
        }
      }
    }
  });
}

bool Reducer::ToZero() {
  return TryParts(Places(false, true), [this](Editor* editor,
                                              const std::vector<Place>& some) {
    for (const Place place : some) {
      const InstructionRef x = At(*editor, place);
      const Shape shape = editor->shape(x);
      if (editor->opcode(x) == Opcode::kConstant || !shape.is_array() ||
          !shape.is_static()) {
        continue;
      }
      Insertion at = editor->Before(x);
      editor->ReplaceAllUses(x, at.Insert(at->Splat(0, shape.WithoutLayout())));
    }
  });
}

bool Reducer::InlineOne() {
  const auto inlines = [this](Place place, int branch) {
    return Try([&](Editor* editor) {
      InstructionRef call = At(*editor, place);
      if (branch >= 0) {
        Insertion at = editor->Before(call);
        const Op operand =
            at.Use(editor->operands(call)[static_cast<size_t>(branch) + 1]);
        const Callee callee = at.UseComputation(
            editor->callees(call)[static_cast<size_t>(branch)]);
        const InstructionRef made = at.Insert(at->Call(callee, {operand}));
        editor->ReplaceAllUses(call, made);
        call = made;
      }
      editor->InlineCall(call);
    });
  };
  for (const Place place : Places(true, true)) {
    const Instruction i =
        module_.computation(place.computation).instruction(place.instruction);
    if (i.opcode() == Opcode::kCall && inlines(place, -1)) return true;
    if (i.opcode() != Opcode::kConditional) continue;
    for (int k = 0; k < i.callee_count(); ++k) {
      if (inlines(place, k)) return true;
    }
  }
  return false;
}

ReduceResult Reducer::Run() {
  using Reduction = bool (Reducer::*)();
  constexpr Reduction kReductions[] = {
      &Reducer::EnterCalled,     &Reducer::ReduceRoot,
      &Reducer::RemoveResults,   &Reducer::CutToParameters,
      &Reducer::Bypass,          &Reducer::InlineOne,
      &Reducer::ToZero,          &Reducer::ShrinkDims,
      &Reducer::StripModule,     &Reducer::StripInstructions,
      &Reducer::ShrinkConstants,
  };
  Try([](Editor*) {});  // what nothing needs
  for (bool smaller = true; smaller && !spent();) {
    smaller = false;
    for (const Reduction reduction : kReductions) {
      while (!spent() && (this->*reduction)()) smaller = true;
    }
  }
  return {module_, tests_, !spent()};
}

}  // namespace internal

ReduceResult ReduceModule(Module module,
                          absl::FunctionRef<bool(const Module&)> fails,
                          const ReduceOptions& options) {
  if (module.computation_count() == 0) return {std::move(module), 0, true};
  return internal::Reducer(std::move(module), fails, options).Run();
}

}  // namespace indim
