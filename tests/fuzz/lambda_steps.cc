// SPDX-License-Identifier: Apache-2.0
// The calls of ComputationBuilder with lambdas and regions. A lambda plays
// further steps, and gives any op that it finds.

#include <utility>
#include <vector>

#include "indim/tests/fuzz/player.h"

namespace indim {
namespace {

using Ops = std::vector<Op>;

void PlayLoops(Player& p) {
  const auto body = [&](Op i, Op state) {
    p.Push(i);
    p.Push(state);
    p.PlayInside();
    return p.OneIn(2) ? state : p.DrawOp();
  };
  const Op init = p.DrawOp();
  switch (p.Choose(4)) {
    case 0:
      return p.Push(p.builder().ForLoop(3, init, body));
    case 1:
      return p.Push(p.builder().ForLoop(p.DrawOp(), init, body));
    case 2: {
      const auto [last, out] =
          p.builder().Scan(init, p.DrawOp(), [&](Op carry, Op element) {
            return std::pair(body(element, carry), p.DrawOp());
          });
      p.Push(last);
      return p.Push(out);
    }
    default: {
      const Ops state = Draw(p, Tag<Ops>());
      const Ops last = p.builder().While(
          state,
          [&](const Ops& s) {
            for (const Op op : s) p.Push(op);
            p.PlayInside();
            return p.DrawOp();
          },
          [&](Ops s) {
            for (const Op op : s) p.Push(op);
            p.PlayInside();
            if (!s.empty() && p.OneIn(2)) s[0] = p.DrawOp();
            return s;
          });
      for (const Op op : last) p.Push(op);
    }
  }
}

void PlayBranches(Player& p) {
  const auto branch = [&] {
    p.PlayInside();
    return p.DrawOp();
  };
  switch (p.Choose(3)) {
    case 0:
      return p.Push(p.builder().Conditional(p.DrawOp(), branch, branch));
    case 1:
      return p.Push(p.builder().Conditional(
          p.DrawOp(), std::vector<std::function<Op()>>(p.Choose(4), branch)));
    default:
      return p.Push(p.builder().Call(p.DrawText(), p.DrawOp(), [&](Op x) {
        p.Push(x);
        return branch();
      }));
  }
}

void PlayFolds(Player& p) {
  const auto fold = [&](Op a, Op b) {
    p.Push(a);
    p.Push(b);
    p.PlayInside();
    return p.OneIn(2) ? p.builder().Add(a, b) : p.DrawOp();
  };
  const Op x = p.DrawOp();
  switch (p.Choose(6)) {
    case 0:
      return p.Push(
          p.builder().Reduce(x, Draw(p, Tag<Operand>()), fold, p.DrawDims()));
    case 1:
      return p.Push(p.builder().Map({x, p.DrawOp()}, fold));
    case 2:
      return p.Push(p.builder().Sort(
          x, [&](Op a, Op b) { return p.builder().Lt(a, fold(a, b)); }));
    case 3:
      return p.Push(p.builder().Reduce(x, static_cast<ReduceKind>(p.Choose(7)),
                                       Argument<DimsArg>(p).get()));
    case 4:
      return p.Push(p.builder().AllReduce(x, fold));
    default:
      for (const Op op : p.builder().Reduce(
               Draw(p, Tag<Ops>()), Draw(p, Tag<Ops>()),
               [&](absl::Span<const Op> s) {
                 const Ops scalars(s.begin(), s.end());
                 p.PlayInside();
                 return p.OneIn(2) ? scalars : Draw(p, Tag<Ops>());
               },
               p.DrawDims())) {
        p.Push(op);
      }
  }
}

}  // namespace

void AddLambdas(std::vector<Step>* all) {
  for (int i = 0; i < 3; ++i) {
    all->push_back(PlayLoops);
    all->push_back(PlayBranches);
    all->push_back(PlayFolds);
    all->push_back([](Player& p) { p.PlayRegion(); });
  }
}

}  // namespace indim
