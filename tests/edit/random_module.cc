// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/edit/random_module.h"

#include <utility>
#include <vector>

#include "indim/builder/computation_builder.h"
#include "indim/passes/export/export.h"

namespace indim {
namespace {

// Everything is f32[4], f32[], s32[4] or pred[4].
class Maker {
 public:
  Maker(ComputationBuilder* b, RandomStream* random, int depth)
      : b_(*b), random_(*random), depth_(depth) {}

  void AddParameters() {
    floats_.push_back(b_.Parameter(0, "f32[4]"));
    floats_.push_back(b_.Parameter(1, "f32[4]"));
  }
  void AddSteps(int count) {
    for (int i = 0; i < count; ++i) Step();
  }
  Op Float() { return Pick(floats_); }

 private:
  Op Pick(const std::vector<Op>& from) {
    return from[static_cast<size_t>(
        random_.Between(0, static_cast<int64_t>(from.size()) - 1))];
  }
  void Step();
  Op Called();
  Op Loop();

  ComputationBuilder& b_;
  RandomStream& random_;
  const int depth_;
  std::vector<Op> floats_, integers_;
};

Op Maker::Called() {
  ComputationBuilder sub = b_.SubBuilder("called");
  Maker inner(&sub, &random_, depth_ + 1);
  inner.AddParameters();
  inner.AddSteps(static_cast<int>(random_.Between(1, 6)));
  const Op root = inner.Float();
  const Op x = Float();
  return b_.Call(sub.BuildCallee(root), {x, Float()});
}

// Three turns of a body.
Op Maker::Loop() {
  const Shape state = Shape::Tuple(
      {Shape::Scalar(ElementType::kS32), Shape::Of(ElementType::kF32, {4})});
  ComputationBuilder condition = b_.SubBuilder("condition");
  const Op c = condition.Parameter(0, state);
  const Op count = condition.GetTupleElement(c, 0);
  const Callee goes_on =
      condition.BuildCallee(condition.Lt(count, condition.ConstantR0(3)));
  ComputationBuilder body = b_.SubBuilder("body");
  const Op s = body.Parameter(0, state);
  Maker inner(&body, &random_, depth_ + 1);
  const Op turn = body.GetTupleElement(s, 0);
  inner.floats_.push_back(body.GetTupleElement(s, 1));
  inner.AddSteps(static_cast<int>(random_.Between(1, 5)));
  const Op next = body.Add(turn, body.ConstantR0(1));
  const Callee turned = body.BuildCallee(body.Tuple({next, inner.Float()}));
  const Op zero = b_.ConstantR0(0);
  const Op init = b_.Tuple({zero, Float()});
  return b_.GetTupleElement(b_.While(goes_on, turned, init), 1);
}

void Maker::Step() {
  const Op x = Float();
  const Op y = Float();
  switch (random_.Between(0, depth_ < 2 ? 16 : 14)) {
    case 0:
      return floats_.push_back(b_.Add(x, y));
    case 1:
      return floats_.push_back(b_.Mul(x, y));
    case 2:
      return floats_.push_back(b_.Max(x, y));
    case 3:
      return floats_.push_back(b_.Neg(x));
    case 4:
      return floats_.push_back(b_.Tanh(x));
    case 5:
      return floats_.push_back(b_.Select(b_.Lt(x, y), y, x));
    case 6: {
      const Op zero = b_.ConstantR0(0.0f);
      ComputationBuilder sum = b_.SubBuilder("sum");
      const Op lhs = sum.Parameter(0, "f32[]"), rhs = sum.Parameter(1, "f32[]");
      const Callee add = sum.BuildCallee(sum.Add(lhs, rhs));
      const Op total = b_.Reduce(x, zero, add, {0});
      return floats_.push_back(b_.Broadcast(total, {4}));
    }
    case 7:
      return floats_.push_back(b_.ConstantR1({1.0f, 2.0f, 3.0f, 4.0f}));
    case 8: {
      const Op scalar =
          b_.ConstantR0(static_cast<float>(random_.Between(0, 2)));
      return floats_.push_back(b_.Add(x, scalar));  // broadcasts implicitly
    }
    case 9:
      return floats_.push_back(b_.Rev(x, {0}));
    case 10:
      integers_.push_back(b_.ConvertElementType(x, ElementType::kS32));
      return;
    case 11:
      if (integers_.empty()) return;
      floats_.push_back(
          b_.ConvertElementType(Pick(integers_), ElementType::kF32));
      return;
    case 12: {
      const Op pair = b_.Tuple({x, y});
      return floats_.push_back(b_.GetTupleElement(pair, random_.Between(0, 1)));
    }
    case 13: {
      const Op constant = b_.ConstantR1({4.0f, 3.0f, 2.0f, 1.0f});
      return floats_.push_back(
          b_.Sub(constant, b_.ConstantR1({1.0f, 1.0f, 1.0f, 1.0f})));
    }
    case 14:
      return floats_.push_back(b_.Reshape(b_.Reshape(x, {2, 2}), {4}));
    case 15:
      return floats_.push_back(Called());
    default:
      return floats_.push_back(Loop());
  }
}

}  // namespace

absl::StatusOr<Module> RandomModule(RandomStream* random) {
  ComputationBuilder b("random");
  Maker maker(&b, random, 0);
  maker.AddParameters();
  maker.AddSteps(static_cast<int>(random->Between(4, 24)));
  const Op first = maker.Float();
  const Op root =
      random->Between(0, 1) == 0 ? first : b.Tuple({first, maker.Float()});
  absl::StatusOr<Module> module = b.Build(root);
  if (module.ok() && random->Between(0, 1) == 0) {
    module = ExportModule(*std::move(module));
  }
  return module;
}

}  // namespace indim
