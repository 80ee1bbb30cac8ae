#include "indim/examples/train_step.h"

#include <limits>
#include <optional>
#include <string>

#include "indim/builder/computation_builder.h"
#include "indim/builder/sharding.h"

namespace indim {
namespace {

Shape Matrix(int64_t rows, int64_t columns) {
  return Shape::Array(ElementType::kF32,
                      {Dim::Static(rows), Dim::Static(columns)});
}

Shape Vector(int64_t size) {
  return Shape::Array(ElementType::kF32, {Dim::Static(size)});
}

Callee Sum(ComputationBuilder& parent) {
  ComputationBuilder b = parent.SubBuilder("sum");
  Op x = b.Parameter(0, "f32[]");
  Op y = b.Parameter(1, "f32[]");
  return b.BuildCallee(x + y);
}

Callee Largest(ComputationBuilder& parent) {
  ComputationBuilder b = parent.SubBuilder("largest");
  Op x = b.Parameter(0, "f32[]");
  Op y = b.Parameter(1, "f32[]");
  return b.BuildCallee(b.Max(x, y));
}

// x . yT and xT . y, for the gradients of a product.
Op DotWithTransposed(ComputationBuilder& b, Op x, Op y) {
  DotAttributes dims;
  dims.lhs_contracting_dims = {1};
  dims.rhs_contracting_dims = {1};
  return b.DotGeneral(x, y, dims);
}

Op TransposedDot(ComputationBuilder& b, Op x, Op y) {
  DotAttributes dims;
  dims.lhs_contracting_dims = {0};
  dims.rhs_contracting_dims = {0};
  return b.DotGeneral(x, y, dims);
}

}  // namespace

absl::StatusOr<Module> TrainStep(const TrainStepSizes& sizes,
                                 const BuildOptions& options) {
  ComputationBuilder b("train_step");
  std::optional<std::string> rows;
  std::optional<std::string> everywhere;
  if (sizes.devices > 1) {
    rows = TileSharding({sizes.devices, 1});
    everywhere = ReplicateSharding();
  }
  b.set_sharding(rows);
  Op x = b.Parameter(0, Matrix(sizes.batch, sizes.inputs), "x");
  Op y = b.Parameter(1, Matrix(sizes.batch, sizes.classes), "y");
  b.set_sharding(everywhere);
  Op w1 = b.Parameter(2, Matrix(sizes.inputs, sizes.hidden), "w1");
  Op b1 = b.Parameter(3, Vector(sizes.hidden), "b1");
  Op w2 = b.Parameter(4, Matrix(sizes.hidden, sizes.classes), "w2");
  Op b2 = b.Parameter(5, Vector(sizes.classes), "b2");
  b.set_sharding(std::nullopt);

  const Callee sum = Sum(b);
  Op zero = b.ConstantR0(ElementType::kF32, 0);
  Op count = b.ConstantR0(ElementType::kF32, static_cast<double>(sizes.batch));

  // Forward. {1}: the bias has dim 1, equal for each row. {0}: one number per
  // row.
  b.set_op_name("forward");
  Op hidden = b.Tanh(b.Add(b.Dot(x, w1), b1, {1}));
  Op logits = b.Add(b.Dot(hidden, w2), b2, {1});
  Op lowest =
      b.ConstantR0(ElementType::kF32, -std::numeric_limits<double>::infinity());
  Op shifted = b.Sub(logits, b.Reduce(logits, lowest, Largest(b), {1}), {0});
  Op exponentials = b.Exp(shifted);
  Op row_sums = b.Reduce(exponentials, zero, sum, {1});
  Op log_softmax = b.Sub(shifted, b.Log(row_sums), {0});
  Op loss = -b.ReduceAll(y * log_softmax, zero, sum) / count;

  // Backward.
  b.set_op_name("backward");
  Op d_logits = (b.Div(exponentials, row_sums, {0}) - y) / count;
  Op d_w2 = TransposedDot(b, hidden, d_logits);
  Op d_b2 = b.Reduce(d_logits, zero, sum, {0});
  Op one = b.ConstantR0(ElementType::kF32, 1);
  Op d_hidden = DotWithTransposed(b, d_logits, w2) * (one - hidden * hidden);
  Op d_w1 = TransposedDot(b, x, d_hidden);
  Op d_b1 = b.Reduce(d_hidden, zero, sum, {0});

  b.set_op_name("update");
  Op rate = b.ConstantR0(ElementType::kF32, sizes.rate);
  return b.Build(b.Tuple({w1 - rate * d_w1, b1 - rate * d_b1, w2 - rate * d_w2,
                          b2 - rate * d_b2, loss}),
                 options);
}

}  // namespace indim
