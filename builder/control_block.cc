// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/control_block.h"

#include <limits>
#include <mutex>
#include <vector>

namespace indim::internal {
namespace {

// A standard mutex, because ThreadSanitizer doesn't see the locks of a
// distribution's Abseil, which was compiled without it.
struct FreeList {
  std::mutex mutex;  // guards both lists
  std::vector<BuilderControl*> blocks;
  // Keeps blocks reachable whose generations are used up.
  std::vector<BuilderControl*> retired;
};

// Never destroyed: builders may be static objects.
FreeList& GetFreeList() {
  static FreeList* const list = new FreeList();
  return *list;
}

}  // namespace

BuilderControl* AcquireControl(Recorder* recorder) {
  FreeList& list = GetFreeList();
  BuilderControl* control = nullptr;
  {
    const std::lock_guard<std::mutex> lock(list.mutex);
    if (!list.blocks.empty()) {
      control = list.blocks.back();
      list.blocks.pop_back();
    }
  }
  if (control == nullptr) control = new BuilderControl();
  control->recorder.store(recorder, std::memory_order_release);
  return control;
}

void ReleaseControl(BuilderControl* control) {
  const uint32_t next =
      control->generation.fetch_add(1, std::memory_order_acq_rel) + 1;
  control->recorder.store(nullptr, std::memory_order_release);
  FreeList& list = GetFreeList();
  const std::lock_guard<std::mutex> lock(list.mutex);
  // The last generation is never used: after it the numbers would repeat.
  if (next == std::numeric_limits<uint32_t>::max()) {
    list.retired.push_back(control);
  } else {
    list.blocks.push_back(control);
  }
}

Recorder* Follow(const BuilderControl* control, uint32_t generation) {
  if (control == nullptr) return nullptr;
  if (control->generation.load(std::memory_order_acquire) != generation) {
    return nullptr;
  }
  return control->recorder.load(std::memory_order_acquire);
}

}  // namespace indim::internal
