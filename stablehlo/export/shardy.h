// SPDX-License-Identifier: Apache-2.0
// Shardy in HLO: XLA keeps its meshes and shardings as text in frontend
// attributes (xla.sdy.meshes of the module, xla.sdy.sharding of instructions)
// and custom calls. Here they become attributes and operations of Shardy again.

#ifndef INDIM_STABLEHLO_EXPORT_SHARDY_H_
#define INDIM_STABLEHLO_EXPORT_SHARDY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/ir/module.h"
#include "indim/sharding/shardy/shardy_text.h"
#include "indim/sharding/values/mesh.h"
#include "indim/stablehlo/export/mlir_names.h"

namespace indim::stablehlo_export {

class Shardy {
 public:
  // Reads the module's meshes. Without `enabled` all stays in frontend
  // attributes, without meshes that can be read all but rules.
  Shardy(const Module& module, bool enabled, Ir* ir);

  // Whether there are meshes.
  bool has_meshes() const { return !meshes_.empty(); }
  // The symbols of the meshes.
  std::vector<std::string> symbols() const;
  // Adds an sdy.mesh for each to the Ir's module.
  void WriteMeshes() const;

  // The value of xla.sdy.sharding: #sdy.sharding<...> or, of operations,
  // #sdy.sharding_per_value<[...]>. None: it is no such attribute, or names a
  // mesh that isn't there.
  AttrId Sharding(absl::string_view text);
  AttrId PerValue(absl::string_view text);
  // #sdy.sharding<...> for the one element of #sdy.sharding_per_value<[...]>;
  // none where there are others.
  AttrId OnlyOf(absl::string_view per_value);
  // Likewise for `count` values, each with its mesh.
  AttrId PerValues(absl::string_view text, int count);
  // `per_value` for values of these types; none where it is about others. XLA
  // notes no sharding of what a loop passes on besides its results
  // (`is_loop`): their dims are open.
  AttrId ForValues(AttrId per_value, absl::Span<const TypeId> types,
                   bool is_loop);
  // `per_value` without the shardings of what a loop captures.
  AttrId Without(AttrId per_value, const std::vector<bool>& captures);
  // Whether the OpSharding `sharding` says what `text` does.
  bool Means(absl::string_view text, absl::string_view sharding, bool is_loop);
  // #sdy<manual_axes{...}>.
  AttrId ManualAxes(absl::string_view text);
  // #sdy.op_sharding_rule<...>, which names no mesh.
  AttrId Rule(absl::string_view text);
  // Whether an operation with values of these types may have the `rule`.
  bool Fits(AttrId rule, absl::Span<const TypeId> operands,
            absl::Span<const TypeId> results) const;

  // The instruction's xla.sdy.sharding as OnlyOf reads it, if it is a custom
  // call of this target.
  AttrId OfCall(const Instruction& instruction, absl::string_view target);
  // The sharding of a function's result that its custom call
  // xla.sdy.FuncResultSharding notes; none if the instruction isn't one.
  AttrId OfResult(const Instruction& instruction);
  // The values that a computation returns, by its root: where XLA notes a
  // sharding on an element of a tuple of one, what that tuple is of.
  static std::vector<Instruction> ResultsOf(const Instruction& root);
  // Whether it is one, and a result of its computation.
  bool IsResultCall(const Instruction& instruction);

 private:
  // The attribute, if it has that name.
  AttrId Read(absl::string_view text, absl::string_view mnemonic);
  // Whether it is another attribute than a sharding, or one of meshes and axes
  // that there are.
  bool IsReadable(absl::string_view text) const;
  absl::StatusOr<Mesh> FindMesh(absl::string_view name) const;

  Ir& ir_;
  const bool enabled_;
  std::vector<NamedAttr> meshes_;
  absl::flat_hash_map<std::string, Mesh> by_name_;
  absl::flat_hash_map<std::string, AttrId> read_;  // by text
  // How many values a #sdy.sharding_per_value is of, by AttrId.
  absl::flat_hash_map<uint32_t, size_t> counts_;
  // The results of computations that were asked for, by position.
  absl::flat_hash_map<int, absl::flat_hash_set<uint32_t>> results_;
};

}  // namespace indim::stablehlo_export

#endif  // INDIM_STABLEHLO_EXPORT_SHARDY_H_
