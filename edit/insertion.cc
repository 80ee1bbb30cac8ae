// SPDX-License-Identifier: Apache-2.0
#include "indim/edit/insertion.h"

#include <utility>

#include "indim/edit/insertion_state.h"

namespace indim {

using internal::InsertionState;

Insertion::Insertion(std::unique_ptr<InsertionState> state)
    : state_(std::move(state)) {}
Insertion::Insertion(Insertion&&) noexcept = default;

Insertion& Insertion::operator=(Insertion&& other) noexcept {
  if (this != &other) {
    if (state_ != nullptr) state_->Splice(Caller{});
    state_ = std::move(other.state_);
  }
  return *this;
}

Insertion::~Insertion() {
  if (state_ != nullptr) state_->Splice(Caller{});
}

ComputationBuilder* Insertion::operator->() { return &builder(); }

ComputationBuilder& Insertion::builder() {
  if (state_ != nullptr) return state_->builder();
  // The calls of a builder that was moved from do nothing.
  static auto* const gone = [] {
    auto* builder = new ComputationBuilder("gone");
    ComputationBuilder(std::move(*builder));
    return builder;
  }();
  return *gone;
}

Op Insertion::Use(InstructionRef instruction, Caller caller) {
  return state_ == nullptr ? Op() : state_->Use(instruction, caller);
}

Callee Insertion::UseComputation(ComputationRef computation, Caller caller) {
  if (state_ != nullptr) return state_->UseComputation(computation, caller);
  return Callee(absl::StatusOr<Module>(
      absl::FailedPreconditionError("the Insertion was moved away")));
}

InstructionRef Insertion::Insert(Op op, Caller caller) {
  if (state_ == nullptr || !state_->Splice(op, caller)) return InstructionRef();
  return Ref(op);
}

void Insertion::Insert(Caller caller) {
  if (state_ != nullptr) state_->Splice(caller);
}

InstructionRef Insertion::Ref(Op op) const {
  return state_ == nullptr ? InstructionRef() : state_->RefOf(op);
}

}  // namespace indim
