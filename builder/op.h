// SPDX-License-Identifier: Apache-2.0
// Op: a value in a computation under construction. Callee: a computation that
// ops can call. Operand: an Op or a number; StartsArg: a list of them;
// IndexArg: an index of an array. Caller: where in the user's program a call
// was made.

#ifndef INDIM_BUILDER_OP_H_
#define INDIM_BUILDER_OP_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "indim/builder/arguments.h"
#include "indim/ir/module.h"
#include "indim/proto/codec/number.h"

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
// it. A default Op belongs to no builder. Ops compare and hash as handles:
// equal ones are one value of one builder. ComputationBuilder::Eq compares what
// they stand for.
class Op {
 public:
  Op() = default;

  friend bool operator==(Op a, Op b) {
    return a.control_ == b.control_ && a.generation_ == b.generation_ &&
           a.node_ == b.node_;
  }
  friend bool operator!=(Op a, Op b) { return !(a == b); }
  template <typename H>
  friend H AbslHashValue(H h, Op op) {
    return H::combine(std::move(h), op.control_, op.generation_, op.node_);
  }

 private:
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

// An Op, or a number that stands for a scalar constant of the other operand's
// element type, which the call records: b.Max(x, 0), b.Clamp(0, x, 1), x * 2.
// A number that the type can't hold is an error (IND0636): 2.5 and 300 for s8,
// 1e6 for f16. A float type rounds. When no operand is an Op, the numbers have
// no type (IND0637).
class Operand {
 public:
  Operand(Op op) : op_(op), number_(0), is_number_(false) {}  // NOLINT
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Operand(T number) : number_(number), is_number_(true) {}  // NOLINT

  bool is_number() const { return is_number_; }
  // The default Op for a number.
  Op op() const { return op_; }
  const Number& number() const { return number_; }

 private:
  Op op_;
  Number number_;
  bool is_number_;
};

// Where a dynamic slice begins, for as long as one call takes: an integer
// scalar or a number for each dim, {0, i, 0}, or a list of Ops or of
// Operands. It refers to the list that it is made of, as absl::Span does.
class StartsArg {
  template <typename List, typename T>
  using IfListOf =
      std::enable_if_t<std::is_convertible_v<const List&, absl::Span<const T>>>;

 public:
  StartsArg() = default;
  StartsArg(std::initializer_list<Operand> starts)  // NOLINT
      : starts_(absl::Span<const Operand>(starts)) {}
  template <typename List, typename = IfListOf<List, Op>>
  StartsArg(const List& starts)  // NOLINT
      : starts_(absl::Span<const Op>(starts)) {}
  template <typename List, typename = IfListOf<List, Operand>, typename = void>
  StartsArg(const List& starts)  // NOLINT
      : starts_(absl::Span<const Operand>(starts)) {}

  size_t size() const;
  // 0 <= i < size().
  Operand operator[](size_t i) const;

 private:
  std::variant<absl::Span<const Op>, absl::Span<const Operand>> starts_;
};

// What b.Index() takes of one dim: a number or an integer scalar, which takes
// one element and drops the dim, or a Range, which keeps it. Or kNewAxis,
// which adds a dim, or kEllipsis, which stands for kAll of the other dims.
class IndexArg {
 public:
  template <typename T, typename = std::enable_if_t<std::is_integral_v<T> &&
                                                    !std::is_same_v<T, bool>>>
  IndexArg(T number) : index_(static_cast<int64_t>(number)) {}  // NOLINT
  IndexArg(Op place) : index_(place) {}                         // NOLINT
  IndexArg(Range range) : index_(range) {}                      // NOLINT
  IndexArg(NewAxis axis) : index_(axis) {}                      // NOLINT
  IndexArg(Ellipsis rest) : index_(rest) {}                     // NOLINT

  // 0: it isn't a number.
  int64_t number() const {
    const int64_t* number = std::get_if<int64_t>(&index_);
    return number == nullptr ? 0 : *number;
  }
  // Null: it is another kind of index.
  const Op* op() const { return std::get_if<Op>(&index_); }
  const Range* range() const { return std::get_if<Range>(&index_); }
  bool is_new_axis() const { return std::holds_alternative<NewAxis>(index_); }
  bool is_ellipsis() const { return std::holds_alternative<Ellipsis>(index_); }

 private:
  std::variant<int64_t, Op, Range, NewAxis, Ellipsis> index_;
};

// An operand and the line that uses it: the argument of the operators.
struct OperandAtCaller {
  OperandAtCaller(Op op, Caller caller = Caller::Here())  // NOLINT
      : operand(op), caller(caller) {}
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  OperandAtCaller(T number, Caller caller = Caller::Here())  // NOLINT
      : operand(number), caller(caller) {}
  Operand operand;
  Caller caller;
};

// The builder's Add, Sub, Mul, Div, Rem, Neg, And, Or, Xor, Not, ShiftLeft, and
// for >> ShiftRightArithmetic (a signed lhs) or ShiftRightLogical (an unsigned
// one), as in XLA, without broadcast_dimensions. They record in the first
// operand's builder that is alive; it reports an operand of another builder, of
// a builder that is gone, of a region that has ended, or a default Op, as the
// builder's call does. When no operand's builder is alive nobody can: the
// result is as gone as the operand, and the call that uses it says so
// (IND0600, IND0601). So are Lt, Le, Gt and Ge: x > 0 is a pred. == and != are
// not: they tell whether two Ops are one value, and b.Eq and b.Ne compare what
// they stand for.
Op operator+(const OperandAtCaller& lhs, const OperandAtCaller& rhs);
Op operator-(const OperandAtCaller& lhs, const OperandAtCaller& rhs);
Op operator*(const OperandAtCaller& lhs, const OperandAtCaller& rhs);
Op operator/(const OperandAtCaller& lhs, const OperandAtCaller& rhs);
Op operator%(const OperandAtCaller& lhs, const OperandAtCaller& rhs);
Op operator-(const OperandAtCaller& operand);
Op operator&(const OperandAtCaller& lhs, const OperandAtCaller& rhs);
Op operator|(const OperandAtCaller& lhs, const OperandAtCaller& rhs);
Op operator^(const OperandAtCaller& lhs, const OperandAtCaller& rhs);
Op operator~(const OperandAtCaller& operand);
Op operator<<(const OperandAtCaller& lhs, const OperandAtCaller& rhs);
Op operator>>(const OperandAtCaller& lhs, const OperandAtCaller& rhs);
Op operator<(const OperandAtCaller& lhs, const OperandAtCaller& rhs);
Op operator<=(const OperandAtCaller& lhs, const OperandAtCaller& rhs);
Op operator>(const OperandAtCaller& lhs, const OperandAtCaller& rhs);
Op operator>=(const OperandAtCaller& lhs, const OperandAtCaller& rhs);

// x += y is x = x + y, and so on: x then stands for another value.
Op& operator+=(Op& lhs, const OperandAtCaller& rhs);
Op& operator-=(Op& lhs, const OperandAtCaller& rhs);
Op& operator*=(Op& lhs, const OperandAtCaller& rhs);
Op& operator/=(Op& lhs, const OperandAtCaller& rhs);
Op& operator%=(Op& lhs, const OperandAtCaller& rhs);
Op& operator&=(Op& lhs, const OperandAtCaller& rhs);
Op& operator|=(Op& lhs, const OperandAtCaller& rhs);
Op& operator^=(Op& lhs, const OperandAtCaller& rhs);

}  // namespace indim

#endif  // INDIM_BUILDER_OP_H_
