// SPDX-License-Identifier: Apache-2.0
#include "indim/edit/editor.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "indim/edit/edit_session.h"
#include "indim/edit/finish.h"
#include "indim/edit/instruction_text.h"
#include "indim/edit/side_effects.h"
#include "indim/ir/stable_order.h"

namespace indim {

using internal::EditSession;
using internal::kNone;

namespace {

// The graph of an Editor that was moved away: an empty module's, finished.
EditSession& Gone() {
  static thread_local EditSession* const gone = [] {
    auto* graph = new EditSession(Module());
    graph->SetFinished();
    return graph;
  }();
  return *gone;
}

}  // namespace

Editor::Editor(Module module)
    : session_(std::make_unique<EditSession>(std::move(module))) {}
Editor::~Editor() = default;
Editor::Editor(Editor&&) noexcept = default;
Editor& Editor::operator=(Editor&&) noexcept = default;

EditSession& Editor::session() const {
  return session_ != nullptr ? *session_ : Gone();
}

// --- Looking -----------------------------------------------------------------

std::vector<ComputationRef> Editor::computations() const {
  std::vector<ComputationRef> refs;
  for (const uint32_t c : session().computation_order()) {
    refs.push_back(session().RefOfComputation(c));
  }
  return refs;
}

ComputationRef Editor::entry() const {
  return session().RefOfComputation(session().entry());
}

ComputationRef Editor::FindComputation(absl::string_view name) const {
  for (const uint32_t c : session().computation_order()) {
    if (session().ComputationName(c) == name) {
      return session().RefOfComputation(c);
    }
  }
  return ComputationRef();
}

std::string Editor::name(ComputationRef computation) const {
  const uint32_t c = session().ComputationOf(computation);
  return c == kNone ? "" : session().ComputationName(c);
}

InstructionRef Editor::root(ComputationRef computation) const {
  const uint32_t c = session().ComputationOf(computation);
  return session().Ref(c == kNone ? kNone : session().at(c).root);
}

std::vector<InstructionRef> Editor::instructions(
    ComputationRef computation) const {
  std::vector<InstructionRef> refs;
  const uint32_t c = session().ComputationOf(computation);
  if (c == kNone) return refs;
  refs.reserve(session().at(c).count);
  for (uint32_t node = session().at(c).head; node != kNone;
       node = session().next(node)) {
    refs.push_back(session().Ref(node));
  }
  return refs;
}

std::vector<InstructionRef> Editor::PostOrder(
    ComputationRef computation) const {
  std::vector<InstructionRef> refs;
  const uint32_t c = session().ComputationOf(computation);
  if (c == kNone || session().at(c).root == kNone) return refs;
  std::vector<uint32_t> order, cycle;
  internal::StableSorter(session().node_count())
      .Append(
          {session().at(c).root},
          [this](uint32_t node, std::vector<uint32_t>* needs) {
            const absl::Span<const uint32_t> operands =
                session().Operands(node);
            needs->assign(operands.begin(), operands.end());
          },
          &order, &cycle);
  for (const uint32_t node : order) refs.push_back(session().Ref(node));
  return refs;
}

std::vector<InstructionRef> Editor::parameters(
    ComputationRef computation) const {
  std::vector<InstructionRef> refs;
  const uint32_t c = session().ComputationOf(computation);
  if (c == kNone) return refs;
  for (const uint32_t node : session().Parameters(c)) {
    refs.push_back(session().Ref(node));
  }
  return refs;
}

std::vector<InstructionRef> Editor::callers(ComputationRef computation) const {
  std::vector<InstructionRef> refs;
  const uint32_t c = session().ComputationOf(computation);
  if (c == kNone) return refs;
  for (const uint32_t node : session().CallersOf(c)) {
    refs.push_back(session().Ref(node));
  }
  return refs;
}

InstructionRef Editor::Find(absl::string_view name) const {
  const EditSession& g = session();
  for (uint32_t node = 0; node < g.node_count(); ++node) {
    if (g.is_erased(node)) continue;
    const absl::string_view given = g.pools().name(g.record(node).name);
    const bool same = given.empty()
                          ? absl::StartsWith(name, g.OpcodeName(node)) &&
                                g.NameOf(node) == name
                          : given == name;
    if (same) return g.Ref(node);
  }
  return InstructionRef();
}

std::vector<InstructionRef> Editor::FindAll(Opcode opcode) const {
  std::vector<InstructionRef> refs;
  for (const uint32_t c : session().computation_order()) {
    for (uint32_t node = session().at(c).head; node != kNone;
         node = session().next(node)) {
      if (session().record(node).opcode == opcode) {
        refs.push_back(session().Ref(node));
      }
    }
  }
  return refs;
}

InstructionRef Editor::Of(const Instruction& instruction) const {
  const Module& module = session().module();
  const int c = instruction.computation().index();
  if (c >= module.computation_count() ||
      !(instruction.computation() == module.computation(c)) ||
      instruction.index() >= module.computation(c).instruction_count()) {
    return InstructionRef();
  }
  return session().Ref(instruction.position());
}

ComputationRef Editor::Of(const Computation& computation) const {
  const Module& module = session().module();
  const int c = computation.index();
  if (c >= module.computation_count() ||
      !(computation == module.computation(c))) {
    return ComputationRef();
  }
  return session().RefOfComputation(static_cast<uint32_t>(c));
}

bool Editor::exists(InstructionRef instruction) const {
  return session().NodeOf(instruction) != kNone;
}

bool Editor::exists(ComputationRef computation) const {
  return session().ComputationOf(computation) != kNone;
}

ComputationRef Editor::computation(InstructionRef instruction) const {
  const uint32_t node = session().NodeOf(instruction);
  return session().RefOfComputation(
      node == kNone ? kNone : session().computation(node));
}

Opcode Editor::opcode(InstructionRef instruction) const {
  const uint32_t node = session().NodeOf(instruction);
  return node == kNone ? Opcode::kInvalid : session().record(node).opcode;
}

std::string Editor::name(InstructionRef instruction) const {
  const uint32_t node = session().NodeOf(instruction);
  return node == kNone ? "" : session().NameOf(node);
}

int64_t Editor::id(InstructionRef instruction) const {
  const uint32_t node = session().NodeOf(instruction);
  return node == kNone ? 0 : session().id(node);
}

const Shape& Editor::shape(InstructionRef instruction) const {
  const uint32_t node = session().NodeOf(instruction);
  return session().pools().shapes().shape(
      node == kNone ? ShapeId() : session().record(node).shape);
}

const Attributes& Editor::attributes(InstructionRef instruction) const {
  static const auto* const kNothing = new Attributes();
  const uint32_t node = session().NodeOf(instruction);
  if (node == kNone) return *kNothing;
  const InstructionRecord& r = session().record(node);
  return session().pools().attributes(r.opcode, r.attribute_bytes);
}

std::vector<InstructionRef> Editor::operands(InstructionRef instruction) const {
  std::vector<InstructionRef> refs;
  const uint32_t node = session().NodeOf(instruction);
  if (node == kNone) return refs;
  for (const uint32_t operand : session().Operands(node)) {
    refs.push_back(session().Ref(operand));
  }
  return refs;
}

std::vector<ComputationRef> Editor::callees(InstructionRef instruction) const {
  std::vector<ComputationRef> refs;
  const uint32_t node = session().NodeOf(instruction);
  if (node == kNone) return refs;
  for (const uint32_t callee : session().Callees(node)) {
    refs.push_back(session().RefOfComputation(callee));
  }
  return refs;
}

std::vector<InstructionRef> Editor::users(InstructionRef instruction) const {
  std::vector<InstructionRef> refs;
  const uint32_t node = session().NodeOf(instruction);
  if (node == kNone) return refs;
  const internal::UseLists& uses = session().uses();
  for (uint32_t slot = uses.first(node); slot != kNone;
       slot = uses.next(slot)) {
    refs.push_back(session().Ref(uses.user(slot)));
  }
  std::sort(refs.begin(), refs.end());
  refs.erase(std::unique(refs.begin(), refs.end()), refs.end());
  return refs;
}

int64_t Editor::use_count(InstructionRef instruction) const {
  const uint32_t node = session().NodeOf(instruction);
  if (node == kNone) return 0;
  const internal::UseLists& uses = session().uses();
  int64_t count = 0;
  for (uint32_t slot = uses.first(node); slot != kNone;
       slot = uses.next(slot)) {
    ++count;
  }
  return count;
}

absl::StatusOr<Literal> Editor::literal(InstructionRef instruction) const {
  const uint32_t node = session().NodeOf(instruction);
  if (node == kNone) return absl::NotFoundError("there is no literal");
  return internal::LiteralOf(session(), node);
}

absl::string_view Editor::metadata(InstructionRef instruction) const {
  const uint32_t node = session().NodeOf(instruction);
  return node == kNone
             ? absl::string_view()
             : session().pools().metadata(session().record(node).metadata);
}

bool Editor::must_stay(InstructionRef instruction) const {
  const uint32_t node = session().NodeOf(instruction);
  if (node == kNone) return false;
  return session().record(node).opcode == Opcode::kParameter ||
         session().at(session().computation(node)).root == node ||
         session().control().Any(node) ||
         internal::HasSideEffect(session(), node);
}

// --- Result ------------------------------------------------------------------

absl::Status Editor::status() const {
  return internal::StatusOf(session().diagnostics());
}

EditResult Editor::Finish(Caller caller) {
  return internal::FinishEdits(&session(), caller);
}

}  // namespace indim
