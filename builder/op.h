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
// must stay valid, and say the same, as long as the builder lives.
struct Caller {
  const char* file = "";
  int line = 0;

  static constexpr Caller Here(const char* file = __builtin_FILE(),
                               int line = __builtin_LINE()) {
    return Caller{file, line};
  }
};

namespace internal {
// One for each builder that is alive, recycled when it goes: its generation is
// then raised, so an Op that is left over is seen to be stale and its builder
// is never followed.
struct BuilderControl;
class Composite;
class SharedState;
class Recorder;
}  // namespace internal

// Trivially copyable, 16 bytes; it means something only to its builder. A
// default one belongs to no builder.
class Op {
 public:
  Op() = default;

 private:
  friend class internal::Recorder;
  Op(internal::BuilderControl* control, uint32_t generation, uint32_t node)
      : control_(control), generation_(generation), node_(node) {}

  internal::BuilderControl* control_ = nullptr;
  uint32_t generation_ = 0;
  uint32_t node_ = 0;
};

// A finished computation, as an argument of Reduce, Map, Call ...: the entry of
// a Module with all that it calls, or what ComputationBuilder::BuildCallee()
// made. A builder takes it over once, at its first use, however often it is
// called.
class Callee {
 public:
  // An error of Build() passes through: the op that calls it reports it.
  Callee(absl::StatusOr<Module> module);  // NOLINT: so that Build() fits
  Callee(Module module);                  // NOLINT

  // OK, or why there is no computation.
  const absl::Status& status() const { return status_; }

 private:
  friend class internal::SharedState;
  friend class internal::Recorder;
  explicit Callee(absl::Status status) : status_(std::move(status)) {}
  Callee(std::shared_ptr<internal::SharedState> family, uint32_t computation)
      : shared_(std::move(family)), computation_(computation) {}

  absl::Status status_;
  std::optional<Module> module_;
  // Of BuildCallee(): the builders that share it, and its place among theirs.
  std::shared_ptr<internal::SharedState> shared_;
  uint32_t computation_ = 0;
};

// An Op and the line it was used on: what operators take.
struct OpAtCaller {
  OpAtCaller(Op op, Caller caller = Caller::Here())  // NOLINT: wraps silently
      : op(op), caller(caller) {}
  Op op;
  Caller caller;
};

// The builder's Add, Sub, Mul, Div, Rem, Neg, And, Or, Xor, Not, ShiftLeft and
// (>> by the sign of lhs's type, as XLA) ShiftRightArithmetic or
// ShiftRightLogical, without broadcast_dimensions. The builder is the first
// operand's that has one alive; it reports an operand of another one, a gone
// one or none. When no operand's builder is alive the result is a default Op.
// Comparisons are methods only: == and < on handles would mislead.
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
