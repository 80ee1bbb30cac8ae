// SPDX-License-Identifier: Apache-2.0
// Editor: changes a module. An immutable Module goes in, a changed one comes
// out.
//
//   indim::Editor editor(module);
//   indim::InstructionRef dot = editor.Find("dot.4");
//   indim::Insertion at = editor.After(dot);     // the builder's own calls
//   indim::Op x = at.Use(dot);
//   indim::InstructionRef relu = at.Insert(at->Max(x, at->ScalarLike(x, 0)));
//   editor.ReplaceAllUses(dot, relu);
//   indim::EditResult result = editor.Finish();
//   if (!result.ok()) std::cerr << result.text();
//
// Whatever no edit touches keeps its bytes: instructions with their ids, names,
// attributes and metadata, and everything else in the module. Finish() without
// an edit returns the module itself.
//
// Errors. Calls never throw or abort. A wrong edit (of an instruction that was
// erased, IND1001; of another Editor, IND1000; after Finish(), IND1003; ...)
// changes nothing and keeps an error, with the line of the call; Finish()
// returns all of them and no module. Nothing is lost: the module that went in
// never changes. Calls that only look return an empty value for a wrong
// reference ("" or 0 or a default reference).
//
// Order. Instructions keep their order, and new ones stand where the edit says
// (before or after an instruction, or at the end). Where an operand (or a
// control predecessor) would follow its user, Finish() moves it, with what it
// needs, right before its first user; nothing else moves. An instruction that
// would need its own result is an error of Finish() (IND1006). Computations
// likewise: a new one stands before the computation for which it was made, and
// recursion is an error (IND1013).
//
// Ids and names. A new instruction gets the next id: its low half (32 bits) is
// one above the highest of the module (where there is none above, the lowest
// that is free), its high half is that of its computation's other instructions.
// It is named after its opcode and id (in a module from a file its low half:
// "add.17"), unless it was given a name; a name that is taken gets ".1", ".2",
// ... appended. New computations get ids in the same way.
//
// Text positions. A new instruction has the position in HLO text
// (Instruction::text_location) of the instruction that it stands beside.
//
// State of the module. Where parameters, results or the order change, this is
// rewritten: the layout of the entry (a changed shape gets the instruction's
// layout, all others keep theirs), program shapes, input_output_alias,
// buffer_donor, cross-program prefetches, shardings of parameters and of the
// result, the schedule. An entry of these whose parameter or result is removed
// is removed too, and a warning says so (IND1020). Everything else (frontend
// attributes, device assignment, stack frames, profiles, ...) stays as it is.
//
// Checks. Finish() infers again what depends on a change, in the order of the
// module: an inferred result replaces the recorded one where their structures
// differ, as in InferShapes. It verifies the instructions that changed or whose
// operands did (passes/check), then the structure of the module
// (passes/structure/structure.h). An error of the structure that the module had
// before doesn't count; it becomes a warning.
//
// Time. Editor(module) takes time and memory in proportion to the module (about
// 60 bytes an instruction). Unless its comment says otherwise, an edit takes
// constant time, or time in proportion to the users or operands that it
// changes.
//
// An Editor belongs to one thread at a time.

#ifndef INDIM_EDIT_EDITOR_H_
#define INDIM_EDIT_EDITOR_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/builder/op.h"
#include "indim/edit/edit_result.h"
#include "indim/edit/insertion.h"
#include "indim/edit/refs.h"
#include "indim/ir/module.h"
#include "indim/proto/codec/literal.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"

namespace indim {

class Editor {
 public:
  explicit Editor(Module module);
  ~Editor();
  // The Editor that is moved to keeps the references. The moved-from one acts
  // as if finished.
  Editor(Editor&&) noexcept;
  Editor& operator=(Editor&&) noexcept;

  // --- Looking ---------------------------------------------------------------

  // Callees before callers.
  std::vector<ComputationRef> computations() const;
  // A default reference for a module without computations.
  ComputationRef entry() const;
  // The computation of that name; a default reference: none.
  ComputationRef FindComputation(absl::string_view name) const;
  std::string name(ComputationRef computation) const;
  InstructionRef root(ComputationRef computation) const;
  // In order, the new ones included.
  std::vector<InstructionRef> instructions(ComputationRef computation) const;
  // The instructions that the root needs: operands (in their order), then their
  // users.
  std::vector<InstructionRef> PostOrder(ComputationRef computation) const;
  // By number. A default reference: no parameter has that number.
  std::vector<InstructionRef> parameters(ComputationRef computation) const;
  // Instructions that call the computation.
  std::vector<InstructionRef> callers(ComputationRef computation) const;

  // The first instruction of that name in the module; a default reference:
  // none. Takes time in proportion to the module. Find in pattern.h finds
  // instructions by their form.
  InstructionRef Find(absl::string_view name) const;
  std::vector<InstructionRef> FindAll(Opcode opcode) const;
  // The instruction and the computation of the module that went in; a default
  // reference if it is of another module.
  InstructionRef Of(const Instruction& instruction) const;
  ComputationRef Of(const Computation& computation) const;

  // Whether it is this Editor's and wasn't erased.
  bool exists(InstructionRef instruction) const;
  bool exists(ComputationRef computation) const;
  ComputationRef computation(InstructionRef instruction) const;
  Opcode opcode(InstructionRef instruction) const;
  std::string name(InstructionRef instruction) const;
  int64_t id(InstructionRef instruction) const;
  // The recorded shape, before Finish() infers it again. The reference is valid
  // until the next edit.
  const Shape& shape(InstructionRef instruction) const;
  const Attributes& attributes(InstructionRef instruction) const;
  std::vector<InstructionRef> operands(InstructionRef instruction) const;
  std::vector<ComputationRef> callees(InstructionRef instruction) const;
  // Each instruction that has it as an operand once; the oldest first.
  std::vector<InstructionRef> users(InstructionRef instruction) const;
  int64_t use_count(InstructionRef instruction) const;
  // As Instruction::literal; NotFound for a wrong reference.
  absl::StatusOr<Literal> literal(InstructionRef instruction) const;
  // Canonical OpMetadata bytes; empty: none.
  absl::string_view metadata(InstructionRef instruction) const;
  // Whether it must stay even if nothing uses its result: it is a parameter or
  // a root, has side effects (its own, by ops.def, a custom-call's, or those of
  // a computation that it calls), or is part of a control dependency. Takes
  // time in proportion to what it calls.
  bool must_stay(InstructionRef instruction) const;

  // --- Adding ----------------------------------------------------------------

  // A place for new instructions, with the calls of ComputationBuilder
  // (insertion.h). In a module that isn't recorded, inserted instructions get
  // the form for XLA: explicit broadcasts, and layouts where the module has
  // them.
  Insertion Before(InstructionRef instruction, Caller caller = Caller::Here());
  Insertion After(InstructionRef instruction, Caller caller = Caller::Here());
  Insertion AtEnd(ComputationRef computation, Caller caller = Caller::Here());

  // A copy with the same operands, callees, attributes, sharding, metadata and
  // layout, after the original. It has its name too, unless that is a new
  // instruction's ("add.17"): then it is named as one. IND1010: a parameter. A
  // copy of a constant shares its values.
  InstructionRef Clone(InstructionRef instruction,
                       Caller caller = Caller::Here());
  // A copy of a computation, before it in the order of computations. `name` as
  // of a new instruction; "": the original's. IND1006: instructions of it need
  // each other's results.
  ComputationRef CloneComputation(ComputationRef computation,
                                  absl::string_view name = "",
                                  Caller caller = Caller::Here());

  // --- Changing one instruction ----------------------------------------------

  // IND1004: no such operand. IND1002: `value` is in another computation.
  void SetOperand(InstructionRef instruction, int index, InstructionRef value,
                  Caller caller = Caller::Here());
  // Any number of operands.
  void SetOperands(InstructionRef instruction,
                   absl::Span<const InstructionRef> operands,
                   Caller caller = Caller::Here());
  void SetCallee(InstructionRef instruction, int index, ComputationRef callee,
                 Caller caller = Caller::Here());
  // The struct that the opcode's row names (else IND1007). Fields that already
  // mean the new value, and all that aren't of the struct, keep their bytes.
  void SetAttributes(InstructionRef instruction, const Attributes& attributes,
                     Caller caller = Caller::Here());
  // The recorded shape: of a parameter, of an operation whose result the
  // operands don't determine (reshape, broadcast, iota ...), or with another
  // layout. IND1008: of an operation whose result is inferred, another
  // structure; Finish() says so of another shape than the operands' at the end.
  void SetShape(InstructionRef instruction, const Shape& shape,
                Caller caller = Caller::Here());
  // Not UTF-8: IND0609, also below.
  void SetName(InstructionRef instruction, absl::string_view name,
               Caller caller = Caller::Here());
  // Bytes of an OpSharding (IND0640: other bytes); nullopt: none.
  void SetSharding(InstructionRef instruction,
                   const std::optional<std::string>& sharding,
                   Caller caller = Caller::Here());
  // Bytes of an OpMetadata (IND0640); nullopt: none.
  void SetMetadata(InstructionRef instruction,
                   const std::optional<std::string>& metadata,
                   Caller caller = Caller::Here());
  void SetFrontendAttribute(InstructionRef instruction, absl::string_view key,
                            absl::string_view value,
                            Caller caller = Caller::Here());

  // --- Uses, roots, erasing --------------------------------------------------

  // Every use of `instruction`, also as a root, becomes one of `replacement`,
  // but for uses by which `replacement` itself is computed: so relu(dot) can
  // replace dot. IND1002: the two are in different computations. Also takes
  // time in proportion to what `replacement` needs behind `instruction` in
  // order.
  void ReplaceAllUses(InstructionRef instruction, InstructionRef replacement,
                      Caller caller = Caller::Here());
  // IND1002: `root` is in another computation.
  void SetRoot(ComputationRef computation, InstructionRef root,
               Caller caller = Caller::Here());
  // Erases an instruction that nothing uses. IND1005: it is used, or a root.
  // IND1010: a parameter (RemoveParameter). IND1011: another instruction must
  // run after it (a control dependency).
  void Erase(InstructionRef instruction, Caller caller = Caller::Here());
  // Erases a computation that nothing calls, with its instructions. IND1005: it
  // is called, or the entry.
  void Erase(ComputationRef computation, Caller caller = Caller::Here());

  // --- Calls -----------------------------------------------------------------

  // Replaces a `call` by copies of the instructions that it calls; returns what
  // stands for its result. The computation stays, even if nothing calls it any
  // more (RemoveDeadCode, edit/passes/dead_code.h). IND1009: not a call.
  // IND1011: it has control dependencies. IND1006: as CloneComputation.
  InstructionRef InlineCall(InstructionRef call,
                            Caller caller = Caller::Here());
  // Moves instructions of one computation into a new one, which a `call` at the
  // place of the last of them calls; returns the call. They get new ids, and
  // references to them mean erased instructions. Values that they use
  // become its operands, in the order of their first uses. Values that others
  // use (or the root) become its result, a tuple if they aren't exactly one.
  // IND1012: none were given; or another instruction needs one of them and is
  // needed by one of them. IND1010: a parameter among them. IND1011: one has a
  // control dependency. IND1006: as CloneComputation.
  InstructionRef Outline(absl::Span<const InstructionRef> instructions,
                         absl::string_view name,
                         Caller caller = Caller::Here());

  // --- Parameters and results ------------------------------------------------

  // Adds a parameter with the next number, after the last parameter in order.
  // Where the computation is called, give its callers an operand more
  // (SetOperands); else Finish() has the errors of the verifier.
  InstructionRef AddParameter(ComputationRef computation, const Shape& shape,
                              absl::string_view name = "",
                              Caller caller = Caller::Here());
  // Removes a parameter that nothing uses; higher numbers become lower by one,
  // which takes time in proportion to how many there are. IND1004: no such
  // parameter. IND1005: it is used. Calls (`call`) lose the operand; other
  // callers must be given theirs.
  void RemoveParameter(ComputationRef computation, int64_t number,
                       Caller caller = Caller::Here());
  // Removes several at once: all, or after an error none.
  void RemoveParameters(ComputationRef computation,
                        absl::Span<const int64_t> numbers,
                        Caller caller = Caller::Here());
  // Adds a result. A root that is a `tuple` gets an element more; any other
  // root becomes element 0 of a tuple. Returns the root. Takes time in
  // proportion to the number of results; AddResults adds many in one such time.
  InstructionRef AddResult(ComputationRef computation, InstructionRef value,
                           Caller caller = Caller::Here());
  InstructionRef AddResults(ComputationRef computation,
                            absl::Span<const InstructionRef> values,
                            Caller caller = Caller::Here());
  // Removes an element of the root, a `tuple` (else IND1014). A root without
  // elements is an empty tuple. Takes time in proportion to the number of
  // results; RemoveResults removes many in one such time.
  void RemoveResult(ComputationRef computation, int64_t index,
                    Caller caller = Caller::Here());
  void RemoveResults(ComputationRef computation,
                     absl::Span<const int64_t> indices,
                     Caller caller = Caller::Here());
  // Makes another computation the entry. The state that belongs to the old one
  // (layout, aliases, donors, prefetches, shardings of parameters and result)
  // is dropped, and a warning says so (IND1020).
  void SetEntry(ComputationRef computation, Caller caller = Caller::Here());

  // --- Result ----------------------------------------------------------------

  // OK, or the first error so far, with the number of the others.
  absl::Status status() const;
  // The changed module, or the errors. After a success the Editor can only look
  // (IND1003). After an error you can go on editing; errors that Finish()
  // itself found are forgotten then.
  EditResult Finish(Caller caller = Caller::Here());

 private:
  friend class internal::EditSession;
  internal::EditSession& session() const;
  std::unique_ptr<internal::EditSession> session_;
};

}  // namespace indim

#endif  // INDIM_EDIT_EDITOR_H_
