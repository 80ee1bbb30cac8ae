// SPDX-License-Identifier: Apache-2.0
#include "indim/run/compile/listed_groups.h"

#include <optional>
#include <utility>

#include "indim/edit/editor.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/sharding/values/replica_groups.h"

namespace indim::pjrt {
namespace {

// The groups as lists; nullopt: they are, or can't be.
std::optional<ReplicaGroups> Listed(const ReplicaGroups& groups) {
  if (groups.iota_group_size <= 0 && !groups.mesh) return std::nullopt;
  const std::optional<TileAssignment> grid = GridOf(groups);
  if (!grid || grid->count() > TileAssignment::kMaxListed) return std::nullopt;
  auto lists = grid->Rows();
  if (!lists) return std::nullopt;
  ReplicaGroups listed;
  listed.groups = *std::move(lists);
  return listed;
}

bool IsCollective(const Instruction& instruction) {
  return Info(instruction.opcode()).attributes == AttributesKind::kCollective;
}

bool HasOtherGroups(const Module& module) {
  for (const Computation computation : module.computations()) {
    for (const Instruction i : computation.instructions()) {
      if (!IsCollective(i)) continue;
      const auto& a = As<CollectiveAttributes>(i.attributes());
      if (Listed(a.replica_groups)) return true;
    }
  }
  return false;
}

}  // namespace

absl::StatusOr<Module> WithListedGroups(Module module) {
  if (!HasOtherGroups(module)) return module;
  Editor editor(module);
  for (const Computation computation : module.computations()) {
    for (const Instruction i : computation.instructions()) {
      if (!IsCollective(i)) continue;
      CollectiveAttributes a = As<CollectiveAttributes>(i.attributes());
      std::optional<ReplicaGroups> listed = Listed(a.replica_groups);
      if (!listed) continue;
      a.replica_groups = *std::move(listed);
      editor.SetAttributes(editor.Of(i), a);
    }
  }
  EditResult result = editor.Finish();
  if (!result.ok()) return result.status();
  return std::move(result.module);
}

}  // namespace indim::pjrt
