// The program of docs/training.md: a network of two layers learns which points
// lie inside a ring, by Adam, on the reference evaluator. It needs no XLA;
// train.cc trains on one.
//
//   ./bazelw run //examples:training

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "indim/builder/composites/losses.h"
#include "indim/builder/composites/optimizers.h"
#include "indim/builder/composites/reductions.h"
#include "indim/builder/computation_builder.h"
#include "indim/eval/evaluator.h"
#include "indim/eval/values/random_literal.h"
#include "indim/grad/builder_gradient.h"
#include "indim/io/write.h"

using indim::Op;

// The model: points f32[64,2] to a number for each of two classes.
Op Logits(indim::ComputationBuilder& b, Op points, const std::vector<Op>& w) {
  Op hidden = b.Tanh(b.Add(b.Dot(points, w[0]), w[1], {1}));
  return b.Add(b.Dot(hidden, w[2]), w[3], {1});
}

constexpr const char* kWeights[] = {"f32[2,16]", "f32[16]", "f32[16,2]",
                                    "f32[2]"};

// A step of training. Its parameters are the points, their classes and the
// state: the number of the step, and each weight with two running means. Its
// result is the loss and the next state.
absl::StatusOr<indim::Module> Step() {
  indim::ComputationBuilder b("step");
  Op points = b.Parameter("f32[64,2]", "points");
  Op classes = b.Parameter("s32[64]", "classes");
  Op step = b.Parameter("s32[]", "step");
  std::vector<Op> weights, means, squares;
  for (const char* shape : kWeights) {
    weights.push_back(b.Parameter(shape, "w"));
    means.push_back(b.Parameter(shape, "mean"));
    squares.push_back(b.Parameter(shape, "square"));
  }
  Op loss =
      indim::Mean(indim::CrossEntropy(Logits(b, points, weights), classes));
  std::vector<Op> gradients = indim::Gradient(loss, weights);
  std::vector<Op> results = {loss, step + 1};
  for (size_t i = 0; i < weights.size(); ++i) {
    const indim::AdamState next = indim::Adam(
        weights[i], gradients[i], means[i], squares[i], step, /*rate=*/0.05);
    results.insert(results.end(), {next.weight, next.mean, next.square});
  }
  return b.Build(b.Tuple(results));
}

// The trained model: points to classes, with the weights as constants.
absl::StatusOr<indim::Module> Trained(
    const std::vector<indim::Literal>& state) {
  indim::ComputationBuilder b("trained");
  Op points = b.Parameter("f32[64,2]", "points");
  std::vector<Op> weights;
  for (size_t i = 0; i < 4; ++i) {
    weights.push_back(b.ConstantLiteral(state[3 + 3 * i]));
  }
  return b.Build(indim::ArgMax(Logits(b, points, weights), 1));
}

// Points in a square around 0, and whether each is farther than 0.7 from 0;
// step 0, small weights, and means of 0.
std::vector<indim::Literal> FirstArguments() {
  indim::RandomStream random(1);
  std::vector<float> points(128);
  std::vector<int32_t> classes;
  for (float& x : points) {
    x = static_cast<float>(random.Between(-1000, 1000)) / 1000;
  }
  for (size_t i = 0; i < points.size(); i += 2) {
    const float x = points[i], y = points[i + 1];
    classes.push_back(x * x + y * y > 0.49f ? 1 : 0);
  }
  std::vector<indim::Literal> all = {
      *indim::Literal::Array(absl::MakeConstSpan(points), {64, 2}),
      *indim::Literal::Array(absl::MakeConstSpan(classes), {64}),
      indim::Literal::Scalar(int32_t{0})};
  for (const char* text : kWeights) {
    const indim::Shape shape = *indim::ParseShape(text);
    std::vector<float> values(static_cast<size_t>(*shape.ElementCount()));
    const std::vector<float> zeros = values;
    for (float& x : values) {
      x = static_cast<float>(random.Between(-1000, 1000)) / 2000;
    }
    std::vector<int64_t> sizes;
    for (const indim::Dim dim : shape.dims()) sizes.push_back(dim.size());
    for (const auto& each : {values, zeros, zeros}) {
      all.push_back(*indim::Literal::Array(absl::MakeConstSpan(each), sizes));
    }
  }
  return all;
}

absl::Status Train() {
  const absl::StatusOr<indim::Module> step = Step();
  if (!step.ok()) return step.status();
  std::vector<indim::Literal> arguments = FirstArguments();
  for (int i = 0; i <= 150; ++i) {
    absl::StatusOr<indim::Literal> results = indim::Evaluate(*step, arguments);
    if (!results.ok()) return results.status();
    if (i % 50 == 0) {
      std::printf("step %3d  loss %.2f\n", i,
                  results->elements()[0].AsDouble(0));
    }
    for (size_t k = 2; k < arguments.size(); ++k) {
      arguments[k] = results->elements()[k - 1];
    }
  }
  const absl::StatusOr<indim::Module> trained = Trained(arguments);
  if (!trained.ok()) return trained.status();
  const absl::StatusOr<indim::Literal> classes =
      indim::Evaluate(*trained, {arguments[0]});
  if (!classes.ok()) return classes.status();
  int right = 0;
  for (int64_t i = 0; i < 64; ++i) {
    right += classes->AsDouble(i) == arguments[1].AsDouble(i);
  }
  std::printf("%d of 64 points are told right\n", right);
  absl::Status written =
      indim::WriteModuleFile(*step, "step.pb", indim::ModuleForm::kRecorded);
  written.Update(indim::WriteModuleFile(*trained, "trained.pb",
                                        indim::ModuleForm::kRecorded));
  return written;
}

int main() {
  const absl::Status status = Train();
  if (status.ok()) return EXIT_SUCCESS;
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return EXIT_FAILURE;
}
