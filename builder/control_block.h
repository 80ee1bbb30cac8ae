// Control blocks: how an Op finds its builder, and how a stale one is seen.
//
// A block is never freed, only recycled, so reading one through an old Op is
// always defined. Each builder that takes a block over gets a generation that
// no earlier Op carries. Blocks are handed out under a lock; reading one takes
// none.

#ifndef INDIM_BUILDER_CONTROL_BLOCK_H_
#define INDIM_BUILDER_CONTROL_BLOCK_H_

#include <atomic>
#include <cstdint>

namespace indim::internal {

class Recorder;

struct BuilderControl {
  std::atomic<uint32_t> generation{1};
  std::atomic<Recorder*> recorder{nullptr};  // null while nobody has the block
};

// A block for `recorder`, new or recycled.
BuilderControl* AcquireControl(Recorder* recorder);

// Makes every Op of the block's present generation stale, and lets the block be
// used again.
void ReleaseControl(BuilderControl* control);

// Who has the block, as long as the generation is `generation`; else null.
// Takes a null block for an Op of no builder. The answer is to be used on the
// thread that the builder belongs to.
Recorder* Follow(const BuilderControl* control, uint32_t generation);

}  // namespace indim::internal

#endif  // INDIM_BUILDER_CONTROL_BLOCK_H_
