// SPDX-License-Identifier: Apache-2.0
// Control blocks: an Op finds its builder through one, and sees whether it is
// stale.
//
// A block is never freed, only recycled, so an old Op can always read it. Each
// builder that takes over a block gets a new generation, which no earlier Op
// has. Acquiring a block takes a lock; reading one takes none.

#ifndef INDIM_BUILDER_CONTROL_BLOCK_H_
#define INDIM_BUILDER_CONTROL_BLOCK_H_

#include <atomic>
#include <cstdint>

namespace indim::internal {

class Recorder;

struct BuilderControl {
  std::atomic<uint32_t> generation{1};
  std::atomic<Recorder*> recorder{
      nullptr};  // null while no builder has the block
};

// A block for `recorder`, new or recycled.
BuilderControl* AcquireControl(Recorder* recorder);

// Makes every Op of the block's generation stale, and frees the block for
// another builder.
void ReleaseControl(BuilderControl* control);

// The block's recorder if its generation is `generation`; else, and for a null
// block, null. Use the result on the builder's thread.
Recorder* Follow(const BuilderControl* control, uint32_t generation);

}  // namespace indim::internal

#endif  // INDIM_BUILDER_CONTROL_BLOCK_H_
