// SPDX-License-Identifier: Apache-2.0
// BuilderPart: what the families of ComputationBuilder's operations have in
// common. Each family is a class of its own, so that its declarations fit on a
// page, and ComputationBuilder is all of them.

#ifndef INDIM_BUILDER_BUILDER_PART_H_
#define INDIM_BUILDER_BUILDER_PART_H_

#include "indim/builder/op.h"

namespace indim {

class ComputationBuilder;

namespace internal {

// The recorder of a builder; Recorder::None() after the builder was moved away.
Recorder* RecorderOf(const ComputationBuilder& builder);

// Only ComputationBuilder derives from `Part`.
template <typename Part>
class BuilderPart {
 public:
  BuilderPart(const BuilderPart&) = delete;
  BuilderPart& operator=(const BuilderPart&) = delete;

 protected:
  BuilderPart() = default;
  ~BuilderPart() = default;

  // The builder that this is a part of.
  ComputationBuilder& builder() {
    return static_cast<ComputationBuilder&>(static_cast<Part&>(*this));
  }
  Recorder* recorder() { return RecorderOf(builder()); }
};

}  // namespace internal
}  // namespace indim

#endif  // INDIM_BUILDER_BUILDER_PART_H_
