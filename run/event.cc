// SPDX-License-Identifier: Apache-2.0
#include "indim/run/event.h"

#include <utility>

#include "indim/run/client_state.h"

namespace indim::pjrt {
namespace {

// What waits for an event.
struct Waiter {
  const PluginApi* api;
  std::function<void(absl::Status)> then;
};

void CallWaiter(void* error, void* user) {
  const std::unique_ptr<Waiter> waiter(static_cast<Waiter*>(user));
  waiter->then(waiter->api->TakeError(error, "the awaited event"));
}

}  // namespace

Event EventState::Take(const ClientPtr& client, void* event) {
  if (event == nullptr) return Event();
  return Event(std::make_shared<const EventState>(
      client, OwnedEvent(client->api, event)));
}

absl::StatusOr<bool> Event::IsReady() const {
  if (state_ == nullptr) return true;
  abi::EventIsReadyArgs args;
  args.event = state_->event.get();
  const absl::Status status = state_->client->api->Call(&args);
  if (!status.ok()) return status;
  return args.is_ready;
}

absl::Status Event::Await() const {
  return state_ == nullptr ? absl::OkStatus() : AwaitEvent(state_->event);
}

absl::Status Event::OnReady(std::function<void(absl::Status)> then) const {
  if (state_ == nullptr) {
    then(absl::OkStatus());
    return absl::OkStatus();
  }
  const PluginApi* const api = state_->client->api;
  auto waiter = std::make_unique<Waiter>(Waiter{api, std::move(then)});
  abi::EventOnReadyArgs args;
  args.event = state_->event.get();
  args.callback = CallWaiter;
  args.user = waiter.get();
  const absl::Status status = api->Call(&args);
  // The callback frees it, and may have done so already.
  if (status.ok()) waiter.release();
  return status;
}

}  // namespace indim::pjrt
