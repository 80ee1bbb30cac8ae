// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/fuzz/player.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "indim/passes/check/verify_module.h"
#include "indim/tests/builder/builder_cases.h"
#include "indim/tests/fuzz/module_checks.h"

namespace indim {
namespace {

// What is called in earnest: of scalars, of arrays, and some that are wrong for
// every caller.
std::vector<Callee> MakeCallees() {
  std::vector<Callee> all;
  all.emplace_back(AddScalars());
  all.emplace_back(AddScalars("s32[]"));
  TestBuilder greater("greater");
  const Op x = greater.P("f32[]"), y = greater.P("f32[]");
  all.emplace_back(greater.Build(greater.Gt(x, y)));
  TestBuilder negated("negated");
  all.emplace_back(negated.Build(negated.Neg(negated.P("f32[2,3]"))));
  TestBuilder always("always");
  const Op z = always.P("f32[2,3]");
  all.emplace_back(always.Build(always.ConstantLiteral(*Literal::FromDoubles(
                                    ElementType::kPred, {1}, {})),
                                Caller::Here()));
  static_cast<void>(z);
  TestBuilder step("step");
  const Op in = step.P("f32[]"), carry = step.P("f32[]");
  all.emplace_back(step.Build(step.Tuple({in, step.Add(in, carry)})));
  all.emplace_back(Module());
  all.emplace_back(
      absl::StatusOr<Module>(absl::InternalError("no computation")));
  return all;
}

// Made once: that takes longer than to play most programs.
const std::vector<Callee>& SomeCallees() {
  static const auto* const all = new std::vector<Callee>(MakeCallees());
  return *all;
}

}  // namespace

Player::Player(absl::string_view program)
    : program_(program), callees_(SomeCallees()) {
  NewBuilder();
}

uint8_t Player::Byte() {
  if (program_.empty()) return 0;
  const uint8_t byte = static_cast<uint8_t>(program_.front());
  program_.remove_prefix(1);
  return byte;
}

void Player::Push(Op op) {
  ops_.push_back(op);
  if (tally_ == nullptr) return;
  ++tally_->calls;
  tally_->valid += builder().shape(op).ok();
}

void Player::Complain(std::string complaint) {
  if (complaint_.empty()) complaint_ = std::move(complaint);
}

// --- Builders ---------------------------------------------------------------

Op Player::NewParameter(const ShapeArg& shape) {
  const Op op =
      builder().Parameter(builders_[current_].next_parameter++, shape);
  ops_.push_back(op);
  return op;
}

void Player::AddParameters() {
  for (const char* shape : {"f32[2,3]", "f32[]", "s32[]"}) NewParameter(shape);
}

void Player::NewBuilder() {
  builders_.push_back({std::make_unique<ComputationBuilder>(DrawText())});
  current_ = builders_.size() - 1;
  if (!OneIn(4)) AddParameters();
}

void Player::NewSubBuilder() {
  builders_.push_back(
      {std::make_unique<ComputationBuilder>(builder().SubBuilder(DrawText()))});
  current_ = builders_.size() - 1;
  if (!OneIn(4)) AddParameters();
}

void Player::SwitchBuilder() { current_ = Choose(builders_.size()); }

void Player::MoveBuilder() {
  builders_.push_back(
      {std::make_unique<ComputationBuilder>(std::move(builder())),
       builders_[current_].next_parameter});
  if (OneIn(2)) current_ = builders_.size() - 1;
}

void Player::AssignBuilder() {
  const size_t from = Choose(builders_.size());
  if (from == current_) return;
  builder() = std::move(*builders_[from].builder);
  builders_[current_].next_parameter = builders_[from].next_parameter;
}

void Player::DestroyBuilder() {
  const size_t gone = Choose(builders_.size());
  builders_.erase(builders_.begin() + static_cast<std::ptrdiff_t>(gone));
  current_ = 0;
  if (builders_.empty()) NewBuilder();
}

void Player::Finish() {
  // Checking is what takes time.
  if (++finished_ > 3) return;
  absl::StatusOr<Module> module =
      OneIn(3)   ? builder().Build()
      : OneIn(3) ? builder().Build(DrawOp(), DrawBuildOptions())
                 : builder().Build(DrawOp());
  builder().DiagnosticsText();
  if (!module.ok()) {
    if (module.status().code() == absl::StatusCode::kInternal &&
        module.status().message() != "no computation") {
      Complain(module.status().ToString());
    }
    return;
  }
  if (tally_ != nullptr) {
    ++tally_->modules;
    tally_->verified += VerifyModule(*module).ok();
  }
  Complain(CheckModule(*module, true));
  Complain(CheckInlined(*module));
  Complain(CheckDerivatives(*module));
  callees_.emplace_back(*std::move(module));
}

void Player::FinishCallee() {
  callees_.push_back(OneIn(3) ? builder().BuildCallee()
                              : builder().BuildCallee(DrawOp()));
}

void Player::Ask() {
  const absl::StatusOr<Shape> shape = builder().shape(DrawOp());
  if (shape.ok() && shape->is_none()) Complain("an op without a shape");
  builder().status().IgnoreError();
  builder().DiagnosticsText();
  builder().name();
}

// --- Lambdas and regions ----------------------------------------------------

void Player::PlayInside() {
  if (depth_ > 3) return;
  ++depth_;
  const std::vector<Step>& steps = BuilderSteps();
  for (size_t n = Choose(4); n > 0; --n) {
    const size_t high = Byte(), low = Byte();
    steps[(high % 2 * 256 + low) % steps.size()](*this);
  }
  --depth_;
}

void Player::PlayRegion() {
  const auto draw_region = [&] {
    if (regions_.empty()) return Region();
    std::swap(regions_[Choose(regions_.size())], regions_.back());
    Region region = std::move(regions_.back());
    regions_.pop_back();
    return region;
  };
  switch (Choose(8)) {
    case 0:
    case 1:
      regions_.push_back(builder().BeginRegion(
          DrawText(), DrawList<Shape>([&] { return DrawShape(); }),
          static_cast<CaptureForm>(Choose(4))));
      for (const Op op : regions_.back().arguments()) ops_.push_back(op);
      return;
    case 2:
      if (!regions_.empty()) {
        Push(builder().AddArgument(&regions_.back(), DrawShape()));
      }
      return;
    case 3:
    case 4:
      if (!regions_.empty()) {
        Region& region = regions_[Choose(regions_.size())];
        builder().EndRegion(&region, DrawList<Op>([&] { return DrawOp(); }));
      }
      return;
    case 5: {
      const std::vector<Op> init = DrawList<Op>([&] { return DrawOp(); });
      Region condition = draw_region();
      for (const Op op :
           builder().While(init, std::move(condition), draw_region())) {
        ops_.push_back(op);
      }
      return;
    }
    case 6: {
      Region on_true = draw_region();
      const Op predicate = DrawOp();
      for (const Op op : builder().Conditional(predicate, std::move(on_true),
                                               draw_region())) {
        ops_.push_back(op);
      }
      return;
    }
    default:
      if (OneIn(2)) {
        const Region dropped = draw_region();
      } else if (OneIn(2)) {
        callees_.push_back(builder().CalleeOf(draw_region()));
      } else {
        for (const Op op : builder().Call(draw_region(), {DrawOp()})) {
          ops_.push_back(op);
        }
      }
  }
}

}  // namespace indim
