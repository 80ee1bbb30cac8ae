// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/tools/op_builders.h"

#include <algorithm>

#include "indim/builder/sharding.h"
#include "indim/tests/tools/device_op_builders.h"

namespace indim {
namespace {

using B = TestBuilder;
using Builders = std::vector<OpBuilder>;

// --- Elementwise ------------------------------------------------------------

template <typename Method>
OpBuilder One(Opcode opcode, const char* name, Method method,
              const char* shape = "f32[2,3]") {
  return {opcode, name,
          [=](B& b) { return (b.*method)(b.P(shape), Caller::Here()); }};
}

template <typename Method>
OpBuilder Two(Opcode opcode, const char* name, Method method,
              const char* shape = "f32[2,3]") {
  return {opcode, name, [=](B& b) {
            return (b.*method)(b.P(shape), b.P(shape), {}, Caller::Here());
          }};
}

void AddUnary(Builders* to) {
  const auto add = [to](Opcode opcode, const char* name, auto method,
                        const char* shape = "f32[2,3]") {
    to->push_back(One(opcode, name, method, shape));
  };
  add(Opcode::kAbs, "Abs", &B::Abs);
  add(Opcode::kAcos, "Acos", &B::Acos);
  add(Opcode::kAcosh, "Acosh", &B::Acosh);
  add(Opcode::kAsin, "Asin", &B::Asin);
  add(Opcode::kAsinh, "Asinh", &B::Asinh);
  add(Opcode::kAtanh, "Atanh", &B::Atanh);
  add(Opcode::kCbrt, "Cbrt", &B::Cbrt);
  add(Opcode::kCeil, "Ceil", &B::Ceil);
  add(Opcode::kCopy, "Copy", &B::Copy);
  add(Opcode::kCosh, "Cosh", &B::Cosh);
  add(Opcode::kCos, "Cos", &B::Cos);
  add(Opcode::kClz, "Clz", &B::Clz, "s32[3]");
  add(Opcode::kErf, "Erf", &B::Erf);
  add(Opcode::kExp, "Exp", &B::Exp);
  add(Opcode::kExp2, "Exp2", &B::Exp2);
  add(Opcode::kExpm1, "Expm1", &B::Expm1);
  add(Opcode::kFloor, "Floor", &B::Floor);
  add(Opcode::kImag, "Imag", &B::Imag, "c64[3]");
  add(Opcode::kIsFinite, "IsFinite", &B::IsFinite);
  add(Opcode::kLog, "Log", &B::Log);
  add(Opcode::kLog2, "Log2", &B::Log2);
  add(Opcode::kLog1p, "Log1p", &B::Log1p);
  add(Opcode::kLogistic, "Logistic", &B::Logistic);
  add(Opcode::kNegate, "Neg", &B::Neg);
  add(Opcode::kNot, "Not", &B::Not, "pred[3]");
  add(Opcode::kPopulationCount, "PopulationCount", &B::PopulationCount,
      "s32[3]");
  add(Opcode::kReal, "Real", &B::Real, "c64[3]");
  add(Opcode::kRoundNearestAfz, "Round", &B::Round);
  add(Opcode::kRoundNearestEven, "RoundNearestEven", &B::RoundNearestEven);
  add(Opcode::kRsqrt, "Rsqrt", &B::Rsqrt);
  add(Opcode::kSign, "Sign", &B::Sign);
  add(Opcode::kSin, "Sin", &B::Sin);
  add(Opcode::kSinh, "Sinh", &B::Sinh);
  add(Opcode::kSqrt, "Sqrt", &B::Sqrt);
  add(Opcode::kTan, "Tan", &B::Tan);
  add(Opcode::kTanh, "Tanh", &B::Tanh);
}

void AddBinary(Builders* to) {
  const auto add = [to](Opcode opcode, const char* name, auto method,
                        const char* shape = "f32[2,3]") {
    to->push_back(Two(opcode, name, method, shape));
  };
  add(Opcode::kAdd, "Add", &B::Add);
  add(Opcode::kMaximum, "Max", &B::Max);
  add(Opcode::kMinimum, "Min", &B::Min);
  add(Opcode::kMultiply, "Mul", &B::Mul);
  add(Opcode::kMulhi, "Mulhi", &B::Mulhi, "s32[3]");
  add(Opcode::kSubtract, "Sub", &B::Sub);
  add(Opcode::kDivide, "Div", &B::Div);
  add(Opcode::kRemainder, "Rem", &B::Rem);
  add(Opcode::kPower, "Pow", &B::Pow);
  add(Opcode::kAtan2, "Atan2", &B::Atan2);
  add(Opcode::kShiftLeft, "ShiftLeft", &B::ShiftLeft, "s32[3]");
  add(Opcode::kShiftRightArithmetic, "ShiftRightArithmetic",
      &B::ShiftRightArithmetic, "s32[3]");
  add(Opcode::kShiftRightLogical, "ShiftRightLogical", &B::ShiftRightLogical,
      "s32[3]");
  add(Opcode::kAnd, "And", &B::And, "pred[3]");
  add(Opcode::kOr, "Or", &B::Or, "pred[3]");
  add(Opcode::kXor, "Xor", &B::Xor, "pred[3]");
  add(Opcode::kComplex, "Complex", &B::Complex);
  add(Opcode::kCompare, "Eq", &B::Eq);
}

// --- The rest, by group -----------------------------------------------------

Module SumOfScalars() { return AddScalars(); }

Module Greater() {
  TestBuilder b("greater");
  const Op x = b.P("f32[]"), y = b.P("f32[]");
  return *b.Build(b.Gt(x, y));
}

// True of any f32[].
Module Always() {
  TestBuilder b("always");
  const Op x = b.P("f32[]");
  return *b.Build(b.Eq(x, x));
}

// (x, carry) -> (x, carry + x)
Module RunningSum() {
  TestBuilder b("step");
  const Op x = b.P("f32[]"), carry = b.P("f32[]");
  return *b.Build(b.Tuple({x, b.Add(x, carry)}));
}

void AddOthersElementwise(Builders* to) {
  to->insert(
      to->end(),
      {{Opcode::kStochasticConvert, "StochasticConvertType",
        [](B& b) {
          return b.StochasticConvertType(b.P("f32[3]"), b.P("u32[3]"),
                                         ElementType::kBF16);
        }},
       {Opcode::kClamp, "Clamp",
        [](B& b) {
          return b.Clamp(b.P("f32[]"), b.P("f32[3]"), b.P("f32[]"));
        }},
       {Opcode::kSelect, "Select",
        [](B& b) {
          return b.Select(b.P("pred[3]"), b.P("f32[3]"), b.P("f32[3]"));
        }},
       {Opcode::kMap, "Map",
        [](B& b) {
          return b.Map({b.P("f32[3]"), b.P("f32[3]")}, SumOfScalars(), {0});
        }},
       {Opcode::kReducePrecision, "ReducePrecision",
        [](B& b) { return b.ReducePrecision(b.P("f32[3]"), 5, 10); }},
       {Opcode::kConvert, "ConvertElementType", [](B& b) {
          return b.ConvertElementType(b.P("f32[3]"), ElementType::kS32);
        }}});
}

void AddShapes(Builders* to) {
  to->insert(to->end(),
             {{Opcode::kBroadcast, "Broadcast",
               [](B& b) { return b.Broadcast(b.P("f32[3]"), {2}); }},
              {Opcode::kReshape, "Reshape",
               [](B& b) { return b.Reshape(b.P("f32[2,3]"), {6}); }},
              {Opcode::kDynamicReshape, "DynamicReshape",
               [](B& b) {
                 return b.DynamicReshape(b.P("f32[2,3]"), {b.P("s32[]")}, {6},
                                         {true});
               }},
              {Opcode::kBitcast, "Bitcast",
               [](B& b) { return b.Bitcast(b.P("f32[2,3]"), "f32[6]"); }},
              {Opcode::kBitcastConvert, "BitcastConvertType",
               [](B& b) {
                 return b.BitcastConvertType(b.P("f32[3]"), ElementType::kU8);
               }},
              {Opcode::kTranspose, "Transpose",
               [](B& b) {
                 return b.Transpose(b.P("f32[2,3]"), {1, 0});
               }},
              {Opcode::kReverse, "Rev",
               [](B& b) { return b.Rev(b.P("f32[2,3]"), {1}); }},
              {Opcode::kShuffle, "Shuffle",
               [](B& b) { return b.Shuffle(b.P("f32[2,3]"), {1}, {1}); }},
              {Opcode::kSlice, "Slice",
               [](B& b) { return b.Slice(b.P("f32[5]"), {1}, {4}, {2}); }},
              {Opcode::kDynamicSlice, "DynamicSlice",
               [](B& b) {
                 return b.DynamicSlice(b.P("f32[5]"), {b.P("s32[]")}, {2});
               }},
              {Opcode::kDynamicUpdateSlice, "DynamicUpdateSlice",
               [](B& b) {
                 return b.DynamicUpdateSlice(b.P("f32[5]"), b.P("f32[2]"),
                                             {b.P("s32[]")});
               }},
              {Opcode::kPad, "Pad",
               [](B& b) {
                 return b.Pad(b.P("f32[3]"), b.P("f32[]"), {{1, 1, 0}});
               }},
              {Opcode::kConcatenate, "ConcatInDim",
               [](B& b) {
                 return b.ConcatInDim({b.P("f32[2]"), b.P("f32[3]")}, 0);
               }},
              {Opcode::kIota, "Iota", [](B& b) { return b.Iota("s32[4]", 0); }},
              {Opcode::kConstant, "ConstantLiteral",
               [](B& b) {
                 return b.ConstantLiteral(
                     *Literal::FromDoubles(ElementType::kF32, {1, 2}, {2}));
               }},
              {Opcode::kGetDimensionSize, "GetDimensionSize",
               [](B& b) { return b.GetDimensionSize(b.P("f32[<=5]"), 0); }},
              {Opcode::kSetDimensionSize, "SetDimensionSize", [](B& b) {
                 return b.SetDimensionSize(b.P("f32[5]"), b.P("s32[]"), 0);
               }}});
}

Op BuildGather(B& b) {
  GatherAttributes rows;
  rows.offset_dims = {1};
  rows.collapsed_slice_dims = {0};
  rows.start_index_map = {0};
  rows.index_vector_dim = 1;
  rows.slice_sizes = {1, 5};
  return b.Gather(b.P("f32[4,5]"), b.P("s32[7]"), rows);
}

Op BuildScatter(B& b) {
  ScatterAttributes rows;
  rows.update_window_dims = {1};
  rows.inserted_window_dims = {0};
  rows.scatter_dims_to_operand_dims = {0};
  rows.index_vector_dim = 1;
  return b.Scatter(b.P("f32[4,5]"), b.P("s32[7]"), b.P("f32[7,5]"),
                   SumOfScalars(), rows);
}

void AddLookups(Builders* to) {
  to->insert(
      to->end(),
      {{Opcode::kGather, "Gather", BuildGather},
       {Opcode::kScatter, "Scatter", BuildScatter},
       {Opcode::kSort, "Sort",
        [](B& b) { return b.Sort({b.P("f32[5]")}, Greater()); }},
       {Opcode::kTopK, "TopK", [](B& b) { return b.TopK(b.P("f32[5]"), 3); }},
       {Opcode::kFft, "Fft",
        [](B& b) { return b.Fft(b.P("f32[8]"), FftType::kRfft, {8}); }},
       {Opcode::kCholesky, "Cholesky",
        [](B& b) { return b.Cholesky(b.P("f32[3,3]"), true); }},
       {Opcode::kTriangularSolve, "TriangularSolve",
        [](B& b) {
          return b.TriangularSolve(b.P("f32[3,3]"), b.P("f32[3,2]"), true, true,
                                   false,
                                   TriangularSolveTranspose::kNoTranspose);
        }},
       {Opcode::kBatchNormTraining, "BatchNormTraining",
        [](B& b) {
          return b.BatchNormTraining(b.P("f32[4,5]"), b.P("f32[5]"),
                                     b.P("f32[5]"), 0.1f, 1);
        }},
       {Opcode::kBatchNormInference, "BatchNormInference",
        [](B& b) {
          const Op v = b.P("f32[5]");
          return b.BatchNormInference(b.P("f32[4,5]"), v, v, v, v, 0.1f, 1);
        }},
       {Opcode::kBatchNormGrad, "BatchNormGrad", [](B& b) {
          const Op x = b.P("f32[4,5]"), v = b.P("f32[5]");
          return b.BatchNormGrad(x, v, v, v, x, 0.1f, 1);
        }}});
}

DotAttributes MatrixProduct() {
  DotAttributes dims;
  dims.lhs_contracting_dims = {1};
  dims.rhs_contracting_dims = {0};
  return dims;
}

Op BuildRaggedDot(B& b) {
  DotAttributes dims;
  dims.lhs_contracting_dims = {1};
  dims.rhs_contracting_dims = {1};
  dims.lhs_ragged_dims = {0};
  dims.rhs_group_dims = {0};
  return b.RaggedDot(b.P("f32[11,5]"), b.P("f32[3,5,7]"), b.P("s32[3]"), dims);
}

void AddContractions(Builders* to) {
  to->insert(
      to->end(),
      {{Opcode::kDot, "DotGeneral",
        [](B& b) {
          return b.DotGeneral(b.P("f32[2,3]"), b.P("f32[3,4]"),
                              MatrixProduct());
        }},
       {Opcode::kScaledDot, "ScaledDot",
        [](B& b) {
          return b.ScaledDot(b.P("bf16[2,4]"), b.P("bf16[4,3]"),
                             b.P("bf16[2,2]"), b.P("bf16[2,3]"),
                             MatrixProduct());
        }},
       {Opcode::kRaggedDot, "RaggedDot", BuildRaggedDot},
       {Opcode::kConvolution, "Conv",
        [](B& b) {
          return b.Conv(b.P("f32[1,2,9,9]"), b.P("f32[4,2,3,3]"), {1, 1},
                        Padding::kSame);
        }},
       {Opcode::kReduce, "Reduce",
        [](B& b) {
          return b.Reduce(b.P("f32[2,3]"), b.P("f32[]"), SumOfScalars(), {1});
        }},
       {Opcode::kReduceWindow, "ReduceWindow",
        [](B& b) {
          return b.ReduceWindow(b.P("f32[9]"), b.P("f32[]"), SumOfScalars(),
                                {3}, {2}, Padding::kSame);
        }},
       {Opcode::kSelectAndScatter, "SelectAndScatter",
        [](B& b) {
          return b.SelectAndScatter(b.P("f32[4]"), Greater(), {2}, {2},
                                    Padding::kValid, b.P("f32[2]"),
                                    b.P("f32[]"), SumOfScalars());
        }},
       {Opcode::kScan, "Scan",
        [](B& b) {
          return b.Scan({b.P("f32[5]")}, {b.P("f32[]")}, RunningSum(), 0);
        }},
       {Opcode::kRng, "RngUniform",
        [](B& b) {
          return b.RngUniform(b.P("f32[]"), b.P("f32[]"), "f32[3]");
        }},
       {Opcode::kRngBitGenerator, "RngBitGenerator",
        [](B& b) {
          return b.RngBitGenerator(RandomAlgorithm::kThreeFry, b.P("u64[2]"),
                                   "u32[3]");
        }},
       {Opcode::kRngGetAndUpdateState, "RngGetAndUpdateState",
        [](B& b) { return b.RngGetAndUpdateState(1); }}});
}

void AddCalls(Builders* to) {
  to->insert(
      to->end(),
      {{Opcode::kCall, "Call",
        [](B& b) { return b.Call(Negated("f32[3]"), {b.P("f32[3]")}); }},
       {Opcode::kWhile, "While",
        [](B& b) { return b.While(Always(), Negated("f32[]"), b.P("f32[]")); }},
       {Opcode::kConditional, "Conditional",
        [](B& b) {
          const Op x = b.P("f32[]");
          return b.Conditional(b.P("pred[]"), x, Negated("f32[]"), x,
                               Negated("f32[]"));
        }},
       {Opcode::kTuple, "Tuple", [](B& b) { return b.Tuple({b.P("f32[]")}); }},
       {Opcode::kGetTupleElement, "GetTupleElement",
        [](B& b) { return b.GetTupleElement(b.P("(f32[], s32[])"), 1); }},
       {Opcode::kOptimizationBarrier, "OptimizationBarrier",
        [](B& b) { return b.OptimizationBarrier(b.P("f32[3]")); }},
       {Opcode::kDomain, "Domain",
        [](B& b) {
          return b.Domain(b.P("f32[3]"), MaximalSharding(0),
                          MaximalSharding(1));
        }},
       {Opcode::kCustomCall, "CustomCall",
        [](B& b) { return b.CustomCall("target", {b.P("f32[3]")}, "f32[4]"); }},
       {Opcode::kParameter, "Parameter", [](B& b) { return b.P("f32[3]"); }},
       {Opcode::kFusion, "Fusion",
        [](B& b) {
          return b.Fusion({b.P("f32[3]")}, "kLoop", Negated("f32[3]"));
        }},
       {Opcode::kAddDependency, "AddDependency",
        [](B& b) { return b.AddDependency(b.P("f32[3]"), b.CreateToken()); }},
       {Opcode::kAfterAll, "AfterAll",
        [](B& b) { return b.AfterAll({b.CreateToken()}); }}});
}

}  // namespace

std::vector<OpBuilder> AllOpBuilders() {
  Builders all;
  AddUnary(&all);
  AddBinary(&all);
  AddOthersElementwise(&all);
  AddShapes(&all);
  AddLookups(&all);
  AddContractions(&all);
  AddCalls(&all);
  AddDeviceOpBuilders(&all);
  std::sort(all.begin(), all.end(), [](const OpBuilder& a, const OpBuilder& b) {
    return a.opcode < b.opcode;
  });
  return all;
}

}  // namespace indim
