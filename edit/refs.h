// SPDX-License-Identifier: Apache-2.0
// InstructionRef, ComputationRef: an instruction and a computation of an
// Editor. They stay valid through all edits.

#ifndef INDIM_EDIT_REFS_H_
#define INDIM_EDIT_REFS_H_

#include <cstdint>
#include <utility>

namespace indim {
namespace internal {
class EditSession;
}  // namespace internal

// Trivially copyable, 16 bytes. Only the Editor that made it can use it; a
// default one belongs to no Editor. Two are equal if they mean the same
// instruction (or computation) of the same Editor; the order has no meaning
// beyond being the same in every run.
template <typename Tag>
class EditRef {
 public:
  EditRef() = default;

  // False for a default one. Editor::exists tells whether it was erased.
  explicit operator bool() const { return editor_ != 0; }

  friend bool operator==(EditRef a, EditRef b) {
    return a.editor_ == b.editor_ && a.number_ == b.number_;
  }
  friend bool operator!=(EditRef a, EditRef b) { return !(a == b); }
  friend bool operator<(EditRef a, EditRef b) {
    return a.editor_ != b.editor_ ? a.editor_ < b.editor_
                                  : a.number_ < b.number_;
  }
  template <typename H>
  friend H AbslHashValue(H h, EditRef ref) {
    return H::combine(std::move(h), ref.editor_, ref.number_);
  }

 private:
  friend class internal::EditSession;
  EditRef(uint64_t editor, uint32_t number)
      : editor_(editor), number_(number) {}

  uint64_t editor_ = 0;  // the serial number of its Editor
  uint32_t number_ = 0;
};

using InstructionRef = EditRef<struct InstructionRefTag>;
using ComputationRef = EditRef<struct ComputationRefTag>;

}  // namespace indim

#endif  // INDIM_EDIT_REFS_H_
