// SPDX-License-Identifier: Apache-2.0
// Insertion: new instructions at a place of an Editor's computation, made with
// the calls of ComputationBuilder.
//
//   Insertion at = editor.Before(softmax);
//   Op logits = at.Use(editor.operands(softmax)[0]);
//   InstructionRef scaled = at.Insert(at->Mul(logits, at->Splat(...)));

#ifndef INDIM_EDIT_INSERTION_H_
#define INDIM_EDIT_INSERTION_H_

#include <memory>

#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"
#include "indim/edit/refs.h"

namespace indim {

class Editor;
namespace internal {
class EditSession;
class InsertionState;
}  // namespace internal

// When its Editor is gone, or was moved away, it inserts nothing. Insertions at
// different places may be open at the same time.
class Insertion {
 public:
  // Inserts the ops that were recorded and not inserted yet.
  ~Insertion();
  Insertion(Insertion&&) noexcept;
  Insertion& operator=(Insertion&&) noexcept;

  // The builder. Its Parameter() and Build() must not be called (IND1010,
  // IND1003): AddParameter adds parameters, Insert inserts.
  ComputationBuilder* operator->();
  ComputationBuilder& builder();

  // An instruction of the computation as an operand of the builder's calls,
  // with its recorded shape. Calls that change an op (SetName,
  // SetFrontendAttribute, ...) are for new ops; of one that is in use they are
  // an error (IND1015). IND1000..IND1002: a wrong reference, or of another
  // computation; what uses the result is silent.
  Op Use(InstructionRef instruction, Caller caller = Caller::Here());
  // A computation of the module as an argument of Reduce, Call, While, ...
  Callee UseComputation(ComputationRef computation,
                        Caller caller = Caller::Here());

  // Puts everything that was recorded into the computation, in the order of the
  // calls, and returns the instruction of `op`. The errors of the builder's
  // calls become the Editor's. After that the Insertion can only tell Ref().
  InstructionRef Insert(Op op, Caller caller = Caller::Here());
  // Without a result.
  void Insert(Caller caller = Caller::Here());
  // The instruction of an op that was inserted, or is in use here; a default
  // reference: it was not inserted.
  InstructionRef Ref(Op op) const;

 private:
  friend class Editor;
  explicit Insertion(std::unique_ptr<internal::InsertionState> state);
  std::unique_ptr<internal::InsertionState> state_;
};

}  // namespace indim

#endif  // INDIM_EDIT_INSERTION_H_
