// SPDX-License-Identifier: Apache-2.0
// Region: a computation that is recorded inside another one, with the same
// builder, for an op that will call it. This is the plain interface, which
// front ends for other languages call; C++ programs pass lambdas
// (lambda.h).
//
//   Region body = b.BeginRegion("body", {s32}, CaptureForm::kTuple);
//   b.EndRegion(&body, {b.Add(body.arguments()[0], step)});
//
// From BeginRegion() to EndRegion() every op is recorded in the region. There
// ops of the enclosing computations can be used too: the region captures them.
// Regions nest.

#ifndef INDIM_BUILDER_REGION_H_
#define INDIM_BUILDER_REGION_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "indim/builder/op.h"

namespace indim {

namespace internal {
struct Frame;
class OpenComputations;
class Regions;
}  // namespace internal

// How a region gets the values of enclosing computations that it uses. Whatever
// the form, a constant is copied into the region.
enum class CaptureForm : uint8_t {
  // It gets none: IND0625.
  kNone,
  // As further parameters, after its own: the body of a call.
  kParameters,
  // As further parameters, all of them scalars (else IND0625): the body of a
  // map.
  kScalarParameters,
  // It has one parameter, a tuple of its arguments and of what it captures: the
  // body and the condition of a while, the branches of a conditional.
  kTuple,
};

// A handle of a region; it can be moved, not copied. A region whose handle goes
// before EndRegion() is dropped, with an error (IND0626).
class Region {
 public:
  Region();
  Region(Region&& other) noexcept;
  Region& operator=(Region&& other) noexcept;
  ~Region();

  // The Ops that stand for the region's arguments, to be used inside it.
  absl::Span<const Op> arguments() const { return arguments_; }

 private:
  friend class internal::OpenComputations;
  friend class internal::Regions;

  // Drops the region if it is open.
  void Drop();

  // The recorder, until EndRegion(): that of this control block.
  internal::BuilderControl* control_ = nullptr;
  uint32_t generation_ = 0;
  std::vector<Op> arguments_;
  // What was recorded; set by EndRegion().
  std::unique_ptr<internal::Frame> frame_;
  // The computation that it was begun in, as an Op's.
  internal::BuilderControl* outer_control_ = nullptr;
  uint32_t outer_generation_ = 0;
};

}  // namespace indim

#endif  // INDIM_BUILDER_REGION_H_
