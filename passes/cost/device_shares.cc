// SPDX-License-Identifier: Apache-2.0
#include "indim/passes/cost/device_shares.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module_access.h"
#include "indim/passes/cost/device_cuts.h"
#include "indim/passes/cost/op_costs.h"
#include "indim/proto/codec/frontend_attributes.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/types/leaf_range.h"
#include "indim/shape/types/shape_parts.h"
#include "indim/sharding/sharding.h"
#include "indim/sharding/shardy/shardy_text.h"
#include "indim/sharding/tiling/sharding_tiling.h"

namespace indim::internal {
namespace {

// A sharding that has a fault, or whose devices each hold a part of a sum, cuts
// nothing.
DeviceCut CutBy(const absl::StatusOr<Tiling>& tiling) {
  return tiling.ok() ? DeviceCut{tiling->tiles, false} : DeviceCut();
}

// The shardings of a value's leaves, Shardy's before XLA's.
struct LeafShardings {
  std::vector<std::string> texts;
  bool is_shardy = false;
  bool is_all = false;  // one for all leaves
};
LeafShardings ShardingsOf(const Instruction& node) {
  const FieldList fields = FieldsOf(node);
  LeafShardings found;
  const std::optional<std::string> shardy = FrontendAttribute(
      fields.Text(field::HloInstructionProto::kFrontendAttributes),
      kSdySharding);
  if (shardy) {
    found.is_shardy = true;
    found.texts = ShardyShardings(*shardy);
  } else if (fields.has(field::HloInstructionProto::kSharding)) {
    const absl::string_view sharding =
        fields.Text(field::HloInstructionProto::kSharding);
    const auto parts = TupleParts(sharding);
    found.is_all = !parts || parts->empty();
    if (found.is_all) {
      found.texts.emplace_back(sharding);
    } else {
      found.texts = std::vector<std::string>(parts->begin(), parts->end());
    }
  }
  return found;
}

// How many devices the shardings of a value name; 1: none.
int64_t DevicesOf(const Instruction& node, const std::string& meshes) {
  const LeafShardings shardings = ShardingsOf(node);
  int64_t devices = 1;
  const auto add = [&](const Sharding& sharding) {
    if (sharding.Fault().empty()) {
      devices = std::max(devices, sharding.DeviceCount());
    }
  };
  for (const std::string& text : shardings.texts) {
    if (!shardings.is_shardy) {
      add(ParseSharding(text));
      continue;
    }
    const auto named = ReadShardyShardings(text, [&](absl::string_view name) {
      return FindShardyMesh(meshes, name);
    });
    if (!named.ok()) continue;
    for (const Sharding::Named& of_leaf : *named) {
      Sharding sharding;
      sharding.named = of_leaf;
      add(sharding);
    }
  }
  return devices;
}

// By the value's own sharding; empty: it has none.
std::vector<DeviceCut> OwnCuts(const Instruction& node,
                               const std::string& meshes, int64_t devices) {
  const LeafShardings shardings = ShardingsOf(node);
  std::vector<DeviceCut> cuts;
  if (shardings.texts.empty()) return cuts;
  ForEachLeaf(node.shape(), [&](const Shape& leaf) {
    const size_t i = shardings.is_all ? 0 : cuts.size();
    DeviceCut& cut = cuts.emplace_back();
    if (i < shardings.texts.size() && leaf.is_array()) {
      const std::string& text = shardings.texts[i];
      cut = CutBy(shardings.is_shardy
                      ? TilingOfShardy(text, meshes, leaf, devices)
                      : TilingOfSharding(text, leaf, devices));
    }
  });
  return cuts;
}

// XLA's partitioner notes what it did in fields of its own, and fusions come
// behind it.
bool IsPartitioned(const ModuleData& data) {
  const FieldList fields(WireMessage::kHloModuleProto, data.other_fields);
  if (fields.has(field::HloModuleProto::kSchedule) ||
      fields.has(field::HloModuleProto::kSpmdOutputSharding)) {
    return true;
  }
  return std::any_of(data.instructions.begin(), data.instructions.end(),
                     [](const InstructionRecord& record) {
                       return record.opcode == Opcode::kFusion;
                     });
}

// How many devices share the program.
int64_t DeviceCount(const Module& module, const std::string& meshes) {
  int64_t devices = std::max<int64_t>(
      1, FieldList(WireMessage::kHloModuleConfigProto, DataOf(module).config)
             .Number(field::HloModuleConfigProto::kNumPartitions));
  // JAX leaves the number to who compiles; the shardings of arguments and
  // results have it too.
  const Computation entry = module.entry();
  for (const Instruction node : entry.instructions()) {
    if (devices > 1) break;
    if (node.opcode() != Opcode::kParameter && !(node == entry.root()))
      continue;
    devices = DevicesOf(node, meshes);
  }
  return devices;
}

// How shardings cut values, and how the cuts go on: from operands to results,
// into what is called and out of it, and back to values that nothing says
// anything of.
class CutsOf {
 public:
  CutsOf(const Module& module, const std::string& meshes, int64_t devices)
      : module_(module),
        devices_(devices),
        cuts_(InstructionCount(), devices),
        own_(InstructionCount()) {
    for (const Computation computation : module.computations()) {
      for (const Instruction node : computation.instructions()) {
        AddOwn(node, meshes);
      }
    }
  }

  DeviceCuts Run() {
    constexpr int kMostRounds = 3;
    for (int i = 0; any_ && i < kMostRounds; ++i) {
      cuts_ = DeviceCuts(InstructionCount(), devices_);
      arguments_.assign(static_cast<size_t>(module_.computation_count()), {});
      Visit(module_.entry(), 0);
      if (!AskBack()) break;
    }
    return std::move(cuts_);
  }

 private:
  size_t InstructionCount() const {
    return static_cast<size_t>(module_.instruction_count());
  }

  void AddOwn(const Instruction& node, const std::string& meshes) {
    std::vector<DeviceCut> cuts = OwnCuts(node, meshes, devices_);
    if (cuts.empty()) return;
    for (const DeviceCut& cut : cuts) any_ = any_ || !cut.tiles.empty();
    // What a program asks for of a result, or of the operand of a constraint,
    // is asked of who makes it.
    if (node.opcode() == Opcode::kTuple) {
      size_t leaf = 0;
      for (const Instruction operand : node.operands()) {
        if (leaf < cuts.size()) Ask(operand, cuts[leaf]);
        leaf += LeafCount(operand.shape());
      }
    } else if (node.operand_count() == 1 && cuts.size() == 1 &&
               IsAlike(node.operand(0).shape(), node.shape())) {
      Ask(node.operand(0), cuts[0]);
    }
    own_[node.position()] = std::move(cuts);
  }
  static bool IsAlike(const Shape& a, const Shape& b) {
    return a.dims() == b.dims();
  }
  // Of an array of which nothing says anything yet.
  bool Ask(const Instruction& node, const DeviceCut& cut) {
    std::vector<DeviceCut>& asked = own_[node.position()];
    if (!asked.empty() || cut.tiles.empty() || !node.shape().is_array()) {
      return false;
    }
    asked.push_back(cut);
    return true;
  }

  // Asks for cuts of values that are free, such as broadcast numbers, as those
  // need them that use them. Whether any was asked for.
  bool AskBack() {
    bool any = false;
    for (int c = module_.computation_count() - 1; c >= 0; --c) {
      const Computation computation = module_.computation(c);
      for (int i = computation.instruction_count() - 1; i >= 0; --i) {
        any |= AskOperands(computation.instruction(i));
      }
    }
    return any;
  }
  bool AskOperands(const Instruction& node) {
    bool any = false;
    const bool is_call =
        Info(node.opcode()).callee_form == CalleeForm::kCalled &&
        node.callee_count() == 1;
    if (is_call && node.shape().is_array()) {
      any |= AskIfFree(node.callee(0).root(), cuts_.Of(node, 0));
    }
    for (int i = 0; i < node.operand_count() && !is_call; ++i) {
      const CutRule& rule = *OpCostOf(node.opcode()).cut;
      any |= AskIfFree(node.operand(i), rule.asked(cuts_, node, i));
    }
    return any;
  }
  bool AskIfFree(const Instruction& node, const DeviceCut& cut) {
    const std::vector<DeviceCut>& cuts = cuts_.Of(node);
    if (cuts.size() != 1 || !cuts[0].is_free || !Ask(node, cut)) return false;
    cuts_.Set(node, {cut});  // for its own operands
    return true;
  }

  // The cuts of a computation and of what it calls, for what `arguments_` has.
  void Visit(const Computation& computation, int depth) {
    for (const Instruction node : computation.instructions()) {
      Call(node, depth);
      const std::vector<DeviceCut>& own = own_[node.position()];
      cuts_.Set(node, own.empty() ? CutsFrom(node) : own);
      // The state of a loop is what goes in and what a step makes of it.
      if (Info(node.opcode()).callee_form == CalleeForm::kBodyAndCondition) {
        Call(node, depth);
      }
    }
  }

  std::vector<DeviceCut> CutsFrom(const Instruction& node) const {
    std::vector<DeviceCut> cuts;
    const auto add = [&](const Instruction& of, LeafRange leaves) {
      for (size_t i = 0; i < leaves.count; ++i) {
        cuts.push_back(cuts_.Of(of, leaves.first + i));
      }
    };
    switch (node.opcode()) {
      case Opcode::kParameter:
        return Argument(node);
      case Opcode::kTuple:
        for (const Instruction operand : node.operands()) {
          add(operand, {0, LeafCount(operand.shape())});
        }
        return cuts;
      case Opcode::kGetTupleElement:
        if (node.operand_count() != 1) return cuts;
        add(node.operand(0),
            LeavesAt(node.operand(0).shape(),
                     {As<GetTupleElementAttributes>(node.attributes()).index}));
        return cuts;
      default:
        break;
    }
    switch (Info(node.opcode()).callee_form) {
      case CalleeForm::kBodyAndCondition:
        if (node.operand_count() == 1) AddCommon(node.operand(0), &cuts);
        if (node.callee_count() > 0) AddCommon(node.callee(0).root(), &cuts);
        return cuts;
      case CalleeForm::kCalled:
      case CalleeForm::kBranches:
        for (int i = 0; i < node.callee_count(); ++i) {
          AddCommon(node.callee(i).root(), &cuts);
        }
        return cuts;
      default:
        break;
    }
    const CutRule& rule = *OpCostOf(node.opcode()).cut;
    const size_t count = LeafCount(node.shape());
    for (size_t leaf = 0; leaf < count; ++leaf) {
      cuts.push_back(rule.result(cuts_, node, leaf));
    }
    return cuts;
  }

  // One more value that it may be.
  void AddCommon(const Instruction& value, std::vector<DeviceCut>* cuts) const {
    const bool is_first = cuts->empty();
    const size_t count = LeafCount(value.shape());
    for (size_t i = 0; i < count; ++i) {
      if (is_first) {
        cuts->push_back(cuts_.Of(value, i));
      } else if (i < cuts->size()) {
        (*cuts)[i] = CommonCut((*cuts)[i], cuts_.Of(value, i));
      }
    }
  }

  // What all callers hand to a parameter; of the entry, nothing that is cut.
  std::vector<DeviceCut> Argument(const Instruction& node) const {
    const auto& arguments =
        arguments_[static_cast<size_t>(node.computation().index())];
    const int64_t number = As<ParameterAttributes>(node.attributes()).number;
    if (number < 0 || static_cast<size_t>(number) >= arguments.size()) {
      return std::vector<DeviceCut>(LeafCount(node.shape()));
    }
    return arguments[static_cast<size_t>(number)];
  }

  // Hands arguments to what an instruction calls, and visits it if they are
  // others than before.
  void Call(const Instruction& node, int depth) {
    constexpr int kMostDepth = 64;
    const CalleeForm form = Info(node.opcode()).callee_form;
    const bool is_loop = form == CalleeForm::kBodyAndCondition;
    if (depth == kMostDepth || node.operand_count() == 0) return;
    for (int i = 0; i < node.callee_count(); ++i) {
      const Computation callee = node.callee(i);
      bool is_new = false;
      if (is_loop) {
        const bool is_known = !cuts_.Of(node).empty();
        is_new = Hand(callee, 0, is_known ? node : node.operand(0));
      } else if (form == CalleeForm::kBranches) {
        is_new = i + 1 < node.operand_count() &&
                 Hand(callee, 0, node.operand(i + 1));
      } else if (form == CalleeForm::kCalled) {
        for (int o = 0; o < node.operand_count(); ++o) {
          is_new |= Hand(callee, o, node.operand(o));
        }
      }
      if (is_new) Visit(callee, depth + 1);
    }
  }
  // Whether that changes the argument.
  bool Hand(const Computation& callee, int number, const Instruction& value) {
    auto& arguments = arguments_[static_cast<size_t>(callee.index())];
    const auto n = static_cast<size_t>(number);
    const bool is_first = arguments.size() <= n;
    if (is_first) arguments.resize(n + 1);
    const std::vector<DeviceCut> before = arguments[n];
    AddCommon(value, &arguments[n]);
    return is_first || before != arguments[n];
  }

  const Module& module_;
  const int64_t devices_;
  DeviceCuts cuts_;
  // By position, of an array or of a tuple's leaves; empty: no sharding says.
  std::vector<std::vector<DeviceCut>> own_;
  // By computation and number.
  std::vector<std::vector<std::vector<DeviceCut>>> arguments_;
  bool any_ = false;  // a sharding cuts something
};

}  // namespace

DeviceShares::DeviceShares(const Module& module) {
  if (module.computation_count() == 0) return;
  const ModuleData& data = DataOf(module);
  const std::string meshes = ShardyMeshes(data.other_fields);
  devices_ = DeviceCount(module, meshes);
  if (devices_ == 1 || IsPartitioned(data)) return;
  const DeviceCuts cuts = CutsOf(module, meshes, devices_).Run();
  const auto count = static_cast<size_t>(module.instruction_count());
  leaves_.resize(count);
  work_.resize(count, 1);
  moved_.resize(count, 1);
  for (const Computation computation : module.computations()) {
    for (const Instruction node : computation.instructions()) {
      const uint32_t place = node.position();
      size_t leaf = 0;
      ForEachLeaf(node.shape(), [&](const Shape& array) {
        const double share = ShareOf(cuts.Of(node, leaf++), array);
        leaves_[place].push_back(share);
        any_cut_ = any_cut_ || share < 1;
      });
      const CutRule& rule = *OpCostOf(node.opcode()).cut;
      work_[place] = rule.work(cuts, node);
      moved_[place] = rule.moved(cuts, node);
    }
  }
}

}  // namespace indim::internal
