#include "indim/builder/control.h"

#include <limits>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace indim::internal {
namespace {

struct FreeList {
  absl::Mutex mutex;
  std::vector<BuilderControl*> blocks ABSL_GUARDED_BY(mutex);
  // Keeps blocks reachable whose generations are used up.
  std::vector<BuilderControl*> retired ABSL_GUARDED_BY(mutex);
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
    absl::MutexLock lock(&list.mutex);
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
  absl::MutexLock lock(&list.mutex);
  // The last generation is nobody's: after it numbers would repeat.
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
