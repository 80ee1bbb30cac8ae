// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/computation_builder.h"

#include <complex>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "indim/builder/build.h"
#include "indim/builder/op_queries.h"
#include "indim/builder/op_settings.h"
#include "indim/builder/record_util.h"
#include "indim/builder/recorder.h"
#include "indim/builder/shared_state.h"
#include "indim/shape/infer/builder_forms.h"

namespace indim {
namespace {

using internal::Recorder;
using internal::SharedState;

// A parameter or a constant whose shape or value couldn't be read.
Op RejectUnreadable(Recorder* recorder, Opcode opcode, Code code,
                    const absl::Status& status, Caller caller) {
  return recorder->Reject(opcode, {}, code, {std::string(status.message())},
                          caller);
}

// Where the dims of two shapes differ: "; dim 1 is 64, not 128".
std::string FirstDifference(const Shape& a, const Shape& b) {
  if (!a.has_rank() || !b.has_rank() || a.rank() != b.rank()) return "";
  for (int i = 0; i < a.rank(); ++i) {
    if (a.dim(i) == b.dim(i)) continue;
    return absl::StrCat("; dim ", i, " is ", a.dim(i).ToString(), ", not ",
                        b.dim(i).ToString());
  }
  return "";
}

// `shape` without the layouts that `like` lacks.
Shape WithLayoutsOf(const Shape& shape, const Shape& like) {
  if (shape.is_tuple() && like.is_tuple() &&
      shape.elements().size() == like.elements().size()) {
    std::vector<Shape> elements;
    for (size_t i = 0; i < shape.elements().size(); ++i) {
      elements.push_back(
          WithLayoutsOf(shape.elements()[i], like.elements()[i]));
    }
    return Shape::Tuple(std::move(elements));
  }
  return like.layout() == nullptr ? shape.WithoutLayout() : shape;
}

// `op`, if it has the shape; else the result of a failed call.
Op CheckedShape(Recorder* recorder, Op op,
                const absl::StatusOr<Shape>& expected, Caller caller) {
  const Shape* shape = recorder->ShapeOf(op);
  if (shape == nullptr) {
    return recorder->Reject(Opcode::kInvalid, {op}, {}, caller);
  }
  if (!expected.ok()) {
    return recorder->Reject(Opcode::kInvalid, {op}, Code::kNoShape,
                            {std::string(expected.status().message())}, caller);
  }
  if (WithLayoutsOf(*shape, *expected) == *expected) return op;
  InferContext context;
  context.Diagnose(Code::kExpectedShape, 0)
      .Arg(*expected)
      .Arg(FirstDifference(*shape, *expected));
  return recorder->Reject(Opcode::kInvalid, {op},
                          std::move(*context.mutable_diagnostics()), caller);
}

template <typename T>
absl::StatusOr<Literal> VectorLiteral(std::initializer_list<T> values) {
  return Literal::Array(absl::Span<const T>(values),
                        {static_cast<int64_t>(values.size())});
}

template <typename T>
absl::StatusOr<Literal> MatrixLiteral(
    std::initializer_list<std::initializer_list<T>> rows) {
  const size_t columns = rows.size() == 0 ? 0 : rows.begin()->size();
  absl::InlinedVector<T, 16> values;  // a span: vector<bool> has none
  for (const std::initializer_list<T>& row : rows) {
    if (row.size() != columns) {
      return absl::InvalidArgumentError(absl::StrCat("a matrix has rows of ",
                                                     columns, " and of ",
                                                     row.size(), " elements"));
    }
    values.insert(values.end(), row.begin(), row.end());
  }
  return Literal::Array(
      absl::Span<const T>(values),
      {static_cast<int64_t>(rows.size()), static_cast<int64_t>(columns)});
}

}  // namespace

void internal::RecorderDeleter::operator()(Recorder* recorder) const {
  if (!recorder->is_none()) delete recorder;
}

ComputationBuilder::ComputationBuilder(absl::string_view name)
    : ComputationBuilder(internal::RecorderHandle(
          new Recorder(name, std::make_shared<SharedState>()))) {}
ComputationBuilder::ComputationBuilder(internal::RecorderHandle recorder)
    : recorder_(std::move(recorder)) {}
ComputationBuilder::~ComputationBuilder() = default;
ComputationBuilder::ComputationBuilder(ComputationBuilder&& other) noexcept
    : recorder_(std::exchange(other.recorder_,
                              internal::RecorderHandle(&Recorder::None()))) {}
ComputationBuilder& ComputationBuilder::operator=(
    ComputationBuilder&& other) noexcept {
  recorder_ = std::exchange(other.recorder_,
                            internal::RecorderHandle(&Recorder::None()));
  return *this;
}

ComputationBuilder ComputationBuilder::SubBuilder(absl::string_view name) {
  // A builder that is built or moved away has nothing to share.
  std::shared_ptr<SharedState> family = recorder_->family();
  if (family == nullptr) family = std::make_shared<SharedState>();
  internal::RecorderHandle sub(new Recorder(name, std::move(family)));
  const internal::Settings& own = recorder_->settings();
  sub->settings().set_strict_types(own.strict_types());
  sub->settings().set_record_locations(own.record_locations());
  sub->settings().set_origin(own.origin());
  return ComputationBuilder(std::move(sub));
}

// --- Elementwise, two operands -----------------------------------------------

Op ComputationBuilder::Binary(Opcode opcode, const Operand& lhs,
                              const Operand& rhs, const BroadcastArg& broadcast,
                              Caller caller) {
  return recorder_->Binary(opcode, lhs, rhs, broadcast.spec(), caller);
}
Op ComputationBuilder::Compare(const Operand& lhs, const Operand& rhs,
                               ComparisonDirection direction,
                               const BroadcastArg& broadcast_dimensions,
                               ComparisonType type, Caller caller) {
  return recorder_->Compare(
      lhs, rhs, {direction, type, broadcast_dimensions.spec()}, caller);
}

// --- Results -----------------------------------------------------------------

BuildResult ComputationBuilder::Build(Op root, Caller caller) {
  return Build(root, BuildOptions(), caller);
}
BuildResult ComputationBuilder::Build(Op root, const BuildOptions& options,
                                      Caller caller) {
  return internal::BuildModule(recorder_.get(), root, options, caller);
}
BuildResult ComputationBuilder::Build(Caller caller) {
  return internal::BuildModule(recorder_.get(), std::nullopt, BuildOptions(),
                               caller);
}
Callee ComputationBuilder::BuildCallee(Op root, Caller caller) {
  return internal::BuildCallee(recorder_.get(), root, caller);
}
Callee ComputationBuilder::BuildCallee(Caller caller) {
  return internal::BuildCallee(recorder_.get(), std::nullopt, caller);
}

absl::Status ComputationBuilder::status() const { return recorder_->status(); }
std::string ComputationBuilder::DiagnosticsText() const {
  return recorder_->DiagnosticsText();
}
std::vector<CallDiagnostic> ComputationBuilder::diagnostics() const {
  return recorder_->Diagnostics();
}
absl::StatusOr<Shape> ComputationBuilder::shape(Op op) const {
  return internal::OpQueries(*recorder_.get()).shape(op);
}
absl::StatusOr<Opcode> ComputationBuilder::opcode(Op op) const {
  return internal::OpQueries(*recorder_.get()).opcode(op);
}
absl::StatusOr<std::vector<Op>> ComputationBuilder::operands(Op op) const {
  return internal::OpQueries(*recorder_.get()).operands(op);
}
absl::StatusOr<Attributes> ComputationBuilder::attributes(Op op) const {
  const Attributes* const attributes =
      internal::OpQueries(*recorder_.get()).attributes(op);
  if (attributes == nullptr)
    return internal::OpQueries(*recorder_.get()).shape(op).status();
  return *attributes;
}
absl::StatusOr<Literal> ComputationBuilder::literal(Op op) const {
  return internal::OpQueries(*recorder_.get()).literal(op);
}
absl::string_view ComputationBuilder::name() const { return recorder_->name(); }

Op ComputationBuilder::ExpectShape(Op op, const ShapeArg& expected,
                                   Caller caller) {
  // It is no operation: messages have the name of the call.
  const bool outermost = recorder_->EnterComposite("ExpectShape", caller);
  const Op result = CheckedShape(recorder_.get(), op, expected.shape(), caller);
  if (outermost) recorder_->LeaveComposite(result);
  return result;
}

// --- Properties of ops ------------------------------------------------------

void ComputationBuilder::set_record_locations(bool on) {
  recorder_->settings().set_record_locations(on);
}
void ComputationBuilder::set_strict_types(bool on) {
  recorder_->settings().set_strict_types(on);
}
void ComputationBuilder::set_op_name(absl::string_view op_name, Caller caller) {
  internal::OpSettings(recorder_.get()).SetOpName(op_name, caller);
}
void ComputationBuilder::set_op_type(absl::string_view op_type, Caller caller) {
  internal::OpSettings(recorder_.get()).SetOpType(op_type, caller);
}
void ComputationBuilder::set_sharding(std::optional<std::string> op_sharding,
                                      Caller caller) {
  internal::OpSettings(recorder_.get())
      .SetSharding(std::move(op_sharding), caller);
}
void ComputationBuilder::SetFrontendAttribute(Op op, absl::string_view key,
                                              absl::string_view value,
                                              Caller caller) {
  internal::OpSettings(recorder_.get())
      .SetFrontendAttribute(op, key, value, caller);
}
void ComputationBuilder::SetName(Op op, absl::string_view name, Caller caller) {
  internal::OpSettings(recorder_.get()).SetName(op, name, caller);
}

void ComputationBuilder::SetBackendConfig(Op op, absl::string_view config,
                                          Caller caller) {
  internal::OpSettings(recorder_.get()).SetBackendConfig(op, config, caller);
}
void ComputationBuilder::SetResultAccuracy(Op op,
                                           const ResultAccuracy& accuracy,
                                           Caller caller) {
  internal::OpSettings(recorder_.get()).SetResultAccuracy(op, accuracy, caller);
}
void ComputationBuilder::AddControlDependency(Op from, Op to, Caller caller) {
  internal::OpSettings(recorder_.get()).AddControlDependency(from, to, caller);
}

// --- Parameters and constants ------------------------------------------------

Op ComputationBuilder::Parameter(int64_t number, const ShapeArg& shape,
                                 absl::string_view name, Caller caller) {
  if (!shape.shape().ok()) {
    return RejectUnreadable(recorder_.get(), Opcode::kParameter, Code::kNoShape,
                            shape.shape().status(), caller);
  }
  return recorder_->Parameter(number, *shape.shape(), name, caller);
}

Op ComputationBuilder::Parameter(const ShapeArg& shape, absl::string_view name,
                                 Caller caller) {
  return Parameter(recorder_->open().current().NextParameter(), shape, name,
                   caller);
}

Op ComputationBuilder::Parameter(
    int64_t number, const ShapeArg& shape, absl::string_view name,
    const std::vector<bool>& replicated_at_leaf_buffers, Caller caller) {
  const Op parameter = Parameter(number, shape, name, caller);
  if (recorder_->ShapeOf(parameter) != nullptr &&
      !replicated_at_leaf_buffers.empty()) {
    internal::OpSettings(recorder_.get())
        .SetReplication(parameter, replicated_at_leaf_buffers, caller);
  }
  return parameter;
}

Op ComputationBuilder::ConstantLiteral(const Literal& literal, Caller caller) {
  return recorder_->Constant(literal, caller);
}

Op ComputationBuilder::ConstantOrReject(const absl::StatusOr<Literal>& literal,
                                        Caller caller) {
  if (literal.ok()) return recorder_->Constant(*literal, caller);
  return RejectUnreadable(recorder_.get(), Opcode::kConstant,
                          Code::kLiteralValue, literal.status(), caller);
}

Op ComputationBuilder::ConstantR0(ElementType type, Number value,
                                  Caller caller) {
  return ConstantOrReject(Literal::Scalar(type, value), caller);
}
Op ComputationBuilder::ConstantR1(std::initializer_list<float> values,
                                  Caller caller) {
  return ConstantOrReject(VectorLiteral(values), caller);
}
Op ComputationBuilder::ConstantR1(std::initializer_list<int32_t> values,
                                  Caller caller) {
  return ConstantOrReject(VectorLiteral(values), caller);
}
template <typename T, typename>
Op ComputationBuilder::ConstantR2(
    std::initializer_list<std::initializer_list<T>> values, Caller caller) {
  return ConstantOrReject(MatrixLiteral(values), caller);
}
#define INDIM_MATRIX_OF(T)                       \
  template Op ComputationBuilder::ConstantR2<T>( \
      std::initializer_list<std::initializer_list<T>>, Caller)
INDIM_MATRIX_OF(bool);
INDIM_MATRIX_OF(int8_t);
INDIM_MATRIX_OF(int16_t);
INDIM_MATRIX_OF(int32_t);
INDIM_MATRIX_OF(int64_t);
INDIM_MATRIX_OF(uint8_t);
INDIM_MATRIX_OF(uint16_t);
INDIM_MATRIX_OF(uint32_t);
INDIM_MATRIX_OF(uint64_t);
INDIM_MATRIX_OF(float);
INDIM_MATRIX_OF(double);
INDIM_MATRIX_OF(std::complex<float>);
INDIM_MATRIX_OF(std::complex<double>);
#undef INDIM_MATRIX_OF

Op ComputationBuilder::Splat(Number value, const ShapeArg& shape,
                             Caller caller) {
  if (!shape.shape().ok()) {
    return RejectUnreadable(recorder_.get(), Opcode::kBroadcast, Code::kNoShape,
                            shape.shape().status(), caller);
  }
  const Shape& result = *shape.shape();
  // An op without operands can't have an unknown size.
  for (int i = 0; i < result.rank(); ++i) {
    if (!result.dim(i).is_unknown()) continue;
    InferContext context;
    context.Diagnose(Code::kResultSizeUnknown, -1, i).Arg(result.dim(i));
    return recorder_->Reject(Opcode::kBroadcast, {},
                             std::move(*context.mutable_diagnostics()), caller);
  }
  if (result.is_scalar()) {
    return ConstantR0(result.element_type(), value, caller);
  }
  Op scalar;
  {
    const internal::ForItself part(recorder_.get());
    scalar = ConstantR0(result.element_type(), value, caller);
  }
  const Attributes attributes = DimensionsAttributes{};
  return recorder_->Record({Opcode::kBroadcast, {scalar}, &attributes, &result},
                           caller);
}

Op ComputationBuilder::Iota(const ShapeArg& shape, int64_t iota_dimension,
                            Caller caller) {
  if (!shape.shape().ok()) {
    return RejectUnreadable(recorder_.get(), Opcode::kIota, Code::kNoShape,
                            shape.shape().status(), caller);
  }
  const Attributes attributes = DimensionsAttributes{{iota_dimension}};
  return recorder_->Record({Opcode::kIota, {}, &attributes, &*shape.shape()},
                           caller);
}

Op ComputationBuilder::Iota(ElementType type, SizeArg size, Caller caller) {
  if (size.number().value_or(0) < 0) {
    InferContext context;
    DimsFromSizes(&context, {*size.number()});
    return recorder_->Reject(Opcode::kIota, {},
                             std::move(*context.mutable_diagnostics()), caller);
  }
  return Iota(Shape::Array(type, {size.dim()}), 0, caller);
}

// --- Any op ------------------------------------------------------------------

Op ComputationBuilder::AddInstruction(Opcode opcode,
                                      absl::Span<const Op> operands,
                                      const Attributes& attributes,
                                      const std::optional<Shape>& result,
                                      absl::Span<const Callee> callees,
                                      Caller caller) {
  if (Info(opcode).opcode == Opcode::kInvalid) {
    return recorder_->Reject(
        Opcode::kInvalid, operands, Code::kUnknownOpcode,
        {absl::StrCat("#", static_cast<int>(opcode)), std::string()}, caller);
  }
  if (opcode == Opcode::kConstant && result.has_value()) {
    return recorder_->Reject(
        opcode, operands, Code::kLiteralValue,
        {std::string("ConstantLiteral records constants, with their values")},
        caller);
  }
  if (opcode == Opcode::kParameter && result.has_value() && operands.empty()) {
    return recorder_->Parameter(As<ParameterAttributes>(attributes).number,
                                *result, "", caller);
  }
  return recorder_->Record({opcode, operands, &attributes,
                            result.has_value() ? &*result : nullptr, callees},
                           caller);
}

}  // namespace indim
