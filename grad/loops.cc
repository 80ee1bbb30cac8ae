// SPDX-License-Identifier: Apache-2.0
// The derivative of while. Forward: the state carries tangents too. Reverse:
// the loop counts its steps, and keeps what its transpose needs of each on
// stacks, as LoopMemory says; a second loop runs from the last step to the
// first.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "indim/grad/emit.h"
#include "indim/grad/linearizer.h"
#include "indim/grad/loop_state.h"
#include "indim/grad/loop_writes.h"
#include "indim/grad/rules.h"
#include "indim/grad/split.h"
#include "indim/grad/stacks.h"
#include "indim/passes/cost/trip_count.h"
#include "indim/shape/fixes/call_language.h"
#include "indim/shape/types/shape_parts.h"

namespace indim::internal {
namespace {

absl::Status Forward(Primal& node, const ActiveState& active) {
  ComputationBuilder& b = node.b();
  const LoopState state(node.node());
  const Shape shape = state.With(active.shapes);
  ComputationBuilder body = b.SubBuilder("body");
  const Op given = body.Parameter(0, shape);
  Traced inner{state.Old(body, given), TangentLeaves(node.tangents(0).size())};
  for (size_t i = 0; i < active.leaves.size(); ++i) {
    inner.tangents[active.leaves[i]] =
        body.GetTupleElement(given, state.size() + static_cast<int64_t>(i));
  }
  ActiveLeaves wanted(inner.tangents.size());
  for (const size_t leaf : active.leaves) wanted[leaf] = true;
  Tape tape(&body, Tape::Mode::kForward);
  absl::StatusOr<Traced> next =
      Linearizer(&node.context(), &tape, node.SiteOf(0))
          .Run(node.node().callee(0), {inner}, {}, &wanted);
  if (!next.ok()) return next.status();
  std::vector<Op> results = state.Next(body, next->value, given);
  std::vector<Op> init = state.Parts(b, node.x(0));
  for (size_t i = 0; i < active.leaves.size(); ++i) {
    const size_t leaf = active.leaves[i];
    results.push_back(tape.OrZeros(next->tangents[leaf], active.shapes[i]));
    init.push_back(
        node.tape().OrZeros(node.tangents(0)[leaf], active.shapes[i]));
  }
  ComputationBuilder condition = b.SubBuilder("condition");
  const Op old_state = state.Old(condition, condition.Parameter(0, shape));
  const Callee more = condition.BuildCallee(CopyComputation(
      &condition, node.node().callee(1), {old_state}, &node.context().copies));
  const Op all =
      b.While(more, body.BuildCallee(body.Tuple(results)), b.Tuple(init));
  Traced traced{state.Old(b, all), TangentLeaves(node.tangents(0).size())};
  for (size_t i = 0; i < active.leaves.size(); ++i) {
    traced.tangents[active.leaves[i]] =
        b.GetTupleElement(all, state.size() + static_cast<int64_t>(i));
  }
  node.Set(std::move(traced));
  return absl::OkStatus();
}

// --- Reverse -----------------------------------------------------------------

// What a loop that runs forward leaves behind.
struct Steps {
  Op state;  // the old state
  Op count;  // of its steps
  std::vector<Op> stacks;
};

// What is the same in all that is written for one while. A copy of it lives
// until the transpose is written.
struct ReverseLoop {
  Instruction loop;
  LoopState state;
  LoopMemory memory;
  std::optional<int64_t> count;  // how often it runs, if that is known
  int64_t capacity = 0;          // of the stacks
  GradientContext* context = nullptr;
  std::shared_ptr<SplitComputation> step;
  ActiveState active;

  // What a step back has beside what is kept: the known elements of the state,
  // by number, and cotangents that don't change, by active leaf.
  struct Common {
    std::vector<Op> known;
    std::vector<Op> cotangents;
  };
  static constexpr auto kWrittenOut = SplitComputation::Runs::kWrittenOut;

  // A step forward: from the state to the next one, and what is kept.
  using Step = std::function<Op(ComputationBuilder&, Op, Op, std::vector<Op>*)>;

  // Runs from `start` on, until the loop's condition fails (`own`) and for no
  // more than `limit` steps, if there is one. `kept` are the types of what is
  // kept of each step, on stacks of `size`.
  Steps Run(ComputationBuilder& b, Op start, bool own, const Op* limit,
            const std::vector<Shape>& kept, int64_t size, const Step& forward,
            bool by_segment = false) const {
    std::vector<Op> init = state.Parts(b, start);
    const int64_t counter = by_segment ? -1 : state.CountingElement(b, init);
    const int64_t number = counter < 0 ? state.size() : counter;
    if (counter < 0) init.push_back(ConstantSteps(b, 0));
    const auto first = static_cast<int64_t>(init.size());
    for (const Shape& part : kept) {
      init.push_back(b.Splat(0, StackOf(part, size)));
    }
    const auto end = static_cast<int64_t>(init.size());
    const bool is_carried = limit != nullptr && !ScalarConstant(b, *limit);
    if (is_carried) init.push_back(*limit);
    const Shape shape = TupleShapeOf(b, init);
    ComputationBuilder condition = b.SubBuilder("condition");
    const Op tested = condition.Parameter(0, shape);
    std::optional<Op> more;
    if (limit != nullptr) {
      more = condition.Lt(condition.GetTupleElement(tested, number),
                          is_carried
                              ? condition.GetTupleElement(tested, end)
                              : condition.ConstantLiteral(*b.literal(*limit)));
    }
    if (own) {
      const Op old = state.Old(condition, tested);
      const Op holds =
          CopyComputation(&condition, loop.callee(1), {old}, &context->copies);
      more = more ? condition.And(*more, holds) : holds;
    }
    ComputationBuilder body = b.SubBuilder("body");
    const Op given = body.Parameter(0, shape);
    const Op k = body.GetTupleElement(given, number);
    std::vector<Op> values;
    const Op next = forward(body, state.Old(body, given), k, &values);
    std::vector<Op> results = state.Next(body, next, given);
    if (counter < 0) results.push_back(body.Add(k, ConstantSteps(body, 1)));
    for (size_t i = 0; i < kept.size(); ++i) {
      results.push_back(body.DynamicUpdateSlice(
          body.GetTupleElement(given, first + static_cast<int64_t>(i)),
          ReshapeTo(body, values[i], StackOf(kept[i], 1)),
          StackStarts(body, k, kept[i].rank())));
    }
    if (is_carried) results.push_back(body.GetTupleElement(given, end));
    const Op last =
        b.While(condition.BuildCallee(*more),
                body.BuildCallee(body.Tuple(results)), b.Tuple(init));
    Steps steps{state.Old(b, last), b.GetTupleElement(last, number), {}};
    steps.stacks = ElementsFrom(b, last, first);
    steps.stacks.resize(kept.size());
    return steps;
  }

  // Steps that keep nothing, the residuals, or the state.
  Step Plain() const {
    return [this](ComputationBuilder& b, Op old, Op, std::vector<Op>*) {
      return CopyComputation(&b, loop.callee(0), {old}, &context->copies);
    };
  }
  Step KeepingResiduals() const {
    return [this](ComputationBuilder& b, Op old, Op, std::vector<Op>* kept) {
      return step->RunForward(b, {old}, kWrittenOut, kept);
    };
  }
  Step KeepingState() const {
    return [this](ComputationBuilder& b, Op old, Op k, std::vector<Op>* kept) {
      *kept = state.Changing(b, old);
      return Plain()(b, old, k, nullptr);
    };
  }
  // A run of steps as one, which keeps the state before it and its length.
  int64_t SegmentLength() const {
    return static_cast<int64_t>(
        std::ceil(std::sqrt(static_cast<double>(capacity))));
  }
  int64_t SegmentCount() const {
    return (capacity + SegmentLength() - 1) / SegmentLength();
  }
  Step Segment() const {
    return [this](ComputationBuilder& b, Op old, Op k, std::vector<Op>* kept) {
      *kept = state.Changing(b, old);
      Op limit = ConstantSteps(b, SegmentLength());
      if (count) {
        limit = b.Min(limit, b.Sub(ConstantSteps(b, *count), b.Mul(k, limit)));
      }
      const Steps steps = Run(b, old, !count, &limit, {}, 0, Plain());
      kept->push_back(steps.count);
      return steps.state;
    };
  }

  Steps Forward(ComputationBuilder& b, Op start) const {
    const Op limit =
        ConstantSteps(b, memory == LoopMemory::kSegments ? SegmentCount()
                                                         : count.value_or(0));
    const bool own = !count;
    const Op* const most = own ? nullptr : &limit;
    std::vector<Shape> states;
    if (memory == LoopMemory::kStates || memory == LoopMemory::kSegments) {
      for (const Op leaf : state.Changing(b, start)) {
        states.push_back(ShapeIn(b, leaf));
      }
    }
    switch (memory) {
      case LoopMemory::kNothing:
        return Run(b, start, own, most, {}, 0, Plain());
      case LoopMemory::kStates:
        return Run(b, start, own, most, states, capacity, KeepingState());
      case LoopMemory::kSegments:
        states.push_back(Shape::Scalar(ElementType::kS64));
        return Run(b, start, own, most, states, SegmentCount(), Segment(),
                   /*by_segment=*/true);
      case LoopMemory::kResiduals:
        break;
    }
    return Run(b, start, own, most, step->kept_shapes(), capacity,
               KeepingResiduals());
  }

  // How many steps (or segments) there is room for.
  int64_t Room() const {
    return memory == LoopMemory::kSegments ? SegmentCount() : capacity;
  }

  // A step back, from the residuals of the step.
  std::vector<Op> Back(ComputationBuilder& b, absl::Span<const Op> cotangents,
                       absl::Span<const Op> kept, const Common& common) const {
    std::vector<Op> all = common.cotangents;
    size_t next = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      if (active.cotangents[i] == ActiveState::kChanged) {
        all[i] = cotangents[next++];
      }
    }
    const auto given = [&](int64_t i) {
      return common.known[static_cast<size_t>(i)];
    };
    return step->RunBackward(b, all, kept, given, kWrittenOut);
  }
  // The same from the state before it.
  std::vector<Op> BackFrom(ComputationBuilder& b, Op old,
                           absl::Span<const Op> cotangents,
                           const Common& common) const {
    std::vector<Op> kept;
    step->RunForward(b, {old}, kWrittenOut, &kept);
    return Back(b, cotangents, kept, common);
  }
  // The elements of the state at the start that the steps back need.
  std::vector<int64_t> StartsNeeded() const {
    std::vector<int64_t> needed;
    if (memory == LoopMemory::kResiduals) {
      for (const SplitComputation::Source& source : step->sources()) {
        if (!source.is_kept) needed.push_back(source.index);
      }
    } else if (memory != LoopMemory::kNothing) {
      needed = state.known();
    } else {
      for (int64_t i = 0; i < state.size(); ++i) needed.push_back(i);
    }
    return needed;
  }
  // All steps back. StartsNeeded() stand first in `others`, then cotangents
  // that are read, then the stacks.
  std::vector<Op> Backward(ComputationBuilder& b, Op last,
                           absl::Span<const Op> cotangents,
                           absl::Span<const Op> others,
                           LoopMemory kept_are) const {
    const std::vector<int64_t> needed = StartsNeeded();
    const auto written = static_cast<size_t>(
        absl::c_count(active.cotangents, ActiveState::kRead));
    const size_t in_common = needed.size() + written;
    return RunBackwards(
        b, last, cotangents, others,
        [&](ComputationBuilder& body, Op k, absl::Span<const Op> given,
            absl::Span<const Op> all) -> std::vector<Op> {
          std::vector<Op> start(static_cast<size_t>(state.size()));
          for (size_t i = 0; i < needed.size(); ++i) {
            start[static_cast<size_t>(needed[i])] = all[i];
          }
          Common common{
              state.KnownIn(
                  body, start, k,
                  kept_are == LoopMemory::kSegments ? SegmentLength() : 1),
              {}};
          const auto same = all.subspan(0, in_common);
          size_t next = needed.size();
          for (size_t i = 0; i < active.leaves.size(); ++i) {
            common.cotangents.push_back(
                active.cotangents[i] == ActiveState::kRead ? same[next++]
                : active.cotangents[i] == ActiveState::kZero
                    ? body.Splat(0, active.shapes[i])
                    : Op());
          }
          std::vector<Op> kept = Unstacked(body, all.subspan(in_common), k);
          switch (kept_are) {
            case LoopMemory::kResiduals:
              return Back(body, given, kept, common);
            case LoopMemory::kStates:
              return BackFrom(body, state.With(body, kept, common.known), given,
                              common);
            case LoopMemory::kNothing:
              return BackFrom(
                  body,
                  Run(body, state.Whole(body, start), false, &k, {}, 0, Plain())
                      .state,
                  given, common);
            case LoopMemory::kSegments:
              break;
          }
          const Op length = kept.back();
          kept.pop_back();
          const Steps again =
              Run(body, state.With(body, kept, common.known), false, &length,
                  step->kept_shapes(), SegmentLength(), KeepingResiduals());
          std::vector<Op> inner(same.begin(), same.end());
          for (size_t i = 0; i < needed.size(); ++i) {
            inner[i] = common.known[static_cast<size_t>(needed[i])];
          }
          inner.insert(inner.end(), again.stacks.begin(), again.stacks.end());
          return Backward(body, body.Sub(length, ConstantSteps(body, 1)), given,
                          inner, LoopMemory::kResiduals);
        });
  }
};

absl::Status CheckMemory(const Primal& node, const ReverseLoop& loop) {
  if (loop.memory != LoopMemory::kResiduals &&
      node.context().CantRunTwice(node.node().callee(0))) {
    return node.Refuse(
        "its body would run twice, and it draws random numbers, moves data or "
        "has side effects",
        "keep the residuals of its steps (LoopMemory::kResiduals)");
  }
  std::vector<Shape> kept = loop.step->kept_shapes();
  if (loop.memory == LoopMemory::kStates ||
      loop.memory == LoopMemory::kSegments) {
    kept = LeafShapes(node.shape());
  }
  for (const Shape& shape : kept) {
    if (!shape.is_array()) {
      return node.Refuse(absl::StrCat(
          "its steps would have to keep a value of ", shape.ToString()));
    }
  }
  return absl::OkStatus();
}

// Finds the arrays that the loop writes slice by slice, and whose start has no
// tangent or doesn't matter: the slice of a step has the cotangent that it has
// behind the loop, so no step has to clear it.
void FindWritten(const Primal& node, ReverseLoop* loop) {
  ActiveState& active = loop->active;
  active.cotangents.assign(active.leaves.size(), ActiveState::kChanged);
  const CallChain body{node.node(), 0, node.linearizer().site()};
  int64_t budget =
      (int64_t{1} << 16) + 16 * node.node().callee(0).instruction_count();
  const bool is_bounded = loop->count || loop->memory != LoopMemory::kNothing;
  if (!node.shape().is_tuple() || !is_bounded) return;
  for (size_t i = 0; i < active.leaves.size(); ++i) {
    const size_t leaf = active.leaves[i];
    const int64_t element = loop->state.ElementWith(leaf);
    if (!loop->state.element(element).is_array() ||
        loop->state.is_handed_on(element)) {
      continue;
    }
    const LoopWrites writes = WritesOf(&body, element, loop->capacity, &budget);
    if ((writes == LoopWrites::kAll && loop->count) ||
        (writes != LoopWrites::kOther && !node.tangents(0)[leaf])) {
      active.cotangents[i] = ActiveState::kRead;
    }
  }
}

// The cotangents of the loop's start from those of its result, by active leaf.
// `starts` and what `steps` kept are values of the primal builder.
std::vector<Tangent> TransposeSteps(ReverseLoop loop,
                                    const std::vector<Op>& starts,
                                    const Steps& steps,
                                    ComputationBuilder* builder,
                                    const std::function<Op(Op)>& value_of,
                                    absl::Span<const Tangent> given) {
  ActiveState& state = loop.active;
  std::vector<Op> others, cotangents;
  for (const Op value : starts) others.push_back(value_of(value));
  for (size_t i = 0; i < given.size(); ++i) {
    if (state.cotangents[i] == ActiveState::kChanged) {
      cotangents.push_back(given[i] ? *given[i]
                                    : builder->Splat(0, state.shapes[i]));
    } else if (given[i]) {
      others.push_back(*given[i]);
    } else {
      state.cotangents[i] = ActiveState::kZero;
    }
  }
  for (const Op stack : steps.stacks) others.push_back(value_of(stack));
  const Op last = loop.count ? ConstantSteps(*builder, loop.Room() - 1)
                             : builder->Sub(value_of(steps.count),
                                            ConstantSteps(*builder, 1));
  const std::vector<Op> gradients =
      loop.Backward(*builder, last, cotangents, others, loop.memory);
  std::vector<Tangent> all(given.size());
  size_t next = 0;
  for (size_t i = 0; i < given.size(); ++i) {
    if (state.cotangents[i] != ActiveState::kChanged) continue;
    Op g = gradients[next++];
    if (!loop.count && loop.memory != LoopMemory::kNothing) {
      // More steps than there is room for.
      const Op nan = builder->Splat(std::nan(""), state.shapes[i]);
      g = builder->Select(
          builder->Lt(last, ConstantSteps(*builder, loop.Room())), g, nan);
    }
    all[i] = g;
  }
  return all;
}

absl::Status Reverse(Primal& node, ReverseLoop loop) {
  ComputationBuilder& b = node.b();
  const ActiveState& active = loop.active;
  FindWritten(node, &loop);
  ActiveLeaves wanted(node.tangents(0).size(), false);
  ActiveLeaves arguments = wanted;
  for (size_t i = 0; i < active.leaves.size(); ++i) {
    wanted[active.leaves[i]] = true;
    arguments[active.leaves[i]] = active.cotangents[i] == ActiveState::kChanged;
  }
  loop.step = std::make_shared<SplitComputation>(&b, node.node().callee(0),
                                                 &loop.state.known());
  absl::Status recorded =
      loop.step->Record(&node.context(), node.SiteOf(0), arguments, wanted);
  if (!recorded.ok()) return recorded;
  if (absl::Status s = CheckMemory(node, loop); !s.ok()) return s;
  const Op start = node.x(0);
  const Steps steps = loop.Forward(b, start);
  std::vector<Op> starts;
  const std::vector<Op> parts = loop.state.Parts(b, start);
  for (const int64_t i : loop.StartsNeeded()) {
    starts.push_back(parts[static_cast<size_t>(i)]);
  }
  LinearFunction function;
  function.transpose = [loop, starts, steps](
                           ComputationBuilder* builder,
                           const std::function<Op(Op)>& value_of,
                           absl::Span<const Tangent> given) {
    return TransposeSteps(loop, starts, steps, builder, value_of, given);
  };
  std::vector<Tangent> given;
  for (const size_t leaf : active.leaves) {
    given.push_back(node.tangents(0)[leaf]);
  }
  Traced traced{steps.state, TangentLeaves(wanted.size())};
  const std::vector<Tangent> results =
      node.tape().Apply(std::move(function), given, active.shapes);
  for (size_t i = 0; i < active.leaves.size(); ++i) {
    traced.tangents[active.leaves[i]] = results[i];
  }
  node.Set(std::move(traced));
  return absl::OkStatus();
}

// The most steps of a loop that may end earlier for which stacks are made
// unasked: a limit that only keeps a counter in its type is no length.
constexpr int64_t kMostSteps = int64_t{1} << 20;

// For how many steps stacks are made; 0: it isn't known.
int64_t CapacityOf(const std::optional<Trips>& trips, int64_t bound) {
  if (trips && trips->is_exact) return trips->most;
  if (bound > 0) return trips ? std::min(bound, trips->most) : bound;
  return trips && trips->most <= kMostSteps ? trips->most : 0;
}

}  // namespace

absl::Status TangentWhile(Primal& node) {
  const ActiveState active = ActiveStateOf(node);
  if (node.tape().is_forward()) return Forward(node, active);
  const GradientOptions& options = node.context().options;
  ReverseLoop loop{node.node(), LoopState(node.node()), options.loops, {},
                   0,           &node.context(),        nullptr,       active};
  const auto is_handed_on = [&](size_t leaf) {
    return loop.state.is_handed_on(loop.state.ElementWith(leaf));
  };
  if (absl::c_all_of(active.leaves, is_handed_on)) {
    node.Set({CopyInstruction(&node.b(), node.node(), {node.x(0)},
                              &node.context().copies),
              node.tangents(0)});
    return absl::OkStatus();
  }
  const std::optional<Trips> trips =
      TripsOf(node.node(), node.linearizer().site());
  if (trips && trips->is_exact) loop.count = trips->most;
  if (loop.count == 0) {
    node.Set(node.traced(0));
    return absl::OkStatus();
  }
  loop.capacity = CapacityOf(trips, options.loop_bound);
  if (loop.capacity <= 0 && loop.memory != LoopMemory::kNothing) {
    return node.Refuse(
        "how often the loop runs isn't known before it runs",
        absl::StrCat(
            "count by a constant step to a constant bound; or say how often it "
            "runs at most (",
            SettingText(Setting::kLoopBound),
            "); or compute the state of each step from the start (",
            SettingText(Setting::kLoopsOfNothing),
            ", in quadratic time); or use ", SettingText(Setting::kForward)));
  }
  return Reverse(node, std::move(loop));
}

}  // namespace indim::internal
