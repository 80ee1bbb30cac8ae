// SPDX-License-Identifier: Apache-2.0
// Regions: computations that are recorded inside another one (region.h), the
// values of the outer ones that they capture, and the calls of them.

#ifndef INDIM_BUILDER_REGIONS_H_
#define INDIM_BUILDER_REGIONS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/builder/op.h"
#include "indim/builder/open_computations.h"
#include "indim/builder/recorder.h"
#include "indim/builder/region.h"
#include "indim/ir/ids.h"
#include "indim/ir/module_data.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/element_type.h"
#include "indim/shape/types/shape.h"

namespace indim::internal {

// The regions of a recorder, for as long as one call takes.
class Regions {
 public:
  explicit Regions(Recorder* recorder)
      : recorder_(*recorder), open_(recorder->open()) {}

  // Begins a region whose arguments have these shapes. After a build the region
  // is none, and the call an error.
  Region Begin(absl::string_view name, absl::Span<const Shape> arguments,
               CaptureForm form, Caller caller);
  // Gives an open region of form kTuple one more argument.
  Op AddArgument(Region* region, const Shape& shape, Caller caller);
  void End(Region* region, absl::Span<const Op> results, Caller caller);
  // Whether the region is open here, and no other one is open inside it.
  bool IsInnermost(const Region& region) const {
    return open_.depth() > 0 && open_.DepthOf(region) == open_.depth();
  }
  // Drops an open region, and all regions that are open inside it: IND0626.
  void Drop(Region* region);

  // The calls of regions; each returns one Op for each result of the region.
  // They take the regions over.
  // The first `own` values of a loop are the call's own: the sharding in scope
  // isn't for them.
  std::vector<Op> While(absl::Span<const Op> init, size_t own, Region condition,
                        Region body, Caller caller);
  // `type` is the selector's: pred for two branches, or s32.
  std::vector<Op> Conditional(Op selector, ElementType type,
                              absl::Span<Region> branches, Caller caller);
  std::vector<Op> Call(Region body, absl::Span<const Op> operands,
                       Caller caller);
  Op Map(Region body, absl::Span<const Op> operands,
         absl::Span<const int64_t> dimensions, Caller caller);
  // A region that captured nothing, as the computation of any op. `once`: a
  // region like an earlier one is the same computation, which ops that apply it
  // to elements may share.
  Callee CalleeOf(Region region, Caller caller, bool once = false);

  // The node here for an op of an enclosing computation. False: a computation
  // between can't capture it; *refusal says so.
  bool Local(Op outer, Caller caller, uint32_t* node, Diagnostic* refusal);

 private:
  // Goes back to the enclosing computation. Returns the frame.
  Frame Leave();
  // Leave() all computations deeper than `depth`, and drop them.
  void LeaveTo(size_t depth);
  uint32_t CopyConstant(const InstructionRecord& constant, Caller caller);
  uint32_t AddCaptured(Frame* frame, Op outer, Caller caller);
  AttributeBytesId ElementBytes(size_t index);
  AttributeBytesId ParameterBytes(size_t number);
  Op AppendArgument(const Shape& shape, Caller caller);
  // Whether the region ended well, was begun in this computation and captured
  // in `form`; else IND0627, *failed is set.
  bool CheckEnded(Opcode opcode, const Region& region, CaptureForm form,
                  Caller caller, Op* failed);
  // CheckEnded, and `count` results; else IND0628.
  bool CheckResults(Opcode opcode, const Region& region, size_t count,
                    Caller caller, Op* failed);
  // Whether the body returns the values of `init` in their shapes; else
  // IND0661. The first `own` are not counted: nobody wrote them.
  bool CheckCarried(Region* body, absl::Span<const Op> init, size_t own,
                    Caller caller, Op* failed);
  // The captured values as ops of this computation.
  static std::vector<Op> CapturedOps(const Region& region);
  // Gives the tuple that a region of form kTuple takes the elements of
  // `captured`, which has all that it captured, and more.
  void SetTuple(Region* region, absl::Span<const Op> captured);
  // Makes the region a computation that ops can call; nullopt: its tuple nests
  // too deeply, which is recorded. Its root is its only result or (as_tuple, or
  // not one result) the tuple of its results and of `captured`. `once` as in
  // CalleeOf.
  std::optional<Callee> Adopt(Region* region, bool as_tuple,
                              absl::Span<const Op> captured, Caller caller,
                              bool once = false);
  // The op here for `outer`, element `place` of what is captured. A body hands
  // on what only the condition captured, too.
  Op CapturedHere(Op outer, size_t place, Caller caller);

  Recorder& recorder_;
  OpenComputations& open_;
};

}  // namespace indim::internal

#endif  // INDIM_BUILDER_REGIONS_H_
