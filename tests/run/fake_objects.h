// SPDX-License-Identifier: Apache-2.0
// What the fake plugin hands out, and what makes it fail.

#ifndef INDIM_TESTS_RUN_FAKE_OBJECTS_H_
#define INDIM_TESTS_RUN_FAKE_OBJECTS_H_

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace indim {
namespace fake {

// --- Control ----------------------------------------------------------------

inline std::atomic<int> fail_at{0}, calls{0}, live{0};
inline std::mutex threads_mutex;
// Never destroyed: some may run when the process ends.
inline auto* const threads = new std::vector<std::thread>();

// Everything that the plugin hands out.
struct Counted {
  Counted() { ++live; }
  Counted(const Counted&) = delete;
  ~Counted() { --live; }
};

struct Error : Counted {
  explicit Error(std::string t) : text(std::move(t)) {}
  const std::string text;
};

// Counts a call; an error where it is the one that fails.
inline void* Enter(const char* name) {
  if (++calls != fail_at) return nullptr;
  return new Error(std::string(name) + " fails on demand");
}

inline void InThread(std::function<void()> work) {
  const std::lock_guard<std::mutex> lock(threads_mutex);
  threads->emplace_back(std::move(work));
}

// --- Objects ----------------------------------------------------------------

// What an event waits for; it outlives the event.
struct Promise {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_ready = false;
  std::vector<std::function<void()>> waiters;

  void Set() {
    std::vector<std::function<void()>> ready;
    {
      const std::lock_guard<std::mutex> lock(mutex);
      is_ready = true;
      ready.swap(waiters);
      changed.notify_all();
    }
    for (const std::function<void()>& waiter : ready) waiter();
  }
};

struct Event : Counted {
  std::shared_ptr<Promise> promise = std::make_shared<Promise>();
};

// An event that ends in a thread, some time.
inline Event* MakeEvent() {
  auto* const event = new Event();
  InThread([promise = event->promise] { promise->Set(); });
  return event;
}

struct Device {
  int id;
};

struct Client : Counted {
  std::vector<Device> devices;
  std::vector<void*> pointers;
};

struct Executable : Counted {
  size_t outputs = 1;
  Client* client = nullptr;
};

struct Buffer : Counted {
  int type = 0;
  std::vector<int64_t> dims;
  std::string bytes;
  Device* device = nullptr;
  std::atomic<bool> is_deleted{false};
};

struct Serialized : Counted {
  std::string bytes;
};

}  // namespace fake
}  // namespace indim

#endif  // INDIM_TESTS_RUN_FAKE_OBJECTS_H_
