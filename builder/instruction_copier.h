// SPDX-License-Identifier: Apache-2.0
// InstructionCopier: records instructions of a module in the computations of a
// family, with all that they have beside their operation: names, metadata,
// shardings, frontend attributes, and the computations that they call.

#ifndef INDIM_BUILDER_INSTRUCTION_COPIER_H_
#define INDIM_BUILDER_INSTRUCTION_COPIER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"
#include "indim/builder/recorder.h"
#include "indim/ir/ids.h"
#include "indim/ir/link.h"
#include "indim/ir/module.h"
#include "indim/shape/types/shape.h"

namespace indim::internal {

class InstructionCopier {
 public:
  InstructionCopier(Module module, std::shared_ptr<SharedState> family);

  // Nodes of the module, no parameters; `recorder` is of the family. `declared`
  // null: the result is inferred. Control predecessors stay behind. A poisoned
  // op: what isn't known, or can't be read.
  Op Copy(Recorder* recorder, const Instruction& node,
          absl::Span<const Op> operands, const Shape* declared, Caller caller);
  // The same for nodes of a verified module whose operands have the shapes that
  // they have there: nothing is inferred again. Names and layouts stay behind,
  // but for a custom-call's layouts, which what it calls may demand.
  Op CopyVerified(Recorder* recorder, const Instruction& node,
                  absl::Span<const Op> operands, Caller caller);
  // Gives an op of the current computation all that the node has beside its
  // operation, but for the name.
  void Describe(Recorder* recorder, Op op, const Instruction& node);

  // Its computations, as the family's; each is copied once.
  Callee CalleeOf(const Computation& computation);
  std::vector<Callee> CalleesOf(const Instruction& node);

  // The node's metadata; 0: none.
  MetadataId MetadataOf(const Instruction& node);
  // The same metadata with `suffix` behind the op_name, if it has one: always
  // the same suffix.
  MetadataId Derived(MetadataId metadata, absl::string_view suffix);

  const std::shared_ptr<SharedState>& family() const { return family_; }

 private:
  // Gives `op`, if it was recorded after the first `before` nodes, the node's
  // metadata. False: it wasn't.
  bool AddMetadata(Recorder* recorder, size_t before, Op op,
                   const Instruction& node);
  ShapeId ShapeWithoutLayout(const Instruction& node);
  // Its attribute bytes here, without control predecessors; nullopt: *why says
  // what can't be read.
  std::optional<AttributeBytesId> BytesOf(const Instruction& node,
                                          std::string* why);

  const Module module_;
  const std::shared_ptr<SharedState> family_;
  IdMap map_;
  // The attribute bytes here of those in the module, by their ids.
  absl::flat_hash_map<uint32_t, AttributeBytesId> bytes_;
  absl::flat_hash_map<uint32_t, ShapeId> shapes_;  // without layouts, likewise
  absl::flat_hash_map<uint32_t, MetadataId> derived_;
};

// While it lives, ops that the builder records without lines have this
// metadata, and so have those of sub-builders made meanwhile.
class OriginScope {
 public:
  OriginScope(const ComputationBuilder& builder, MetadataId metadata)
      : settings_(RecorderOf(builder)->settings()),
        before_(settings_.origin()) {
    settings_.set_origin(metadata);
  }
  ~OriginScope() { settings_.set_origin(before_); }
  OriginScope(const OriginScope&) = delete;
  OriginScope& operator=(const OriginScope&) = delete;

 private:
  Settings& settings_;
  const std::optional<MetadataId> before_;
};

// The metadata of an op of the builder; 0: none.
MetadataId MetadataOf(const ComputationBuilder& builder, Op op);

}  // namespace indim::internal

#endif  // INDIM_BUILDER_INSTRUCTION_COPIER_H_
