// SPDX-License-Identifier: Apache-2.0
// Plays a program of bytes on builders: each call and each argument is drawn
// from the next bytes; when they end, from zeros.

#ifndef INDIM_TESTS_FUZZ_PLAYER_H_
#define INDIM_TESTS_FUZZ_PLAYER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/builder/computation_builder.h"
#include "indim/shape/fixes/owned_inputs.h"
#include "indim/shape/ops/opcode.h"

namespace indim {

class Player {
 public:
  explicit Player(absl::string_view program);

  bool done() const { return program_.empty(); }
  uint8_t Byte();
  bool OneIn(int n) { return Byte() % n == n - 1; }
  // Below `bound`.
  size_t Choose(size_t bound) { return bound == 0 ? 0 : Byte() % bound; }

  ComputationBuilder& builder() { return *builders_[current_].builder; }
  // `op` can be an operand from now on.
  void Push(Op op);
  // A complaint of a step; the first one counts.
  void Complain(std::string complaint);
  // How many calls there were, how many of them are no errors, and of which ops
  // (of CallDeclared); how many modules were built, and how many of these are
  // right as a whole.
  struct Tally {
    int64_t calls = 0;
    int64_t valid = 0;
    std::set<Opcode> ops;
    int64_t modules = 0;
    int64_t verified = 0;
  };
  void set_tally(Tally* tally) { tally_ = tally; }
  const std::string& complaint() const { return complaint_; }

  // Steps that aren't operations.
  void NewBuilder();
  void NewSubBuilder();
  void SwitchBuilder();
  void MoveBuilder();
  void AssignBuilder();
  void DestroyBuilder();
  void Finish();        // Build(), and the module is checked
  void FinishCallee();  // BuildCallee()
  void Ask();           // shape(), status(), DiagnosticsText(), name()

  // Inside a lambda: a few steps, not too deep.
  void PlayInside();
  // Begins, extends, ends, calls or drops a region, whether it's its turn or
  // not.
  void PlayRegion();

  // A call that keeps all that the row of some op declares; its operands are
  // what is here, or new parameters.
  void CallDeclared();
  // Of a careful player, mostly: the next DrawOp() give such operands as
  // `opcode` declares.
  void set_careful(bool careful) { careful_ = careful; }
  void WantOperandsOf(Opcode opcode);
  void WantNothing() { wanted_.clear(); }
  bool wants_operands() const { return !wanted_.empty(); }

  // Arguments. Mostly what makes sense, sometimes not.
  Op DrawOp();
  int64_t DrawInt();
  ElementType DrawType();
  Shape DrawShape();
  std::string DrawText();
  double DrawDouble();
  Callee DrawCallee();
  Literal DrawLiteral();
  template <typename T, typename Draw>
  std::vector<T> DrawList(Draw draw) {
    std::vector<T> list;
    for (size_t n = Byte() % 5; n > 0; --n) list.push_back(draw());
    return list;
  }
  DimIndices DrawDims();
  BuildOptions DrawBuildOptions();

 private:
  struct Computation {
    std::unique_ptr<ComputationBuilder> builder;
    int64_t next_parameter = 0;
  };
  struct Known {
    Op op;
    Shape shape;
  };
  void AddParameters();
  Op NewParameter(const ShapeArg& shape);
  // Of the last ones those that the builder knows.
  std::vector<Known> KnownOps();
  std::optional<OwnedInputs> DrawDeclared(Opcode opcode,
                                          std::vector<Op>* operands);

  absl::string_view program_;
  std::vector<Computation> builders_;
  size_t current_ = 0;
  std::vector<Op> ops_;
  std::vector<Op> wanted_;  // the next one last
  std::vector<Callee> callees_;
  std::vector<Region> regions_;
  int depth_ = 0;  // of lambdas
  bool careful_ = false;
  Tally* tally_ = nullptr;
  int finished_ = 0;
  std::string complaint_;
};

// --- Arguments by type ------------------------------------------------------

template <typename T>
struct Tag {};

Op Draw(Player& p, Tag<Op>);
Operand Draw(Player& p, Tag<Operand>);
OperandAtCaller Draw(Player& p, Tag<OperandAtCaller>);
int64_t Draw(Player& p, Tag<int64_t>);
int Draw(Player& p, Tag<int>);
bool Draw(Player& p, Tag<bool>);
float Draw(Player& p, Tag<float>);
double Draw(Player& p, Tag<double>);
uint64_t Draw(Player& p, Tag<uint64_t>);
Number Draw(Player& p, Tag<Number>);
Dim Draw(Player& p, Tag<Dim>);
ElementType Draw(Player& p, Tag<ElementType>);
Shape Draw(Player& p, Tag<Shape>);
ShapeArg Draw(Player& p, Tag<ShapeArg>);
BroadcastArg Draw(Player& p, Tag<BroadcastArg>);
SizeArg Draw(Player& p, Tag<SizeArg>);
IndexArg Draw(Player& p, Tag<IndexArg>);
Callee Draw(Player& p, Tag<Callee>);
Literal Draw(Player& p, Tag<Literal>);
Layout Draw(Player& p, Tag<Layout>);
Caller Draw(Player& p, Tag<Caller>);
PaddingDim Draw(Player& p, Tag<PaddingDim>);
WindowDim Draw(Player& p, Tag<WindowDim>);
Padding Draw(Player& p, Tag<Padding>);
ComparisonDirection Draw(Player& p, Tag<ComparisonDirection>);
ComparisonType Draw(Player& p, Tag<ComparisonType>);
FftType Draw(Player& p, Tag<FftType>);
TriangularSolveTranspose Draw(Player& p, Tag<TriangularSolveTranspose>);
RandomAlgorithm Draw(Player& p, Tag<RandomAlgorithm>);
Opcode Draw(Player& p, Tag<Opcode>);
std::pair<int64_t, int64_t> Draw(Player& p, Tag<std::pair<int64_t, int64_t>>);
PrecisionConfig Draw(Player& p, Tag<PrecisionConfig>);
DotAttributes Draw(Player& p, Tag<DotAttributes>);
ConvolutionDims Draw(Player& p, Tag<ConvolutionDims>);
ConvolutionAttributes Draw(Player& p, Tag<ConvolutionAttributes>);
GatherAttributes Draw(Player& p, Tag<GatherAttributes>);
ScatterAttributes Draw(Player& p, Tag<ScatterAttributes>);
ReplicaGroups Draw(Player& p, Tag<ReplicaGroups>);
CollectiveAttributes Draw(Player& p, Tag<CollectiveAttributes>);
CollectivePermuteAttributes Draw(Player& p, Tag<CollectivePermuteAttributes>);
CustomCallAttributes Draw(Player& p, Tag<CustomCallAttributes>);
OutputOperandAliasing Draw(Player& p, Tag<OutputOperandAliasing>);
ResultAccuracy Draw(Player& p, Tag<ResultAccuracy>);
Attributes Draw(Player& p, Tag<Attributes>);

template <typename T>
std::vector<T> Draw(Player& p, Tag<std::vector<T>>) {
  return p.DrawList<T>([&] { return Draw(p, Tag<T>()); });
}
template <typename T>
std::optional<T> Draw(Player& p, Tag<std::optional<T>>) {
  if (!p.OneIn(3)) return std::nullopt;
  return Draw(p, Tag<T>());
}

// An argument of type T, and what it points to.
template <typename T>
struct Argument {
  explicit Argument(Player& p) : value(Draw(p, Tag<T>())) {}
  const T& get() const { return value; }
  T value;
};
template <typename T>
struct Argument<absl::Span<const T>> {
  explicit Argument(Player& p) : value(Draw(p, Tag<std::vector<T>>())) {}
  absl::Span<const T> get() const { return value; }
  std::vector<T> value;
};
template <>
struct Argument<absl::Span<const bool>> {
  explicit Argument(Player& p) : size(p.Choose(4)) {
    for (bool& b : value) b = p.OneIn(2);
  }
  absl::Span<const bool> get() const {
    return absl::MakeConstSpan(value, size);
  }
  size_t size;
  bool value[4];
};
template <>
struct Argument<SizesArg> {
  explicit Argument(Player& p) : kind(p.Choose(3)) {
    if (kind == 0) numbers = Draw(p, Tag<std::vector<int64_t>>());
    if (kind == 1) dims = Draw(p, Tag<std::vector<Dim>>());
    if (kind == 2) mixed = Draw(p, Tag<std::vector<SizeArg>>());
  }
  SizesArg get() const {
    return kind == 0   ? SizesArg(numbers)
           : kind == 1 ? SizesArg(dims)
                       : SizesArg(mixed);
  }
  size_t kind;
  std::vector<int64_t> numbers;
  std::vector<Dim> dims;
  std::vector<SizeArg> mixed;
};
template <>
struct Argument<StartsArg> {
  explicit Argument(Player& p) : mixed(p.OneIn(2)) {
    if (!mixed) ops = Draw(p, Tag<std::vector<Op>>());
    if (mixed) operands = Draw(p, Tag<std::vector<Operand>>());
  }
  StartsArg get() const { return mixed ? StartsArg(operands) : StartsArg(ops); }
  bool mixed;
  std::vector<Op> ops;
  std::vector<Operand> operands;
};
template <>
struct Argument<DimsArg> {
  explicit Argument(Player& p)
      : all(p.OneIn(3)), value(Draw(p, Tag<std::vector<int64_t>>())) {}
  DimsArg get() const { return all ? DimsArg() : DimsArg(value); }
  bool all;
  std::vector<int64_t> value;
};
template <>
struct Argument<PaddingArg> {
  explicit Argument(Player& p)
      : pairs(Draw(p, Tag<std::vector<PaddingArg::Pair>>())),
        named(p.OneIn(2)),
        padding(Draw(p, Tag<Padding>())) {}
  PaddingArg get() const {
    return named ? PaddingArg(padding) : PaddingArg(pairs);
  }
  std::vector<PaddingArg::Pair> pairs;
  bool named;
  Padding padding;
};
template <>
struct Argument<ConvolutionDimsArg> {
  explicit Argument(Player& p)
      : value(p.OneIn(4) ? ConvolutionDimsArg(p.DrawText())
              : p.OneIn(2)
                  ? ConvolutionDimsArg("NHWC,HWIO->NHWC")
                  : ConvolutionDimsArg(Draw(p, Tag<ConvolutionDims>()))) {}
  const ConvolutionDimsArg& get() const { return value; }
  ConvolutionDimsArg value;
};
template <>
struct Argument<absl::string_view> {
  explicit Argument(Player& p) : value(p.DrawText()) {}
  absl::string_view get() const { return value; }
  std::string value;
};
template <>
struct Argument<const Literal*> {
  explicit Argument(Player& p) : value(p.DrawLiteral()), there(p.OneIn(2)) {}
  const Literal* get() const { return there ? &value : nullptr; }
  Literal value;
  bool there;
};

// --- Calls ------------------------------------------------------------------

using Step = std::function<void(Player&)>;

template <typename F, typename... A>
void PushResult(Player& p, const F& f, const A&... arguments) {
  if constexpr (std::is_void_v<decltype(f(arguments...))>) {
    f(arguments...);
  } else {
    p.Push(f(arguments...));
  }
}

// A method of the builder.
template <typename R, typename B, typename... A>
Step Method(R (B::*method)(A...)) {
  return [method](Player& p) {
    // Braces: drawn from left to right.
    const std::tuple<Argument<std::decay_t<A>>...> drawn{
        Argument<std::decay_t<A>>(p)...};
    std::apply(
        [&](const auto&... a) {
          const auto call = [&](const auto&... x) {
            return (p.builder().*method)(x...);
          };
          PushResult(p, call, a.get()...);
        },
        drawn);
  };
}

// A function of Ops.
template <typename... A>
Step Function(Op (*function)(A...)) {
  return [function](Player& p) {
    const std::tuple<Argument<std::decay_t<A>>...> drawn{
        Argument<std::decay_t<A>>(p)...};
    std::apply([&](const auto&... a) { p.Push(function(a.get()...)); }, drawn);
  };
}

// A function of the builder and Ops.
template <typename... A>
Step Function(Op (*function)(ComputationBuilder&, A...)) {
  return [function](Player& p) {
    const std::tuple<Argument<std::decay_t<A>>...> drawn{
        Argument<std::decay_t<A>>(p)...};
    std::apply(
        [&](const auto&... a) { p.Push(function(p.builder(), a.get()...)); },
        drawn);
  };
}

// CheckDeclaredCalls, counted.
std::string PlayDeclaredCalls(absl::string_view program, Player::Tally* tally);

// The calls with lambdas.
void AddLambdas(std::vector<Step>* all);
// Adds the calls of composites that are building blocks of models.
void AddBlockSteps(std::vector<Step>* all);

// Every call that a builder has.
const std::vector<Step>& BuilderSteps();

}  // namespace indim

#endif  // INDIM_TESTS_FUZZ_PLAYER_H_
