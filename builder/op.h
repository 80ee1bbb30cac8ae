// Op: a value in a computation under construction. Callee: a computation that
// ops can call. Caller: where in the user's program a call was made.

#ifndef INDIM_BUILDER_OP_H_
#define INDIM_BUILDER_OP_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "indim/ir/module.h"

namespace indim {

class ComputationBuilder;

// File and line of a call, taken by a default argument:
//   void F(int x, Caller caller = Caller::Here());
// A front end for another language passes its own user's file and line; `file`
// must stay valid until Build().
struct Caller {
  const char* file = "";
  int line = 0;

  static constexpr Caller Here(const char* file = __builtin_FILE(),
                               int line = __builtin_LINE()) {
    return Caller{file, line};
  }
};

namespace internal {
// One for each builder that is alive, recycled when it goes: `generation` is
// then raised, so an Op that is left over is seen to be stale and its builder
// is never followed.
struct BuilderControl;
}  // namespace internal

// Trivially copyable, 16 bytes. A default one belongs to no builder.
class Op {
 public:
  Op() = default;

 private:
  friend class ComputationBuilder;
  Op(internal::BuilderControl* control, uint32_t generation, uint32_t node)
      : control_(control), generation_(generation), node_(node) {}

  internal::BuilderControl* control_ = nullptr;
  uint32_t generation_ = 0;
  uint32_t node_ = 0;
};

// A finished computation, as an argument of Reduce, Map, Call ...: the entry of
// a Module, with all that it calls. It is linked into the calling module once,
// at its first use, however often it is called.
class Callee {
 public:
  // An error of Build() passes through: the op that calls it is poisoned and
  // reports that error.
  Callee(absl::StatusOr<Module> module);  // NOLINT: so that Build() fits
  Callee(Module module);                  // NOLINT

  const absl::StatusOr<Module>& module() const { return module_; }

 private:
  absl::StatusOr<Module> module_;
};

// An Op and the line it was used on: what operators take.
struct OpAtCaller {
  OpAtCaller(Op op, Caller caller = Caller::Here())  // NOLINT: wraps silently
      : op(op), caller(caller) {}
  Op op;
  Caller caller;
};

// The builder's Add, Sub, Mul, Div, Rem, Neg, And, Or, Xor, Not, ShiftLeft and
// (>> by the sign of lhs's type) ShiftRightArithmetic or ShiftRightLogical,
// without broadcast_dimensions. Both operands must be of one builder; with none
// alive the result is a default Op.
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
