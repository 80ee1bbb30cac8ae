// SPDX-License-Identifier: Apache-2.0
// Editor: changes of single instructions, uses, roots, erasing.

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "indim/edit/edit_session.h"
#include "indim/edit/editor.h"
#include "indim/edit/insertion_state.h"
#include "indim/proto/codec/attribute_wire.h"
#include "indim/proto/codec/frontend_attributes.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/canonical.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire.h"
#include "indim/shape/infer/infer.h"

namespace indim {

using internal::EditSession;
using internal::InsertionState;
using internal::kNone;

namespace {

// Whether `value` is in computation `c`; else it is reported.
bool IsIn(EditSession* graph, absl::string_view what, uint32_t value,
          uint32_t c, Caller caller) {
  const uint32_t its = graph->computation(value);
  if (its == c) return true;
  graph->Report(what, Code::kEditComputation,
                {graph->NameOf(value), graph->ComputationName(its), "its user",
                 graph->ComputationName(c)},
                caller);
  return false;
}

bool InRange(EditSession* graph, absl::string_view what, uint32_t node,
             absl::string_view of_what, int64_t index, int64_t count,
             Caller caller) {
  if (index >= 0 && index < count) return true;
  graph->Report(what, Code::kEditIndex,
                {graph->NameOf(node), std::string(of_what), index, count},
                caller);
  return false;
}

bool IsText(EditSession* graph, absl::string_view what, absl::string_view role,
            absl::string_view text, Caller caller) {
  if (IsValidUtf8(text)) return true;
  graph->Report(what, Code::kNotUtf8, {std::string(role)}, caller);
  return false;
}

// Whether `node` may need `on`, directly or not, as far as its operands tell.
bool MayNeed(const EditSession& graph, uint32_t node, uint32_t on) {
  if (!graph.MayDepend(node, on)) return false;
  for (const uint32_t operand : graph.Operands(node)) {
    if (operand == on || graph.MayDepend(operand, on)) return true;
  }
  return false;
}

// The nodes that `node` needs and that may depend on `on`, `node` first.
std::vector<uint32_t> Between(const EditSession& graph, uint32_t node,
                              uint32_t on) {
  std::vector<uint32_t> open = {node}, found;
  absl::flat_hash_set<uint32_t> seen = {node};
  while (!open.empty()) {
    const uint32_t at = open.back();
    open.pop_back();
    found.push_back(at);
    for (const uint32_t operand : graph.Operands(at)) {
      if (operand != on && graph.MayDepend(operand, on) &&
          seen.insert(operand).second) {
        open.push_back(operand);
      }
    }
  }
  return found;
}

}  // namespace

// --- Insertions --------------------------------------------------------------

Insertion Editor::Before(InstructionRef instruction, Caller caller) {
  EditSession& g = session();
  const uint32_t node = g.Check("Before", instruction, caller);
  return Insertion(std::make_unique<InsertionState>(
      &g, node == kNone ? kNone : g.computation(node), node,
      node == kNone ? kNone : g.place(node)));
}

Insertion Editor::After(InstructionRef instruction, Caller caller) {
  EditSession& g = session();
  const uint32_t node = g.Check("After", instruction, caller);
  return Insertion(std::make_unique<InsertionState>(
      &g, node == kNone ? kNone : g.computation(node),
      node == kNone ? kNone : g.next(node),
      node == kNone ? kNone : g.place(node)));
}

Insertion Editor::AtEnd(ComputationRef computation, Caller caller) {
  EditSession& g = session();
  const uint32_t c = g.Check("AtEnd", computation, caller);
  const uint32_t last = c == kNone ? kNone : g.at(c).tail;
  return Insertion(std::make_unique<InsertionState>(
      &g, c, kNone, last == kNone ? kNone : g.place(last)));
}

// --- Operands and callees ----------------------------------------------------

void Editor::SetOperand(InstructionRef instruction, int index,
                        InstructionRef value, Caller caller) {
  EditSession& g = session();
  const uint32_t node = g.Check("SetOperand", instruction, caller);
  if (node == kNone) return;
  const uint32_t operand = g.Check("SetOperand", value, caller);
  if (operand == kNone ||
      !InRange(&g, "SetOperand", node, "operand", index,
               g.record(node).operand_count, caller) ||
      !IsIn(&g, "SetOperand", operand, g.computation(node), caller)) {
    return;
  }
  const uint32_t k = static_cast<uint32_t>(index);
  if (g.Operands(node)[k] != operand) g.SetOperand(node, k, operand);
}

void Editor::SetOperands(InstructionRef instruction,
                         absl::Span<const InstructionRef> operands,
                         Caller caller) {
  EditSession& g = session();
  const uint32_t node = g.Check("SetOperands", instruction, caller);
  if (node == kNone) return;
  std::vector<uint32_t> values;
  for (const InstructionRef operand : operands) {
    values.push_back(g.Check("SetOperands", operand, caller));
    if (values.back() == kNone ||
        !IsIn(&g, "SetOperands", values.back(), g.computation(node), caller)) {
      return;
    }
  }
  if (g.Operands(node) != absl::MakeConstSpan(values)) {
    g.SetOperands(node, values);
  }
}

void Editor::SetCallee(InstructionRef instruction, int index,
                       ComputationRef callee, Caller caller) {
  EditSession& g = session();
  const uint32_t node = g.Check("SetCallee", instruction, caller);
  if (node == kNone) return;
  const uint32_t c = g.Check("SetCallee", callee, caller);
  if (c == kNone || !InRange(&g, "SetCallee", node, "callee", index,
                             g.record(node).callee_count, caller)) {
    return;
  }
  const uint32_t k = static_cast<uint32_t>(index);
  if (g.Callees(node)[k] != c) g.SetCallee(node, k, c);
}

// --- Other members -----------------------------------------------------------

void Editor::SetAttributes(InstructionRef instruction,
                           const Attributes& attributes, Caller caller) {
  EditSession& g = session();
  const uint32_t node = g.Check("SetAttributes", instruction, caller);
  if (node == kNone) return;
  const Opcode opcode = g.record(node).opcode;
  if (attributes.index() != static_cast<size_t>(Info(opcode).attributes)) {
    g.Report("SetAttributes", Code::kEditAttributes,
             {g.NameOf(node), std::string(Name(opcode))}, caller);
    return;
  }
  const OwnedAttributeBytes bytes = ReplaceAttributes(
      opcode, g.pools().attribute_bytes(g.record(node).attribute_bytes),
      attributes);
  g.SetAttributeBytes(node, bytes.view());
}

void Editor::SetShape(InstructionRef instruction, const Shape& shape,
                      Caller caller) {
  EditSession& g = session();
  const uint32_t node = g.Check("SetShape", instruction, caller);
  if (node == kNone) return;
  const InstructionRecord& r = g.record(node);
  const Shape& old = g.pools().shapes().shape(r.shape);
  if (Info(r.opcode).result == ResultSource::kInferred &&
      IsInferable(r.opcode) && r.shape && !SameStructure(old, shape)) {
    g.Report("SetShape", Code::kEditShape, {g.NameOf(node), shape}, caller);
    return;
  }
  if (shape == old) return;
  const ShapeId id = g.MutablePools().shapes().Intern(shape);
  g.Touch(node).shape = id;
  g.given_shapes().insert_or_assign(node, EditSession::GivenShape{id, caller});
}

void Editor::SetName(InstructionRef instruction, absl::string_view name,
                     Caller caller) {
  EditSession& g = session();
  const uint32_t node = g.Check("SetName", instruction, caller);
  if (node == kNone || !IsText(&g, "SetName", "the name", name, caller)) return;
  g.SetName(node, name);
}

void Editor::SetSharding(InstructionRef instruction,
                         const std::optional<std::string>& sharding,
                         Caller caller) {
  EditSession& g = session();
  const uint32_t node = g.Check("SetSharding", instruction, caller);
  if (node == kNone) return;
  using field::HloInstructionProto::kSharding;
  const AttributeBytesView bytes =
      g.pools().attribute_bytes(g.record(node).attribute_bytes);
  if (!sharding) {
    g.SetAttributeBytes(node, WithoutField(bytes, kSharding).view());
    return;
  }
  const absl::StatusOr<std::string> canonical =
      Canonicalize(WireMessage::kOpSharding, *sharding);
  if (!canonical.ok()) {
    g.Report("SetSharding", Code::kAttributeBytes,
             {std::string(canonical.status().message())}, caller);
    return;
  }
  g.SetAttributeBytes(node, WithField(bytes, kSharding, *canonical).view());
}

void Editor::SetMetadata(InstructionRef instruction,
                         const std::optional<std::string>& metadata,
                         Caller caller) {
  EditSession& g = session();
  const uint32_t node = g.Check("SetMetadata", instruction, caller);
  if (node == kNone) return;
  MetadataId id;
  if (metadata) {
    const absl::StatusOr<std::string> canonical =
        Canonicalize(WireMessage::kOpMetadata, *metadata);
    if (!canonical.ok()) {
      g.Report("SetMetadata", Code::kAttributeBytes,
               {std::string(canonical.status().message())}, caller);
      return;
    }
    id = g.MutablePools().AddMetadata(*canonical);
  }
  g.Touch(node).metadata = id;
}

void Editor::SetFrontendAttribute(InstructionRef instruction,
                                  absl::string_view key,
                                  absl::string_view value, Caller caller) {
  EditSession& g = session();
  constexpr char kWhat[] = "SetFrontendAttribute";
  const uint32_t node = g.Check(kWhat, instruction, caller);
  if (node == kNone || !IsText(&g, kWhat, "the key", key, caller) ||
      !IsText(&g, kWhat, "the value", value, caller)) {
    return;
  }
  using field::HloInstructionProto::kFrontendAttributes;
  const AttributeBytesView bytes =
      g.pools().attribute_bytes(g.record(node).attribute_bytes);
  g.SetAttributeBytes(
      node, WithField(bytes, kFrontendAttributes,
                      WithFrontendAttribute(
                          AttributeBytesField(bytes, kFrontendAttributes), key,
                          value))
                .view());
}

// --- Uses, roots, erasing ----------------------------------------------------

void Editor::ReplaceAllUses(InstructionRef instruction,
                            InstructionRef replacement, Caller caller) {
  EditSession& g = session();
  const uint32_t from = g.Check("ReplaceAllUses", instruction, caller);
  if (from == kNone) return;
  const uint32_t to = g.Check("ReplaceAllUses", replacement, caller);
  if (to == kNone || to == from ||
      !IsIn(&g, "ReplaceAllUses", to, g.computation(from), caller)) {
    return;
  }
  // What computes the replacement keeps its use. Mostly there is nothing.
  absl::flat_hash_set<uint32_t> keeps;
  if (MayNeed(g, to, from)) {
    for (const uint32_t node : Between(g, to, from)) keeps.insert(node);
  }
  internal::UseLists& uses = g.uses();
  for (uint32_t slot = uses.first(from); slot != kNone;) {
    const uint32_t user = uses.user(slot);
    const uint32_t index = slot - g.record(user).first_operand;
    slot = uses.next(slot);
    if (keeps.empty() || !keeps.contains(user)) g.SetOperand(user, index, to);
  }
  const uint32_t c = g.computation(from);
  if (g.at(c).root == from) g.SetRoot(c, to);
}

void Editor::SetRoot(ComputationRef computation, InstructionRef root,
                     Caller caller) {
  EditSession& g = session();
  const uint32_t c = g.Check("SetRoot", computation, caller);
  if (c == kNone) return;
  const uint32_t node = g.Check("SetRoot", root, caller);
  if (node == kNone || !IsIn(&g, "SetRoot", node, c, caller)) return;
  if (g.at(c).root == node) return;
  g.SetRoot(c, node);
  if (c != g.entry()) return;
  g.mutable_entry_changes().results.reset();
  g.mutable_entry_changes().wrapped = false;
}

void Editor::Erase(InstructionRef instruction, Caller caller) {
  EditSession& g = session();
  const uint32_t node = g.Check("Erase", instruction, caller);
  if (node == kNone) return;
  const uint32_t first_use = g.uses().first(node);
  const uint32_t c = g.computation(node);
  if (g.record(node).opcode == Opcode::kParameter) {
    g.Report("Erase", Code::kEditParameter, {g.NameOf(node)}, caller);
  } else if (first_use != kNone || g.at(c).root == node) {
    g.Report("Erase", Code::kEditInUse,
             {g.NameOf(node),
              first_use != kNone
                  ? absl::StrCat(g.NameOf(g.uses().user(first_use)), " uses it")
                  : absl::StrCat("it is the root of ", g.ComputationName(c))},
             caller);
  } else if (!g.control().successors(node).empty()) {
    g.Report("Erase", Code::kEditControl,
             {g.NameOf(node), g.NameOf(g.control().successors(node)[0])},
             caller);
  } else {
    g.Remove(node);
  }
}

void Editor::Erase(ComputationRef computation, Caller caller) {
  EditSession& g = session();
  const uint32_t c = g.Check("Erase", computation, caller);
  if (c == kNone) return;
  const std::vector<uint32_t> callers = g.CallersOf(c);
  if (!callers.empty() || c == g.entry()) {
    g.Report(
        "Erase", Code::kEditInUse,
        {g.ComputationName(c),
         callers.empty() ? "it is the entry"
                         : absl::StrCat(g.NameOf(callers[0]), " calls it")},
        caller);
    return;
  }
  g.RemoveComputation(c);
}

}  // namespace indim
