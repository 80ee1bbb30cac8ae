// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/import/shardy_check.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/node_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "indim/sharding/shardy/shardy_faults.h"
#include "indim/sharding/shardy/shardy_text.h"
#include "indim/sharding/values/sharding_value.h"
#include "indim/stablehlo/import/mlir_names.h"
#include "indim/stablehlo/import/module_fields.h"
#include "indim/stablehlo/ops/shardy_values.h"
#include "indim/stablehlo/text/attribute_text.h"

namespace indim::stablehlo_import {
namespace {

using Shardings = std::vector<Sharding::Named>;

class ShardyChecker {
 public:
  ShardyChecker(const Ir& ir,
                absl::FunctionRef<void(Offset, std::string)> error)
      : ir_(ir), error_(error) {}

  void Run() {
    for (const OpId id : ir_.block(ir_.module_block()).ops) {
      if (ir_.name(ir_.op(id)) == "sdy.mesh") AddMesh(ir_.op(id));
    }
    blocks_.push_back({ir_.module_block(), {}});
    while (!blocks_.empty()) {
      const Scope scope = std::move(blocks_.back());
      blocks_.pop_back();
      bound_ = scope.bound;
      for (const OpId id : ir_.block(scope.block).ops) Check(ir_.op(id));
    }
  }

 private:
  // A block, and the axes that manual computations around it have.
  struct Scope {
    BlockId block;
    std::vector<std::string> bound;
  };

  // Reports the fault, if there is one. False: there is, and with it an error
  // about the operation.
  bool Good(const mlir::Op& op, absl::string_view what,
            absl::string_view fault) {
    if (fault.empty()) return true;
    error_(op.offset, absl::StrCat("'", ir_.name(op), "': ", what, " ", fault));
    return false;
  }

  // The error of what can't be read. Of a broken mesh one was reported.
  void Report(const mlir::Op& op, absl::string_view what,
              const absl::Status& error) {
    if (!absl::IsFailedPrecondition(error)) Good(op, what, error.message());
  }

  void AddMesh(const mlir::Op& op) {
    const std::string name(ir_.attr(ir_.Find(op, note::kSymName)).text);
    const std::string what = absl::StrCat("the mesh @", name);
    const absl::StatusOr<Mesh> mesh =
        ReadShardyMesh(AttributeText(ir_, ir_.Find(op, "mesh")));
    if (!mesh.ok()) {
      Good(op, what, mesh.status().message());
    } else if (Good(op, what, mesh->Fault())) {
      if (!meshes_.emplace(name, *mesh).second) {
        Good(op, what, "is defined twice");
      }
      return;
    }
    broken_.insert(name);
  }

  // FailedPrecondition: an error about the mesh was reported.
  absl::StatusOr<Mesh> FindMesh(absl::string_view name) const {
    const auto found = meshes_.find(name);
    if (found != meshes_.end()) return found->second;
    if (broken_.contains(name)) return absl::FailedPreconditionError("");
    return absl::NotFoundError(absl::StrCat(
        "is of the mesh @", name, ", which no sdy.mesh of the module defines"));
  }

  bool IsShardy(AttrId id, absl::string_view mnemonic) const {
    const Attribute& attribute = ir_.attr(id);
    return attribute.kind == AttrKind::kDialect && attribute.text == mnemonic;
  }

  // The shardings of #sdy.sharding, one, or of #sdy.sharding_per_value. Null:
  // it is another attribute. Each is read once.
  const absl::StatusOr<Shardings>* Read(AttrId id) {
    if (!IsShardy(id, note::kShardySharding) &&
        !IsShardy(id, "sdy.sharding_per_value")) {
      return nullptr;
    }
    const auto [entry, is_new] = read_.try_emplace(id.index);
    if (!is_new) return &entry->second;
    entry->second = ReadShardyShardings(
        AttributeText(ir_, id),
        [this](absl::string_view name) { return FindMesh(name); });
    if (!entry->second.ok()) return &entry->second;
    for (const Sharding::Named& sharding : *entry->second) {
      const std::string fault = sharding.mesh.Fault();
      if (fault.empty()) continue;
      entry->second =
          absl::InvalidArgumentError(absl::StrCat("is of a mesh that ", fault));
      break;
    }
    return &entry->second;
  }

  // The sharding of one value; null where it has none that can be read.
  const Sharding::Named* ReadOne(AttrId id, size_t i) {
    if (!id.valid()) return nullptr;
    const absl::StatusOr<Shardings>* const read = Read(id);
    return read != nullptr && read->ok() && i < (*read)->size() ? &(**read)[i]
                                                                : nullptr;
  }

  // The shardings of values of these types; null after an error.
  const Shardings* CheckPerValue(const mlir::Op& op, absl::string_view what,
                                 AttrId id, absl::Span<const TypeId> types) {
    const absl::StatusOr<Shardings>* const read =
        IsShardy(id, "sdy.sharding_per_value") ? Read(id) : nullptr;
    const std::string shardings =
        absl::StrCat("the list of shardings of its ", what, "s");
    if (read == nullptr) {
      Good(op, shardings, "must be a #sdy.sharding_per_value");
      return nullptr;
    }
    if (!read->ok()) {
      Report(op, shardings, read->status());
      return nullptr;
    }
    const Shardings& all = **read;
    if (types.empty() && all.size() == 1 && ShardsNothing(all[0])) {
      return Good(op, shardings, ShardyFault(all[0], ShardyValue(), bound_))
                 ? &all
                 : nullptr;
    }
    if (all.size() != types.size()) {
      Good(op, shardings,
           absl::StrCat("has ", all.size(), " for ", types.size()));
      return nullptr;
    }
    for (size_t i = 0; i < all.size(); ++i) {
      if (!Good(op, absl::StrCat("the sharding of ", what, " ", i),
                ShardyFault(all[i], mlir::ShardyValueOf(ir_, types[i]),
                            bound_))) {
        return nullptr;
      }
    }
    return &all;
  }

  // False: an error.
  bool CheckOne(const mlir::Op& op, absl::string_view what, AttrId id,
                TypeId type) {
    const absl::StatusOr<Shardings>* const read =
        IsShardy(id, note::kShardySharding) ? Read(id) : nullptr;
    if (read == nullptr) return Good(op, what, "must be a #sdy.sharding");
    if (!read->ok()) {
      Report(op, what, read->status());
      return false;
    }
    return Good(
        op, what,
        ShardyFault((**read)[0], mlir::ShardyValueOf(ir_, type), bound_));
  }

  void Check(const mlir::Op& op) {
    const absl::string_view name = ir_.name(op);
    if (name == "builtin.module" && op.block.valid()) return;  // read alone
    if (name == "func.func") {
      CheckFunction(op);
    } else if (name == "sdy.manual_computation") {
      if (CheckAttributes(op)) CheckManual(op);
      std::vector<std::string> bound = bound_;
      const std::vector<std::string> own = ManualAxesOf(op);
      bound.insert(bound.end(), own.begin(), own.end());
      return PushBlocks(op, bound);
    } else if (CheckAttributes(op) && absl::StartsWith(name, "sdy.")) {
      CheckOperation(op, name);
    }
    PushBlocks(op, bound_);
  }

  void PushBlocks(const mlir::Op& op, const std::vector<std::string>& bound) {
    for (const RegionId region : ir_.regions(op)) {
      for (const BlockId block : ir_.region(region).blocks) {
        blocks_.push_back({block, bound});
      }
    }
  }

  // --- Attributes of any operation -------------------------------------------

  // False: an error.
  bool CheckAttributes(const mlir::Op& op) {
    for (const NamedAttr& attribute : ir_.discardable(op)) {
      const absl::string_view name = ir_.text(attribute.name);
      if (!absl::StartsWith(name, "sdy.")) continue;
      if (name == note::kShardySharding) {
        if (CheckPerValue(op, "result", attribute.value,
                          ir_.types_of(ir_.results(op))) == nullptr) {
          return false;
        }
      } else if (name == note::kShardyRule) {
        if (!CheckRule(op, attribute.value)) return false;
      } else if (name == "sdy.propagation_edges") {
        if (!CheckEdges(op, attribute.value)) return false;
      } else if (name == "sdy.result_propagation_edges" ||
                 name == "sdy.block_arg_propagation_edges") {
        if (!CheckEdgeLists(op, name, attribute.value)) return false;
      }
    }
    return true;
  }

  bool CheckRule(const mlir::Op& op, AttrId id) {
    constexpr absl::string_view kWhat = "its sharding rule";
    if (!IsShardy(id, "sdy.op_sharding_rule")) {
      return Good(op, kWhat, "must be a #sdy.op_sharding_rule");
    }
    const absl::StatusOr<ShardyRule> rule =
        ReadShardyRule(AttributeText(ir_, id));
    if (!rule.ok()) return Good(op, kWhat, rule.status().message());
    return Good(
        op, kWhat,
        ShardyRuleFault(
            *rule, mlir::ShardyValues(ir_, ir_.types_of(ir_.operands(op))),
            mlir::ShardyValues(ir_, ir_.types_of(ir_.results(op)))));
  }

  bool CheckEdges(const mlir::Op& op, AttrId id) {
    constexpr absl::string_view kWhat = "sdy.propagation_edges";
    if (!IsShardy(id, "sdy.propagation_edges")) {
      return Good(op, kWhat, "must be a #sdy.propagation_edges");
    }
    const absl::StatusOr<std::vector<ShardyEdge>> edges =
        ReadShardyEdges(AttributeText(ir_, id));
    if (!edges.ok()) return Good(op, kWhat, edges.status().message());
    const absl::Span<const ValueId> operands = ir_.operands(op);
    return Good(
        op, kWhat,
        ShardyEdgesFault(*edges, operands.size(), op.result_count,
                         [&](const ShardyEdge::Value& value) {
                           const size_t i = static_cast<size_t>(value.index);
                           return ShardingOf(
                               value.is_result
                                   ? ir_.result(op, static_cast<uint32_t>(i))
                                   : operands[i]);
                         }));
  }

  bool CheckEdgeLists(const mlir::Op& op, absl::string_view name, AttrId id) {
    bool good = ir_.attr(id).kind == AttrKind::kArray;
    for (const AttrId element : ir_.attr(id).elements) {
      good = good && IsShardy(element, "sdy.propagation_edges");
    }
    return Good(op, name,
                good ? "" : "must be a list of #sdy.propagation_edges");
  }

  // --- Functions -------------------------------------------------------------

  // The entry of an argument's or a result's attributes; none: it has none.
  AttrId NoteOf(const mlir::Op& function, absl::string_view list,
                size_t i) const {
    return ir_.Find(AttributesOf(ir_, function, list, i),
                    note::kShardySharding);
  }

  void CheckFunction(const mlir::Op& op) {
    if (!CheckAttributes(op)) return;
    const AttrId declared = ir_.Find(op, note::kFunctionType);
    const Type& type = ir_.type(ir_.attr(declared).type);
    const absl::Span<const TypeId> all = type.parts;
    const size_t inputs = std::min<size_t>(type.input_count, all.size());
    for (size_t i = 0; i < all.size(); ++i) {
      const bool is_input = i < inputs;
      const size_t k = is_input ? i : i - inputs;
      const AttrId note =
          NoteOf(op, is_input ? note::kArgAttrs : note::kResAttrs, k);
      if (note.valid() &&
          !CheckOne(op,
                    absl::StrCat("the sharding of ",
                                 is_input ? "argument " : "result ", k),
                    note, all[i])) {
        return;
      }
    }
  }

  // --- Operations of Shardy --------------------------------------------------

  // The sharding that a value has; null: none.
  const Sharding::Named* ShardingOf(ValueId id) {
    const Value& value = ir_.value(id);
    if (!value.op.valid()) {
      const OpId owner = OwnerOf(value.block);
      if (!owner.valid() || ir_.name(ir_.op(owner)) != "func.func") {
        return nullptr;
      }
      return ReadOne(NoteOf(ir_.op(owner), note::kArgAttrs, value.index), 0);
    }
    const mlir::Op& op = ir_.op(value.op);
    const absl::string_view name = ir_.name(op);
    if (absl::StartsWith(name, "sdy.")) {
      for (const absl::string_view own : {"sharding", "out_sharding"}) {
        const AttrId sharding = ir_.Find(op, own);
        if (sharding.valid()) return ReadOne(sharding, 0);
      }
      const AttrId all = ir_.Find(op, "out_shardings");
      if (all.valid()) return ReadOne(all, value.index);
    }
    return ReadOne(ir_.Find(op, note::kShardySharding), value.index);
  }

  // The operation that has the block.
  OpId OwnerOf(BlockId block) {
    if (owners_.empty()) {
      for (uint32_t i = 0; i < ir_.op_count(); ++i) {
        for (const RegionId region : ir_.regions(ir_.op({i}))) {
          for (const BlockId inner : ir_.region(region).blocks) {
            owners_.emplace(inner.index, OpId{i});
          }
        }
      }
    }
    const auto found = owners_.find(block.index);
    return found == owners_.end() ? OpId() : found->second;
  }

  void CheckOperation(const mlir::Op& op, absl::string_view name) {
    if (name == "sdy.sharding_constraint" || name == "sdy.reshard") {
      if (op.operand_count != 1 || op.result_count != 1) return;
      const AttrId sharding = ir_.Find(op, "sharding");
      CheckOne(op, "its sharding", sharding, ir_.type_of(ir_.result(op, 0)));
    } else if (name == "sdy.propagation_barrier") {
      const AttrId direction = ir_.Find(op, "allowed_direction");
      Good(op, "its allowed_direction",
           direction.valid() && ir_.attr(direction).integer == 3
               ? "is BOTH, so it blocks nothing"
               : "");
    }
  }

  // --- Manual computations ---------------------------------------------------

  std::vector<std::string> ManualAxesOf(const mlir::Op& op) const {
    const AttrId axes = ir_.Find(op, "manual_axes");
    return axes.valid() ? ShardyManualAxes(AttributeText(ir_, axes))
                        : std::vector<std::string>();
  }

  void CheckManual(const mlir::Op& op) {
    const std::vector<std::string> axes = ManualAxesOf(op);
    for (const std::string& axis : axes) {
      if (absl::c_linear_search(bound_, axis)) {
        Good(op, "its manual axis",
             absl::StrCat("\"", axis,
                          "\" belongs to a manual computation around it"));
        return;
      }
    }
    const absl::Span<const RegionId> regions = ir_.regions(op);
    if (regions.empty() || ir_.region(regions[0]).blocks.empty()) return;
    const Block& body = ir_.block(ir_.region(regions[0]).blocks[0]);
    if (body.ops.empty()) return;
    const Shardings* const in = CheckBorder(op, "operand", "in_shardings",
                                            ir_.types_of(ir_.operands(op)),
                                            ir_.types_of(body.arguments), axes);
    if (in == nullptr) return;
    const Shardings* const out = CheckBorder(
        op, "result", "out_shardings", ir_.types_of(ir_.results(op)),
        ir_.types_of(ir_.operands(ir_.op(body.ops.back()))), axes);
    if (out == nullptr) return;
    std::vector<const Sharding::Named*> all;
    for (const Shardings* list : {in, out}) {
      for (const Sharding::Named& sharding : *list) all.push_back(&sharding);
    }
    Good(op, "it", ManualAxesFault(all, axes));
  }

  // The shardings of operands or results; null after an error.
  const Shardings* CheckBorder(const mlir::Op& op, absl::string_view what,
                               absl::string_view name,
                               const std::vector<TypeId>& whole,
                               const std::vector<TypeId>& local,
                               const std::vector<std::string>& axes) {
    const AttrId id = ir_.Find(op, name);
    const Shardings* const shardings = CheckPerValue(op, what, id, whole);
    if (shardings == nullptr) return nullptr;
    if (whole.size() != local.size()) {
      Good(op, "it",
           absl::StrCat("has ", whole.size(), " ", what,
                        "s, but its region has ", local.size()));
      return nullptr;
    }
    for (size_t i = 0; i < whole.size(); ++i) {
      const Type& of_whole = ir_.type(whole[i]);
      const Type& of_local = ir_.type(local[i]);
      std::string fault =
          ManualFault((*shardings)[i], mlir::ShardyValueOf(ir_, whole[i]),
                      mlir::ShardyValueOf(ir_, local[i]), axes);
      if (fault.empty() && of_whole.kind == TypeKind::kTensor &&
          of_whole.element != of_local.element) {
        fault = absl::StrCat("is of ", TypeText(ir_, whole[i]),
                             ", but the region has ", TypeText(ir_, local[i]));
      }
      if (!Good(op, absl::StrCat("the sharding of ", what, " ", i), fault)) {
        return nullptr;
      }
    }
    return shardings;
  }

  const Ir& ir_;
  absl::FunctionRef<void(Offset, std::string)> error_;
  absl::flat_hash_map<std::string, Mesh> meshes_;  // by symbol
  absl::flat_hash_set<std::string> broken_;
  std::vector<Scope> blocks_;
  std::vector<std::string> bound_;  // of the block
  absl::node_hash_map<uint32_t, absl::StatusOr<Shardings>> read_;  // by AttrId
  absl::flat_hash_map<uint32_t, OpId> owners_;                     // by block
};

}  // namespace

void CheckShardy(const Ir& ir,
                 absl::FunctionRef<void(Offset, std::string)> error) {
  ShardyChecker(ir, error).Run();
}

}  // namespace indim::stablehlo_import
