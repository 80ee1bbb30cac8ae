// SPDX-License-Identifier: Apache-2.0
// Module: an immutable graph, and views for reading it.
//
//   absl::StatusOr<Module> module = ReadModuleFile("m.pb");  // io/read.h
//   for (Computation c : module->computations()) {
//     for (Instruction i : c.instructions()) {
//       if (i.opcode() != Opcode::kDot) continue;
//       const auto& dot = As<DotAttributes>(i.attributes());
//       std::cout << i.name() << ": " << i.operand(0).shape() << ", "
//                 << i.operand(1).shape() << ", contracting dims "
//                 << absl::StrJoin(dot.lhs_contracting_dims, ",") << " and "
//                 << absl::StrJoin(dot.rhs_contracting_dims, ",") << "\n";
//     }
//   }
//
// docs/ops.md has the operations, shape/ops/attributes.h their attributes.
// Modules come from files, bytes and text (io/read.h), or from a builder.
//
// A Module is a handle to data that never changes: it may be copied, and read
// from many threads. Computation and Instruction are views of two words, valid
// as long as the Module (or a copy of it) lives. Operands precede their users,
// callees their callers; the root needn't be last.

#ifndef INDIM_IR_MODULE_H_
#define INDIM_IR_MODULE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/shape/infer/signature.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"

namespace indim {

class Computation;
class Literal;
struct ModuleData;
struct InstructionRecord;
struct ComputationRecord;
namespace internal {
struct ModuleAccess;  // module_access.h
}

// The source position of an instruction. Lines and columns count from 1; an
// empty file or a 0 means unknown.
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;
};

// A range over the views below, for range-for; it counts from 0.
template <typename Owner, typename View>
class ViewRange {
 public:
  class Iterator {
   public:
    Iterator(const Owner* owner, int i) : owner_(owner), i_(i) {}
    View operator*() const { return owner_->Get(i_); }
    Iterator& operator++() {
      ++i_;
      return *this;
    }
    friend bool operator!=(Iterator a, Iterator b) { return a.i_ != b.i_; }
    friend bool operator==(Iterator a, Iterator b) { return a.i_ == b.i_; }

   private:
    const Owner* owner_;
    int i_;
  };
  ViewRange(Owner owner, int size) : owner_(std::move(owner)), size_(size) {}
  Iterator begin() const { return Iterator(&owner_, 0); }
  Iterator end() const { return Iterator(&owner_, size_); }
  int size() const { return size_; }

 private:
  Owner owner_;
  int size_;
};

class Instruction {
 public:
  Instruction() = default;

  // Position in its computation, from 0.
  int index() const { return static_cast<int>(index_); }
  Computation computation() const;

  // kInvalid for an opcode that the op table lacks (opcode_name has it).
  Opcode opcode() const;
  absl::string_view opcode_name() const;
  // The recorded shape, with its layouts; Kind::kNone while it isn't inferred.
  const Shape& shape() const;

  int operand_count() const;
  // Nothing() unless 0 <= i < operand_count().
  Instruction operand(int i) const;
  struct OperandOwner;
  ViewRange<OperandOwner, Instruction> operands() const;

  int callee_count() const;
  // The callee; the computation of Nothing() unless 0 <= i < callee_count(). A
  // while has its body and its condition, a conditional its branches.
  Computation callee(int i) const;

  // Stands for an instruction that doesn't exist: alone in a computation and a
  // module of its own, without name, operands and shape, Opcode::kInvalid.
  static Instruction Nothing();

  // The struct that the op's row names, e.g. As<DotAttributes>(i.attributes()).
  const Attributes& attributes() const;

  // The name that its author gave; without one "add.17" (opcode and id).
  std::string name() const;
  bool has_given_name() const;
  // The name in messages: as in the HLO text that the module was read from,
  // where several computations may use one name; else name().
  std::string text_name() const;
  // XLA's 64-bit id.
  int64_t id() const;

  // source_file and source_line of its metadata, or of the stack frame that the
  // metadata names.
  SourceLocation location() const;
  // Its position in the HLO text that the module was read from
  // (its path, ReadOptions::name, or "text"). An empty file: the module has
  // another origin. An instruction that a pass adds has the position of the
  // instruction that needs it.
  SourceLocation text_location() const;
  // The OpMetadata, as canonical bytes; empty: none.
  absl::string_view metadata() const;

  // The value of a constant, or a custom-call's literal. NotFound: it has none.
  // InvalidArgument: its values don't match its shape. For values in another
  // file (proto/hlo_module/external_constants.h): FailedPrecondition, the file
  // wasn't opened with the module; InvalidArgument, it was cut short or
  // altered.
  absl::StatusOr<Literal> literal() const;

  // Position among all instructions of the module, from 0.
  uint32_t position() const;

  friend bool operator==(const Instruction& a, const Instruction& b) {
    return a.data_ == b.data_ && a.computation_ == b.computation_ &&
           a.index_ == b.index_;
  }

 private:
  friend class Computation;
  friend struct internal::ModuleAccess;
  Instruction(const ModuleData* data, uint32_t computation, uint32_t index)
      : data_(data), computation_(computation), index_(index) {}
  const InstructionRecord& record() const;

  const ModuleData* data_ = nullptr;
  uint32_t computation_ = 0;
  uint32_t index_ = 0;
};

class Computation {
 public:
  Computation() = default;

  // Position in the module, from 0.
  int index() const { return static_cast<int>(index_); }
  absl::string_view name() const;
  int64_t id() const;
  bool is_entry() const;

  int instruction_count() const;
  // 0 <= i < instruction_count().
  Instruction instruction(int i) const {
    return {data_, index_, static_cast<uint32_t>(i)};
  }
  struct InstructionOwner;
  ViewRange<InstructionOwner, Instruction> instructions() const;

  Instruction root() const;
  // The shapes of its parameters, by number, and of its root.
  Signature signature() const;

  friend bool operator==(const Computation& a, const Computation& b) {
    return a.data_ == b.data_ && a.index_ == b.index_;
  }

 private:
  friend class Instruction;
  friend class Module;
  friend struct internal::ModuleAccess;
  Computation(const ModuleData* data, uint32_t index)
      : data_(data), index_(index) {}
  const ComputationRecord& record() const;

  const ModuleData* data_ = nullptr;
  uint32_t index_ = 0;
};

class Module {
 public:
  // An empty module: no computation, no entry.
  Module();

  absl::string_view name() const;
  // Whether it has the mark of a recorded graph: its author wrote implicit
  // broadcasts and mixed float types; they aren't errors.
  bool is_recorded() const;

  int computation_count() const;
  // 0 <= i < computation_count().
  Computation computation(int i) const {
    return {data_.get(), static_cast<uint32_t>(i)};
  }
  struct ComputationOwner;
  ViewRange<ComputationOwner, Computation> computations() const;
  // Call only when computation_count() > 0.
  Computation entry() const;

  // The number of instructions in all computations.
  int64_t instruction_count() const;

 private:
  friend struct internal::ModuleAccess;
  explicit Module(std::shared_ptr<const ModuleData> data);

  std::shared_ptr<const ModuleData> data_;
};

struct Instruction::OperandOwner {
  Instruction user;
  Instruction Get(int i) const { return user.operand(i); }
};
struct Computation::InstructionOwner {
  Computation computation;
  Instruction Get(int i) const { return computation.instruction(i); }
};
struct Module::ComputationOwner {
  Module module;
  Computation Get(int i) const { return module.computation(i); }
};
inline ViewRange<Instruction::OperandOwner, Instruction> Instruction::operands()
    const {
  return {OperandOwner{*this}, operand_count()};
}
inline ViewRange<Computation::InstructionOwner, Instruction>
Computation::instructions() const {
  return {InstructionOwner{*this}, instruction_count()};
}
inline ViewRange<Module::ComputationOwner, Computation> Module::computations()
    const {
  return {ComputationOwner{*this}, computation_count()};
}
inline Computation Instruction::computation() const {
  return {data_, computation_};
}

}  // namespace indim

#endif  // INDIM_IR_MODULE_H_
