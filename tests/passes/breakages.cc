// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/passes/breakages.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/tests/passes/attribute_edits.h"
#include "indim/tests/proto/wire/wire_oracle.h"

namespace indim {
namespace {

using proto::HloComputationProto;
using proto::HloInstructionProto;
using proto::HloModuleProto;
using proto::ShapeProto;

// So many nodes of an op are looked at for each kind, until one can be broken.
constexpr int kAttempts = 6;
// Of each op and kind of a module.
constexpr int kPerKind = 2;

// --- Shapes -----------------------------------------------------------------

void ClearLayouts(ShapeProto* shape) {
  shape->clear_layout();
  for (ShapeProto& element : *shape->mutable_tuple_shapes()) {
    ClearLayouts(&element);
  }
}

std::string StructureOf(ShapeProto shape) {
  ClearLayouts(&shape);
  return DeterministicBytes(shape);
}

void CollectLeaves(ShapeProto* shape, std::vector<ShapeProto*>* leaves) {
  if (shape->element_type() != proto::TUPLE) {
    leaves->push_back(shape);
    return;
  }
  for (ShapeProto& element : *shape->mutable_tuple_shapes()) {
    CollectLeaves(&element, leaves);
  }
}

bool IsArray(const ShapeProto& shape) {
  return shape.element_type() != proto::TUPLE &&
         shape.element_type() != proto::TOKEN &&
         shape.element_type() != proto::OPAQUE_TYPE &&
         shape.element_type() != proto::BUFFER &&
         shape.element_type() != proto::PRIMITIVE_TYPE_INVALID;
}

void SetDynamic(int dim, bool dynamic, ShapeProto* shape) {
  while (shape->is_dynamic_dimension_size() < shape->dimensions_size()) {
    shape->add_is_dynamic_dimension(false);
  }
  shape->set_is_dynamic_dimension(dim, dynamic);
}

// A layout of the shape's new rank.
void RenewLayout(ShapeProto* shape) {
  if (!shape->has_layout()) return;
  shape->clear_layout();
  for (int d = shape->dimensions_size() - 1; d >= 0; --d) {
    shape->mutable_layout()->add_minor_to_major(d);
  }
  shape->mutable_layout();
}

using Change = std::optional<std::string>;

// Each changes a shape and says how; nullopt: it can't.
Change ChangeSize(Random* random, ShapeProto* shape) {
  if (!IsArray(*shape) || shape->dimensions_size() == 0) return std::nullopt;
  const int d = static_cast<int>(
      Below(static_cast<uint64_t>(shape->dimensions_size()), random));
  const int64_t size = shape->dimensions(d);
  if (size < 0) return std::nullopt;
  const bool up = size == 0 || OneIn(2, random);
  shape->set_dimensions(d, up ? size + 1 : size - 1);
  return absl::StrCat("dim ", d, up ? " +1" : " -1");
}

Change ChangeRank(Random* random, ShapeProto* shape) {
  if (!IsArray(*shape)) return std::nullopt;
  const int rank = shape->dimensions_size();
  if (rank > 0 && OneIn(2, random)) {
    shape->mutable_dimensions()->RemoveLast();
    if (shape->is_dynamic_dimension_size() == rank) {
      shape->mutable_is_dynamic_dimension()->RemoveLast();
    }
    RenewLayout(shape);
    return "last dim dropped";
  }
  const int64_t size = OneIn(2, random) ? 1 : 3;
  shape->add_dimensions(size);
  if (shape->is_dynamic_dimension_size() == rank && rank > 0) {
    shape->add_is_dynamic_dimension(false);
  }
  RenewLayout(shape);
  return absl::StrCat("a dim of ", size, " more");
}

Change ChangeDynamic(Random* random, ShapeProto* shape) {
  if (!IsArray(*shape) || shape->dimensions_size() == 0) return std::nullopt;
  const int d = static_cast<int>(
      Below(static_cast<uint64_t>(shape->dimensions_size()), random));
  const bool was =
      d < shape->is_dynamic_dimension_size() && shape->is_dynamic_dimension(d);
  SetDynamic(d, !was, shape);
  return was ? "static" : "bounded";
}

Change ChangeType(Random* random, ShapeProto* shape) {
  if (!IsArray(*shape)) return std::nullopt;
  constexpr proto::PrimitiveType kTypes[] = {
      proto::PRED, proto::S8,   proto::S32, proto::U32, proto::S64,
      proto::F16,  proto::BF16, proto::F32, proto::F64, proto::C64};
  const proto::PrimitiveType type = kTypes[Below(std::size(kTypes), random)];
  if (type == shape->element_type()) return std::nullopt;
  shape->set_element_type(type);
  return absl::StrCat("to ", proto::PrimitiveType_Name(type));
}

Change ChangeTuple(Random* random, ShapeProto* shape) {
  if (shape->element_type() != proto::TUPLE) return std::nullopt;
  const int size = shape->tuple_shapes_size();
  if (size > 0 && OneIn(2, random)) {
    shape->mutable_tuple_shapes()->RemoveLast();
    return "last element dropped";
  }
  ShapeProto* added = shape->add_tuple_shapes();
  added->set_element_type(proto::F32);
  added->mutable_layout();
  return "an element more";
}

// `change` on one leaf.
template <typename F>
Change AtALeaf(F change, Random* random, ShapeProto* shape) {
  std::vector<ShapeProto*> leaves;
  CollectLeaves(shape, &leaves);
  if (leaves.empty()) return std::nullopt;
  return change(random, leaves[Below(leaves.size(), random)]);
}

// --- Nodes ------------------------------------------------------------------

struct Node {
  int computation;
  int instruction;
};

class Breaker {
 public:
  using Sink = std::function<void(const Breakage&, const HloModuleProto&)>;

  Breaker(HloModuleProto module, const Sink& sink)
      : module_(std::move(module)), sink_(sink), random_(7) {
    for (int c = 0; c < module_.computations_size(); ++c) {
      const HloComputationProto& computation = module_.computations(c);
      by_id_[computation.id()] = c;
      for (int i = 0; i < computation.instructions_size(); ++i) {
        nodes_[computation.instructions(i).opcode()].push_back({c, i});
      }
    }
  }

  void Run() {
    for (const auto& [opcode, nodes] : nodes_) {
      for (int kind = 0; kind < kBreakageKinds; ++kind) {
        if (static_cast<BreakageKind>(kind) == BreakageKind::kAttribute) {
          BreakAttributes(nodes);
          continue;
        }
        int broken = 0;
        for (int k = 0; k < kAttempts && broken < kPerKind; ++k) {
          const Node node = nodes[Below(nodes.size(), &random_)];
          if (Break(static_cast<BreakageKind>(kind), node)) ++broken;
        }
      }
    }
  }

 private:
  HloInstructionProto* At(Node node) {
    return module_.mutable_computations(node.computation)
        ->mutable_instructions(node.instruction);
  }
  void Report(BreakageKind kind, Node node, std::string change,
              std::string field = "") {
    const HloInstructionProto& broken = *At(node);
    sink_({kind, broken.opcode(), broken.name(), std::move(field),
           std::move(change)},
          module_);
  }

  bool Break(BreakageKind kind, Node node) {
    if (kind == BreakageKind::kCalleeParameter ||
        kind == BreakageKind::kCalleeResult) {
      return BreakCallee(kind, node);
    }
    const HloInstructionProto before = *At(node);
    const Change change = Apply(kind, node, At(node));
    const bool differs =
        change && DeterministicBytes(before) != DeterministicBytes(*At(node));
    if (differs) Report(kind, node, *change);
    *At(node) = before;
    return differs;
  }

  Change Apply(BreakageKind kind, Node node, HloInstructionProto* broken) {
    ShapeProto* shape = broken->mutable_shape();
    switch (kind) {
      case BreakageKind::kResultSize:
        return AtALeaf(ChangeSize, &random_, shape);
      case BreakageKind::kResultRank:
        return AtALeaf(ChangeRank, &random_, shape);
      case BreakageKind::kResultDynamic:
        return AtALeaf(ChangeDynamic, &random_, shape);
      case BreakageKind::kResultType:
        return AtALeaf(ChangeType, &random_, shape);
      case BreakageKind::kResultTuple:
        return ChangeTuple(&random_, shape);
      case BreakageKind::kOperandOther:
        return ReplaceOperand(false, node, broken);
      case BreakageKind::kOperandAlike:
        return ReplaceOperand(true, node, broken);
      case BreakageKind::kOperandRemoved:
        return RemoveOperand(broken);
      case BreakageKind::kOperandAdded:
        if (broken->operand_ids_size() == 0) return std::nullopt;
        broken->add_operand_ids(
            broken->operand_ids(broken->operand_ids_size() - 1));
        return "the last twice";
      case BreakageKind::kOperandsSwapped:
        return SwapOperands(node, broken);
      case BreakageKind::kCalleeOther:
        return ReplaceCallee(node, broken);
      case BreakageKind::kCalleeCount:
        return ChangeCalleeCount(broken);
      default:
        return std::nullopt;
    }
  }

  std::optional<ShapeProto> ShapeOf(int computation, int64_t id) const {
    for (const auto& i : module_.computations(computation).instructions()) {
      if (i.id() == id) return i.shape();
    }
    return std::nullopt;
  }

  Change ReplaceOperand(bool alike, Node node, HloInstructionProto* broken) {
    if (broken->operand_ids_size() == 0 || node.instruction == 0) {
      return std::nullopt;
    }
    const int k = static_cast<int>(
        Below(static_cast<uint64_t>(broken->operand_ids_size()), &random_));
    const auto old = ShapeOf(node.computation, broken->operand_ids(k));
    if (!old) return std::nullopt;
    const std::string structure = StructureOf(*old);
    for (int attempt = 0; attempt < 20; ++attempt) {
      const HloInstructionProto& other =
          module_.computations(node.computation)
              .instructions(static_cast<int>(
                  Below(static_cast<uint64_t>(node.instruction), &random_)));
      if (other.id() == broken->operand_ids(k)) continue;
      if ((StructureOf(other.shape()) == structure) != alike) continue;
      broken->set_operand_ids(k, other.id());
      return absl::StrCat("operand ", k, " is ", other.name());
    }
    return std::nullopt;
  }

  Change RemoveOperand(HloInstructionProto* broken) {
    const int count = broken->operand_ids_size();
    if (count == 0) return std::nullopt;
    const int k =
        static_cast<int>(Below(static_cast<uint64_t>(count), &random_));
    broken->mutable_operand_ids()->erase(broken->operand_ids().begin() + k);
    return absl::StrCat("operand ", k);
  }

  Change SwapOperands(Node node, HloInstructionProto* broken) {
    const int count = broken->operand_ids_size();
    if (count < 2) return std::nullopt;
    const int a =
        static_cast<int>(Below(static_cast<uint64_t>(count), &random_));
    const int b =
        static_cast<int>(Below(static_cast<uint64_t>(count), &random_));
    const auto first = ShapeOf(node.computation, broken->operand_ids(a));
    const auto second = ShapeOf(node.computation, broken->operand_ids(b));
    if (!first || !second || StructureOf(*first) == StructureOf(*second)) {
      return std::nullopt;
    }
    broken->mutable_operand_ids()->SwapElements(a, b);
    return absl::StrCat(a, " and ", b);
  }

  // Parameters by number, and the root.
  std::string Signature(int c) const {
    const HloComputationProto& computation = module_.computations(c);
    std::map<int64_t, std::string> shapes;
    for (const auto& i : computation.instructions()) {
      if (i.opcode() == "parameter") {
        shapes[i.parameter_number()] = StructureOf(i.shape());
      }
      if (i.id() == computation.root_id()) shapes[-1] = StructureOf(i.shape());
    }
    std::string signature;
    for (const auto& [number, shape] : shapes) {
      absl::StrAppend(&signature, number, ":", shape, ";");
    }
    return signature;
  }

  Change ReplaceCallee(Node node, HloInstructionProto* broken) {
    const int count = broken->called_computation_ids_size();
    if (count == 0 || node.computation == 0) return std::nullopt;
    const int k =
        static_cast<int>(Below(static_cast<uint64_t>(count), &random_));
    const auto old = by_id_.find(broken->called_computation_ids(k));
    if (old == by_id_.end()) return std::nullopt;
    for (int attempt = 0; attempt < 10; ++attempt) {
      const int other = static_cast<int>(
          Below(static_cast<uint64_t>(node.computation), &random_));
      if (Signature(other) == Signature(old->second)) continue;
      broken->set_called_computation_ids(k, module_.computations(other).id());
      return absl::StrCat("callee ", k, " is ",
                          module_.computations(other).name());
    }
    return std::nullopt;
  }

  Change ChangeCalleeCount(HloInstructionProto* broken) {
    const int count = broken->called_computation_ids_size();
    if (count == 0) return std::nullopt;
    if (OneIn(2, &random_)) {
      broken->mutable_called_computation_ids()->RemoveLast();
      return "the last dropped";
    }
    broken->add_called_computation_ids(
        broken->called_computation_ids(count - 1));
    return "the last twice";
  }

  // Another shape for a parameter or the root of what it calls.
  bool BreakCallee(BreakageKind kind, Node node) {
    const HloInstructionProto& caller = *At(node);
    if (caller.called_computation_ids_size() == 0) return false;
    const auto callee =
        by_id_.find(caller.called_computation_ids(static_cast<int>(
            Below(static_cast<uint64_t>(caller.called_computation_ids_size()),
                  &random_))));
    if (callee == by_id_.end()) return false;
    HloComputationProto* computation =
        module_.mutable_computations(callee->second);
    std::vector<HloInstructionProto*> candidates;
    for (HloInstructionProto& i : *computation->mutable_instructions()) {
      if (kind == BreakageKind::kCalleeParameter
              ? i.opcode() == "parameter"
              : i.id() == computation->root_id()) {
        candidates.push_back(&i);
      }
    }
    if (candidates.empty()) return false;
    HloInstructionProto* chosen =
        candidates[Below(candidates.size(), &random_)];
    const HloComputationProto before = *computation;
    ShapeProto* shape = chosen->mutable_shape();
    const Change change = OneIn(2, &random_)
                              ? AtALeaf(ChangeType, &random_, shape)
                              : AtALeaf(ChangeRank, &random_, shape);
    if (change) {
      // The callee says of itself what it is, unless an earlier breakage gave
      // the parameter another number.
      if (computation->has_program_shape()) {
        auto* const said = computation->mutable_program_shape();
        const int64_t number = chosen->parameter_number();
        if (kind == BreakageKind::kCalleeResult) {
          *said->mutable_result() = chosen->shape();
        } else if (number >= 0 && number < said->parameters_size()) {
          *said->mutable_parameters(static_cast<int>(number)) = chosen->shape();
        }
      }
      Report(kind, node, absl::StrCat(chosen->name(), " ", *change));
    }
    *computation = before;
    return change.has_value();
  }

  void BreakAttributes(const std::vector<Node>& nodes) {
    struct Choice {
      Node node;
      int index;
    };
    // By field and change, so that each comes once.
    std::map<std::pair<std::string, std::string>, std::vector<Choice>> choices;
    for (int k = 0; k < kAttempts; ++k) {
      const Node node = nodes[Below(nodes.size(), &random_)];
      const std::vector<AttributeEdit> edits = AttributeEdits(*At(node));
      for (size_t e = 0; e < edits.size(); ++e) {
        choices[{edits[e].field, edits[e].change}].push_back(
            {node, static_cast<int>(e)});
      }
    }
    for (const auto& [edit, all] : choices) {
      const Choice& choice = all[Below(all.size(), &random_)];
      const HloInstructionProto before = *At(choice.node);
      ApplyAttributeEdit(choice.index, At(choice.node));
      if (DeterministicBytes(before) != DeterministicBytes(*At(choice.node))) {
        Report(BreakageKind::kAttribute, choice.node, edit.second, edit.first);
      }
      *At(choice.node) = before;
    }
  }

  HloModuleProto module_;
  const Sink& sink_;
  Random random_;
  std::map<std::string, std::vector<Node>> nodes_;
  std::map<int64_t, int> by_id_;
};

}  // namespace

absl::string_view Name(BreakageKind kind) {
  constexpr absl::string_view kNames[kBreakageKinds] = {
      "result size",   "result rank",      "result dynamic", "result type",
      "result tuple",  "operand other",    "operand alike",  "operand removed",
      "operand added", "operands swapped", "attribute",      "callee other",
      "callee count",  "callee parameter", "callee result"};
  return kNames[static_cast<int>(kind)];
}

void ForEachBreakage(
    proto::HloModuleProto module,
    const std::function<void(const Breakage&, const proto::HloModuleProto&)>&
        f) {
  Breaker(std::move(module), f).Run();
}

void Fingerprint(const Breakage& b, uint64_t* fingerprint) {
  for (const char c :
       absl::StrCat(Name(b.kind), "\t", b.opcode, "\t", b.instruction, "\t",
                    b.field, "\t", b.change, "\n")) {
    *fingerprint = (*fingerprint ^ static_cast<uint8_t>(c)) * 1099511628211u;
  }
}

}  // namespace indim
