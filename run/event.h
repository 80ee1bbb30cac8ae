// SPDX-License-Identifier: Apache-2.0
// Event: work of a plugin that may still be going on: a transfer, a run.

#ifndef INDIM_RUN_EVENT_H_
#define INDIM_RUN_EVENT_H_

#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace indim::pjrt {

struct EventState;

// A handle, which may be copied. Any thread may use it.
class Event {
 public:
  // One that has happened.
  Event() = default;

  // Whether it is over, also with an error. Errors: IND1102.
  absl::StatusOr<bool> IsReady() const;
  // Waits until it is over. Its error: IND1102 with the plugin's text.
  absl::Status Await() const;
  // Calls `then` once it is over, with its error; in a thread of the plugin, or
  // in this one where it is over already. `then` must not block, nor destroy
  // the last handle of the client. When this returns an error, `then` isn't
  // called.
  absl::Status OnReady(std::function<void(absl::Status)> then) const;

 private:
  friend struct EventState;
  explicit Event(std::shared_ptr<const EventState> state)
      : state_(std::move(state)) {}

  std::shared_ptr<const EventState> state_;  // null: it has happened
};

}  // namespace indim::pjrt

#endif  // INDIM_RUN_EVENT_H_
