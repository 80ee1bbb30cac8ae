// Op: a value in a computation under construction. Callee: a computation that
// ops can call. Caller: where in the user's program a call was made.

#ifndef INDIM_BUILDER_OP_H_
#define INDIM_BUILDER_OP_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "indim/ir/module.h"

namespace indim {

class ComputationBuilder;

// File and line of a call, taken by a default argument:
//   void F(int x, Caller caller = Caller::Here());
// A front end for another language passes its own user's file and line; `file`
// must stay valid, with the same contents, while the builder lives.
struct Caller {
  const char* file = "";
  int line = 0;

  static constexpr Caller Here(const char* file = __builtin_FILE(),
                               int line = __builtin_LINE()) {
    return Caller{file, line};
  }
};

namespace internal {
// The control block of each living builder. It is recycled when the builder
// goes, with a higher generation, so that a stale Op is recognized and never
// leads to a builder that is gone.
struct BuilderControl;
struct OpAccess;  // op_access.h
class Composite;
class SharedState;
class Recorder;
}  // namespace internal

// A value in a builder. Trivially copyable, 16 bytes; only its builder can use
// it. A default Op belongs to no builder.
class Op {
 public:
  Op() = default;

 private:
  friend class internal::Recorder;
  friend struct internal::OpAccess;
  Op(internal::BuilderControl* control, uint32_t generation, uint32_t node)
      : control_(control), generation_(generation), node_(node) {}

  internal::BuilderControl* control_ = nullptr;
  uint32_t generation_ = 0;
  uint32_t node_ = 0;
};

// A finished computation, as an argument of Reduce, Map, Call ...: the entry of
// a Module with everything that it calls, or the result of
// ComputationBuilder::BuildCallee(). A builder copies it once, at its first
// use, however often it is called.
class Callee {
 public:
  // A failed Build() gives a Callee with its error, which the op that calls it
  // reports.
  Callee(absl::StatusOr<Module> module);  // NOLINT: so that Build() fits
  Callee(Module module);                  // NOLINT

  // OK, or the error that the computation's Build() returned.
  const absl::Status& status() const { return status_; }

 private:
  friend class internal::SharedState;
  friend class internal::Recorder;
  explicit Callee(absl::Status status) : status_(std::move(status)) {}
  Callee(std::shared_ptr<internal::SharedState> family, uint32_t computation)
      : shared_(std::move(family)), computation_(computation) {}

  absl::Status status_;
  std::optional<Module> module_;
  // Set by BuildCallee(): the family of builders, and the computation's index
  // in it.
  std::shared_ptr<internal::SharedState> shared_;
  uint32_t computation_ = 0;
};

// An Op and the line that uses it: the argument of the operators.
struct OpAtCaller {
  OpAtCaller(Op op, Caller caller = Caller::Here())  // NOLINT: wraps silently
      : op(op), caller(caller) {}
  Op op;
  Caller caller;
};

// The builder's Add, Sub, Mul, Div, Rem, Neg, And, Or, Xor, Not, ShiftLeft, and
// for >> ShiftRightArithmetic (a signed lhs) or ShiftRightLogical (an unsigned
// one), as in XLA, without broadcast_dimensions. They record in the first
// operand's builder that is alive; it reports an operand of another builder, of
// a builder that is gone, or a default Op. When no operand's builder is alive
// the result is a default Op. Comparisons are methods only: == and < on handles
// would mislead.
Op operator+(OpAtCaller lhs, OpAtCaller rhs);
Op operator-(OpAtCaller lhs, OpAtCaller rhs);
Op operator*(OpAtCaller lhs, OpAtCaller rhs);
Op operator/(OpAtCaller lhs, OpAtCaller rhs);
Op operator%(OpAtCaller lhs, OpAtCaller rhs);
Op operator-(OpAtCaller operand);
Op operator&(OpAtCaller lhs, OpAtCaller rhs);
Op operator|(OpAtCaller lhs, OpAtCaller rhs);
Op operator^(OpAtCaller lhs, OpAtCaller rhs);
Op operator~(OpAtCaller operand);
Op operator<<(OpAtCaller lhs, OpAtCaller rhs);
Op operator>>(OpAtCaller lhs, OpAtCaller rhs);

}  // namespace indim

#endif  // INDIM_BUILDER_OP_H_
