// SPDX-License-Identifier: Apache-2.0
// The calls of ComputationBuilder and the functions made of them, one row each.

#include <initializer_list>
#include <optional>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/builder/composites/constants.h"
#include "indim/builder/composites/cumulative.h"
#include "indim/builder/composites/einsum.h"
#include "indim/builder/composites/math.h"
#include "indim/builder/composites/matrix.h"
#include "indim/builder/composites/reductions.h"
#include "indim/builder/composites/slicing.h"
#include "indim/builder/sharding.h"
#include "indim/tests/fuzz/player.h"

namespace indim {
namespace {

using B = ComputationBuilder;
using Steps = std::vector<Step>;
using OpSpan = absl::Span<const Op>;
using IntSpan = absl::Span<const int64_t>;
using PairSpan = absl::Span<const std::pair<int64_t, int64_t>>;
using MaybeType = std::optional<ElementType>;

void Add(std::initializer_list<Step> some, Steps* all) {
  all->insert(all->end(), some);
}

// One of several methods of a name, by its arguments.
template <typename... A, typename C>
Step Overload(Op (C::*method)(A...)) {
  return Method(method);
}

// The type of a method: which one is meant where some of a name are templates.
template <typename C, typename... A>
using MethodOf = Op (C::*)(A...);

// A step whose Ops are the operands of `opcode`, in their order: mostly they
// are what its row declares.
Step Of(Opcode opcode, Step step) {
  return [opcode, step = std::move(step)](Player& p) {
    p.WantOperandsOf(opcode);
    step(p);
    p.WantNothing();
  };
}

void AddElementwise(Steps* all) {
  using Two =
      Op (B::*)(const Operand&, const Operand&, const BroadcastArg&, Caller);
  for (const auto& [opcode, m] : std::initializer_list<std::pair<Opcode, Two>>{
           {Opcode::kAdd, &B::Add},
           {Opcode::kMaximum, &B::Max},
           {Opcode::kMinimum, &B::Min},
           {Opcode::kMultiply, &B::Mul},
           {Opcode::kMulhi, &B::Mulhi},
           {Opcode::kSubtract, &B::Sub},
           {Opcode::kDivide, &B::Div},
           {Opcode::kRemainder, &B::Rem},
           {Opcode::kPower, &B::Pow},
           {Opcode::kAtan2, &B::Atan2},
           {Opcode::kAnd, &B::And},
           {Opcode::kOr, &B::Or},
           {Opcode::kXor, &B::Xor},
           {Opcode::kShiftLeft, &B::ShiftLeft},
           {Opcode::kShiftRightArithmetic, &B::ShiftRightArithmetic},
           {Opcode::kShiftRightLogical, &B::ShiftRightLogical},
           {Opcode::kComplex, &B::Complex},
           {Opcode::kCompare, &B::Eq},
           {Opcode::kCompare, &B::Ne},
           {Opcode::kCompare, &B::Ge},
           {Opcode::kCompare, &B::Gt},
           {Opcode::kCompare, &B::Le},
           {Opcode::kCompare, &B::Lt}}) {
    all->push_back(Of(opcode, Method(m)));
  }
  using One = Op (ElementwiseOps::*)(Op, Caller);
  for (const auto& [opcode, m] : std::initializer_list<std::pair<Opcode, One>>{
           {Opcode::kAbs, &B::Abs},
           {Opcode::kSign, &B::Sign},
           {Opcode::kNegate, &B::Neg},
           {Opcode::kAcos, &B::Acos},
           {Opcode::kAcosh, &B::Acosh},
           {Opcode::kAsin, &B::Asin},
           {Opcode::kAsinh, &B::Asinh},
           {Opcode::kAtanh, &B::Atanh},
           {Opcode::kCos, &B::Cos},
           {Opcode::kCosh, &B::Cosh},
           {Opcode::kExp, &B::Exp},
           {Opcode::kExp2, &B::Exp2},
           {Opcode::kExpm1, &B::Expm1},
           {Opcode::kLog, &B::Log},
           {Opcode::kLog2, &B::Log2},
           {Opcode::kLog1p, &B::Log1p},
           {Opcode::kLogistic, &B::Logistic},
           {Opcode::kRsqrt, &B::Rsqrt},
           {Opcode::kSin, &B::Sin},
           {Opcode::kSinh, &B::Sinh},
           {Opcode::kSqrt, &B::Sqrt},
           {Opcode::kTan, &B::Tan},
           {Opcode::kTanh, &B::Tanh},
           {Opcode::kReal, &B::Real},
           {Opcode::kImag, &B::Imag},
           {Opcode::kCbrt, &B::Cbrt},
           {Opcode::kCeil, &B::Ceil},
           {Opcode::kErf, &B::Erf},
           {Opcode::kFloor, &B::Floor},
           {Opcode::kRoundNearestAfz, &B::Round},
           {Opcode::kRoundNearestEven, &B::RoundNearestEven},
           {Opcode::kIsFinite, &B::IsFinite},
           {Opcode::kNot, &B::Not},
           {Opcode::kClz, &B::Clz},
           {Opcode::kPopulationCount, &B::PopulationCount},
           {Opcode::kCopy, &B::Copy}}) {
    all->push_back(Of(opcode, Method(m)));
  }
  Add({Of(Opcode::kCompare, Method(&B::Compare)),
       Of(Opcode::kReducePrecision, Method(&B::ReducePrecision)),
       Of(Opcode::kSelect, Method(&B::Select)),
       Of(Opcode::kClamp, Method(&B::Clamp)),
       Of(Opcode::kMap, Method(MethodOf<ElementwiseOps, OpSpan, const Callee&,
                                        IntSpan, Caller>(&B::Map)))},
      all);
  using Binary = Op (*)(const OperandAtCaller&, const OperandAtCaller&);
  for (Binary f : std::initializer_list<Binary>{
           operator+, operator-, operator*, operator/, operator%, operator&,
           operator|, operator^, operator<<, operator>>}) {
    all->push_back(Function(f));
  }
  using Unary = Op (*)(const OperandAtCaller&);
  for (Unary f : std::initializer_list<Unary>{operator-, operator~}) {
    all->push_back(Function(f));
  }
}

void AddArrays(Steps* all) {
  Add({Method(&B::ConvertElementType),
       Method(&B::BitcastConvertType),
       Method(&B::StochasticConvertType),
       Method(&B::Broadcast),
       Method(&B::BroadcastInDim),
       Method(&B::Reshape),
       Method(&B::DynamicReshape),
       Method(&B::Bitcast),
       Method(&B::Transpose),
       Method(&B::Rev),
       Method(&B::Shuffle),
       Method(&B::Slice),
       Method(&B::Index),
       Method(&B::SliceInDim),
       Method(&B::ConcatInDim),
       Method(&B::Pad),
       Overload<Op, Op, MaybeType, Caller>(&B::Dot),
       Overload<Op, Op, const PrecisionConfig&, MaybeType, Caller>(&B::Dot),
       Method(&B::DotGeneral),
       Method(&B::ScaledDot),
       Method(&B::RaggedDot),
       Method(MethodOf<FoldOps, Op, Op, const Callee&, IntSpan, Caller>(
           &B::Reduce)),
       Method(MethodOf<FoldOps, OpSpan, OpSpan, const Callee&, IntSpan, Caller>(
           &B::Reduce)),
       Method(&B::ReduceAll),
       Method(MethodOf<ControlOps, OpSpan, OpSpan, const Callee&, int64_t, bool,
                       std::optional<bool>, Caller>(&B::Scan)),
       Method(&B::DynamicSlice),
       Method(&B::DynamicUpdateSlice),
       Method(&B::Gather),
       Method(MethodOf<FoldOps, Op, Op, Op, const Callee&,
                       const ScatterAttributes&, Caller>(&B::Scatter)),
       Method(MethodOf<FoldOps, OpSpan, Op, OpSpan, const Callee&,
                       const ScatterAttributes&, Caller>(&B::Scatter)),
       Method(MethodOf<FoldOps, OpSpan, const Callee&, int64_t, bool, Caller>(
           &B::Sort)),
       Method(&B::TopK),
       Method(&B::Fft),
       Method(&B::Cholesky),
       Method(&B::TriangularSolve),
       Method(&B::BatchNormTraining),
       Method(&B::BatchNormInference),
       Method(&B::BatchNormGrad),
       Method(&B::GetDimensionSize),
       Method(&B::SetDimensionSize),
       Method(&B::RemoveDynamicDimension),
       Method(&B::RngUniform),
       Method(&B::RngNormal),
       Method(&B::RngBitGenerator),
       Method(&B::RngGetAndUpdateState)},
      all);
}

void AddWindows(Steps* all) {
  using Windows = absl::Span<const WindowDim>;
  Add({Method(MethodOf<FoldOps, Op, Op, const Callee&, Windows, Caller>(
           &B::ReduceWindow)),
       Method(MethodOf<FoldOps, OpSpan, OpSpan, const Callee&, Windows, Caller>(
           &B::ReduceWindow)),
       Method(MethodOf<FoldOps, Op, Op, const Callee&, IntSpan, IntSpan,
                       Padding, Caller>(&B::ReduceWindow)),
       Method(MethodOf<FoldOps, OpSpan, OpSpan, const Callee&, IntSpan, IntSpan,
                       Padding, Caller>(&B::ReduceWindow)),
       Method(&B::ReduceWindowWithGeneralPadding),
       Overload<Op, const Callee&, Windows, Op, Op, const Callee&, Caller>(
           &B::SelectAndScatter),
       Overload<Op, const Callee&, IntSpan, IntSpan, Padding, Op, Op,
                const Callee&, Caller>(&B::SelectAndScatter),
       Method(&B::SelectAndScatterWithGeneralPadding),
       Overload<Op, Op, const ConvolutionAttributes&, MaybeType, Caller>(
           &B::ConvGeneral),
       Overload<Op, Op, IntSpan, PairSpan, const ConvolutionDimsArg&, int64_t,
                int64_t, const PrecisionConfig&, MaybeType, Caller>(
           &B::ConvGeneral),
       Method(&B::Conv), Method(&B::ConvWithGeneralPadding),
       Method(&B::ConvWithGeneralDimensions), Method(&B::ConvGeneralDilated)},
      all);
}

void AddDevices(Steps* all) {
  using Shaped = const std::optional<ShapeArg>&;
  using LaidOut = const std::optional<Layout>&;
  Add({Method(MethodOf<DeviceOps, Op, const Callee&, CollectiveAttributes,
                       Shaped, Caller>(&B::AllReduce)),
       Method(MethodOf<DeviceOps, OpSpan, const Callee&, CollectiveAttributes,
                       Shaped, Caller>(&B::AllReduce)),
       Overload<Op, int64_t, int64_t, CollectiveAttributes, LaidOut, Caller>(
           &B::AllGather),
       Overload<OpSpan, int64_t, int64_t, CollectiveAttributes, LaidOut,
                Caller>(&B::AllGather),
       Method(
           MethodOf<DeviceOps, Op, const Callee&, int64_t, int64_t,
                    CollectiveAttributes, LaidOut, Caller>(&B::ReduceScatter)),
       Method(
           MethodOf<DeviceOps, OpSpan, const Callee&, int64_t, int64_t,
                    CollectiveAttributes, LaidOut, Caller>(&B::ReduceScatter)),
       Overload<Op, CollectiveAttributes, Caller>(&B::CollectiveBroadcast),
       Overload<OpSpan, CollectiveAttributes, Caller>(&B::CollectiveBroadcast),
       Method(
           MethodOf<DeviceOps, Op, const Callee&, CollectiveAttributes, Caller>(
               &B::CollectiveReduce)),
       Method(MethodOf<DeviceOps, OpSpan, const Callee&, CollectiveAttributes,
                       Caller>(&B::CollectiveReduce)),
       Overload<Op, const CollectivePermuteAttributes&, Caller>(
           &B::CollectivePermute),
       Overload<OpSpan, const CollectivePermuteAttributes&, Caller>(
           &B::CollectivePermute),
       Method(&B::CrossReplicaSum),
       Method(&B::AllToAll),
       Method(&B::AllToAllTuple),
       Method(&B::RaggedAllToAll),
       Method(&B::AllReduceStart),
       Method(&B::AllReduceDone),
       Method(&B::AllGatherStart),
       Method(&B::AllGatherDone),
       Method(&B::CollectivePermuteStart),
       Method(&B::CollectivePermuteDone),
       Method(&B::InfeedWithToken),
       Method(&B::Infeed),
       Method(&B::OutfeedWithToken),
       Method(&B::Outfeed),
       Overload<Op, Op, int64_t, bool, Caller>(&B::Send),
       Overload<Op, int64_t, Caller>(&B::Send),
       Overload<Op, const ShapeArg&, int64_t, bool, Caller>(&B::Recv),
       Overload<const ShapeArg&, int64_t, Caller>(&B::Recv),
       Method(&B::SendDone),
       Method(&B::RecvDone),
       Method(&B::SendWithToken),
       Method(&B::RecvWithToken),
       Method(&B::SendToHost),
       Method(&B::RecvFromHost),
       Method(&B::AsyncStart),
       Method(&B::AsyncUpdate),
       Method(&B::AsyncDone),
       Method(&B::CopyDone),
       Method(&B::ReplicaId),
       Method(&B::PartitionId)},
      all);
  all->push_back([](Player& p) {
    const Op operand = p.DrawOp();
    std::optional<int> index;
    if (p.OneIn(2)) index = static_cast<int>(p.DrawInt());
    p.Push(p.builder().CopyStart(operand, index));
  });
}

void AddCalls(Steps* all) {
  Add({Overload<int64_t, const ShapeArg&, absl::string_view, Caller>(
           &B::Parameter),
       Overload<const ShapeArg&, absl::string_view, Caller>(&B::Parameter),
       Method(&B::ConstantLiteral),
       Method(MethodOf<B, ElementType, Number, Caller>(&B::ConstantR0)),
       Method(MethodOf<B, uint64_t, Caller>(&B::ConstantR0)),
       Method(MethodOf<B, double, Caller>(&B::ConstantR0)),
       Method(&B::Splat),
       Overload<const ShapeArg&, int64_t, Caller>(&B::Iota),
       Overload<ElementType, SizeArg, Caller>(&B::Iota),
       Method(MethodOf<ControlOps, const Callee&, OpSpan, Caller>(&B::Call)),
       Method(&B::CompositeCall),
       Method(&B::Fusion),
       Method(MethodOf<ControlOps, const Callee&, const Callee&, Op, Caller>(
           &B::While)),
       Method(MethodOf<ControlOps, Op, Op, const Callee&, Op, const Callee&,
                       Caller>(&B::Conditional)),
       Method(
           MethodOf<ControlOps, Op, absl::Span<const Callee>, OpSpan, Caller>(
               &B::Conditional)),
       Method(MethodOf<ControlOps, OpSpan, Caller>(&B::Tuple)),
       Method(&B::GetTupleElement),
       Overload<absl::string_view, OpSpan, const ShapeArg&, bool, Caller>(
           &B::CustomCall),
       Overload<absl::string_view, OpSpan, const ShapeArg&,
                CustomCallAttributes, const Literal*, Caller>(&B::CustomCall),
       Method(&B::CustomCallWithComputation),
       Method(&B::CustomCallWithLayout),
       Method(&B::CreateToken),
       Method(&B::AfterAll),
       Method(&B::AddDependency),
       Method(&B::Domain),
       Method(&B::OptimizationBarrier),
       Method(&B::AddInstruction),
       Method(&B::set_record_locations),
       Method(&B::set_op_name),
       Method(&B::set_op_type),
       Method(&B::ExpectShape),
       Method(&B::SetFrontendAttribute),
       Method(&B::SetName),
       Method(&B::SetBackendConfig),
       Method(&B::SetResultAccuracy),
       Method(&B::AddControlDependency)},
      all);
  // The row's own attributes, which random ones seldom are.
  all->push_back([](Player& p) {
    const Opcode opcode = Draw(p, Tag<Opcode>());
    const std::vector<Op> operands = Draw(p, Tag<std::vector<Op>>());
    p.Push(p.builder().AddInstruction(opcode, operands, NoAttributes{},
                                      Draw(p, Tag<std::optional<Shape>>())));
  });
}

void AddComposites(Steps* all) {
  // Of its overloads that of a list.
  constexpr Op (*kEinsum)(absl::string_view, absl::Span<const Op>,
                          std::optional<ElementType>, Caller) = &Einsum;
  Add({Function(&Zero),
       Function(&One),
       Function(&Epsilon),
       Function(&MinValue),
       Function(&MaxValue),
       Function(&MinFiniteValue),
       Function(&MaxFiniteValue),
       Function(&NanValue),
       Function(&FullLike),
       Function(&ZerosLike),
       Function(&OnesLike),
       Function(&ScalarLike),
       Function(&CumSum),
       Function(&CumProd),
       Function(&CumMax),
       Function(&CumMin),
       Function(&CumLogSumExp),
       Function(kEinsum),
       Function(&Square),
       Function(&Reciprocal),
       Function(&Atan),
       Function(&LogAddExp),
       Function(&IsNan),
       Function(&IsInf),
       Function(&IsPosInf),
       Function(&IsNegInf),
       Function(&FloorDiv),
       Function(&FloorMod),
       Function(&IntegerPower),
       Function(&Relu),
       Function(&Relu6),
       Function(&LeakyRelu),
       Function(&Elu),
       Function(&Silu),
       Function(&Softplus),
       Function(&LogSigmoid),
       Function(&Gelu),
       Function(&Softmax),
       Function(&LogSoftmax),
       Function(&OneHot),
       Function(&MatMul),
       Function(&BatchDot),
       Function(&TransposeInMinorDims),
       Function(&IdentityMatrix),
       Function(&GetMatrixDiagonal),
       Function(&TriangleMask),
       Function(&LowerTriangle),
       Function(&UpperTriangle),
       Function(&ReduceSum),
       Function(&ReduceProd),
       Function(&ReduceMax),
       Function(&ReduceMin),
       Function(&ReduceAnd),
       Function(&ReduceOr),
       Function(&All),
       Function(&Any),
       Function(&Mean),
       Function(&Variance),
       Function(&StdDev),
       Function(&LogSumExp),
       Function(&ArgMax),
       Function(&ArgMin),
       Function(&Index),
       Function(&SliceInMinorDims),
       Function(&UpdateSlice),
       Function(&UpdateSliceInMinorDims),
       Function(&DynamicSliceInMinorDims),
       Function(&DynamicUpdateSliceInMinorDims),
       Function(&IndexSelect),
       Function(&TorchGather)},
      all);
}

// Bytes of shardings, by number.
void AddShardings(Steps* all) {
  all->push_back([](Player& p) {
    const std::vector<int64_t> dims = Draw(p, Tag<std::vector<int64_t>>());
    const std::vector<int64_t> more = Draw(p, Tag<std::vector<int64_t>>());
    std::string sharding;
    switch (p.Choose(6)) {
      case 0:
        return p.builder().set_sharding(std::nullopt);
      case 1:
        sharding = MaximalSharding(p.DrawInt());
        break;
      case 2:
        sharding = TileSharding(dims);
        break;
      case 3:
        sharding = TileShardingOnDevices(dims, more, p.OneIn(2));
        break;
      case 4:
        sharding = TileShardingByIota(dims, more, p.DrawDims());
        break;
      default:
        sharding = p.DrawText();
        break;
    }
    if (p.OneIn(3)) sharding = TupleSharding({sharding, ManualSharding()});
    p.builder().set_sharding(sharding);
  });
}

}  // namespace

const std::vector<Step>& BuilderSteps() {
  static const auto* const kSteps = [] {
    auto* all = new Steps;
    AddElementwise(all);
    AddArrays(all);
    AddWindows(all);
    AddDevices(all);
    AddCalls(all);
    AddComposites(all);
    AddLambdas(all);
    AddShardings(all);
    AddBlockSteps(all);
    return all;
  }();
  return *kSteps;
}

}  // namespace indim
