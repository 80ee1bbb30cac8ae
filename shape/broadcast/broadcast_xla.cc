// SPDX-License-Identifier: Apache-2.0
// BroadcastRule::kXla: the answers of XLA's builder for two ranked arrays.
//
// Two stages, as in XLA. Shape inference: equal ranks stretch dims of size 1;
// unequal ranks first lay the lower one on the other ("InDim"), then stretch.
// Then the builder emits the broadcasts, which can fail as well:
//
//   no dim unknown    an operand's dim that isn't the result's must be a static
//                     1 (`<=1` can't stretch, although inference accepts it)
//   some dim unknown  If one operand is a scalar, all is well. If the sizes
//                     agree (`?` agrees with anything), the builder emits
//                     nothing, so even 1 with ? must be equal at run time. Else
//                     it stretches both operands at run time and places them at
//                     the result's LAST dims, whatever broadcast_dimensions say
//
// XLA has no intervals (`2..5`) and no symbols (`n`): dims that meet one follow
// the arithmetic of kNumpy, and the second stage is left out.
// Source: XLA's ShapeInference and XlaBuilder; docs/broadcasting.md has the
// tables.

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "indim/shape/broadcast/broadcast_internal.h"

namespace indim::broadcast_internal {
namespace {

using Kind = Condition::Kind;

// XLA keeps a size and a flag: `<=3` is 3 and dynamic, `?` a negative number
// and dynamic. Most of its tests compare only the sizes.
int64_t RawSize(Dim dim) { return dim.is_unknown() ? -1 : dim.upper(); }
bool IsDynamic(Dim dim) { return !dim.is_static(); }
bool SameRawSize(Dim a, Dim b) { return RawSize(a) == RawSize(b); }

// How XLA's builder emits the broadcast.
enum class Emission {
  kStatic,   // no dim is unknown
  kNothing,  // some dim is unknown, but sizes agree: nothing is emitted
  kRuntime,  // both operands stretch at run time
  kNotXla,   // some dim is not XLA's (2..5, n), so XLA has no answer
};

Emission EmissionOf(const Shape& lhs, const Shape& rhs) {
  bool unknown = false;
  for (const Shape* shape : {&lhs, &rhs}) {
    for (const Dim dim : shape->dims()) {
      if (!dim.is_xla()) return Emission::kNotXla;
      unknown |= dim.is_unknown();
    }
  }
  if (!unknown) return Emission::kStatic;
  if (lhs.rank() != rhs.rank()) return Emission::kRuntime;
  for (int i = 0; i < lhs.rank(); ++i) {
    const Dim a = lhs.dim(i), b = rhs.dim(i);
    if (!SameRawSize(a, b) && !a.is_unknown() && !b.is_unknown()) {
      return Emission::kRuntime;
    }
  }
  return Emission::kNothing;
}

// Whether XLA's inference stops before the dims of size 1: all sizes agree and
// no dim is unknown. Only then `<=1` with 1 gives the same in both orders.
bool SameSizes(const Shape& lhs, const Shape& rhs) {
  if (lhs.rank() != rhs.rank()) return false;
  for (int i = 0; i < lhs.rank(); ++i) {
    const Dim a = lhs.dim(i), b = rhs.dim(i);
    if (!a.is_xla() || !b.is_xla() || a.is_unknown() || b.is_unknown() ||
        !SameRawSize(a, b)) {
      return false;
    }
  }
  return true;
}

Dim EitherDynamic(Dim a, Dim b) { return IsDynamic(a) ? a : b; }

SizeMeet Meet(Dim a, Dim b) {
  SizeMeet meet;
  meet.Add({0, 0}, a, true);
  meet.Add({1, 0}, b, true);
  return meet;
}

// The dim that XLA infers for dims at one place; nullopt: it refuses.
std::optional<Dim> Degenerate(Dim a, Dim b) {
  if (!a.is_xla() || !b.is_xla()) {
    const SizeMeet meet = Meet(a, b);
    if (!meet.possible()) return std::nullopt;
    return meet.result();
  }
  if (RawSize(a) == 1) return b;
  if (RawSize(b) == 1) return a;
  if (SameRawSize(a, b)) return EitherDynamic(a, b);
  if (a.is_unknown()) return b;
  if (b.is_unknown()) return a;
  return std::nullopt;
}

// kNone if XLA lays dim `small` of the lower rank on dim `large` of the higher,
// else the code of what is wrong. `?` is no wildcard here.
Code CheckInDim(Dim small, Dim large) {
  if (!small.is_xla() || !large.is_xla()) {
    return Meet(small, large).possible() ? Code::kNone : Code::kDimsDiffer;
  }
  const bool same = SameRawSize(small, large);
  if (!same && RawSize(small) != 1 && RawSize(large) != 1) {
    return small.is_unknown() || large.is_unknown() ? Code::kXlaUnknownInDim
                                                    : Code::kDimsDiffer;
  }
  if (IsDynamic(small) != IsDynamic(large) && !same && !small.is(1) &&
      !large.is(1)) {
    return Code::kXlaBoundedWithStatic;
  }
  return Code::kNone;
}

// Whether a dim can become the result's when no dim is unknown.
bool CanStretch(Dim dim, Dim result) {
  return SameRawSize(dim, result) || dim.is(1);
}

// Appends the run-time conditions for `a` and `b`, which gave `result`.
void AddConditions(Emission emission, DimRef a_ref, Dim a, DimRef b_ref, Dim b,
                   Dim result, int result_dim,
                   std::vector<Condition>* conditions) {
  if (a.is_unknown() && b.is_bounded()) {
    std::swap(a_ref, b_ref);
    std::swap(a, b);
  }
  if (emission == Emission::kNothing && (a.is_unknown() || b.is_unknown())) {
    // The builder emits nothing, so the sizes must be equal; a 1 doesn't
    // stretch.
    if (a.is_static()) {
      conditions->push_back({Kind::kEqual, b_ref, a});
    } else if (b.is_static()) {
      conditions->push_back({Kind::kEqual, a_ref, b});
    } else {
      conditions->push_back({Kind::kEqual, a_ref, b_ref});
    }
    return;
  }
  if (a.is_bounded() && b.is_unknown() && result == a) {
    // a must not stretch: stretched to b, it could pass its bound.
    conditions->push_back({Kind::kOneOrEqual, b_ref, a_ref});
    return;
  }
  if (((a.is_bounded() && b.is_static()) ||
       (a.is_static() && b.is_bounded())) &&
      a.upper() == b.upper()) {
    // n with <=n: the static operand is not narrowed, so the other must be
    // full. `<=1` with 1 may be 0, unless XLA's result is 1.
    const int64_t size = a.upper();
    if (size == 0 || (size == 1 && result.is_bounded())) return;
    conditions->push_back(
        {Kind::kEqual, a.is_bounded() ? a_ref : b_ref, Dim::Static(size)});
    return;
  }
  SizeMeet meet;
  meet.Add(a_ref, a, true);
  meet.Add(b_ref, b, true);
  meet.AddCondition(a_ref, a, true, {-1, result_dim}, conditions);
  meet.AddCondition(b_ref, b, true, {-1, result_dim}, conditions);
}

// One attempt to match lhs and rhs. On failure `problem` holds the reason.
class Attempt {
 public:
  Attempt(const Shape& lhs, const Shape& rhs, BroadcastPlan* plan,
          Diagnostic* problem)
      : shapes_{&lhs, &rhs}, plan_(*plan), problem_(*problem) {
    *plan = BroadcastPlan();
    *problem = Diagnostic();
    plan->operands.resize(2);
    emission_ = EmissionOf(lhs, rhs);
  }

  bool EqualRanks(const DimIndices& dimensions);
  bool ScalarWithArray(int scalar);
  // `small` is the operand of lower rank.
  bool InDim(int small, const DimIndices& dimensions);

 private:
  bool Fail(Code code, int operand, int other,
            std::initializer_list<int64_t> args = {}) {
    problem_.code = code;
    problem_.operand = operand;
    problem_.other_operand = other;
    problem_.args.assign(args.begin(), args.end());
    return false;
  }
  bool FailAt(Code code, DimRef a, DimRef b) {
    problem_ = DimDiagnostic(code, a, b);
    return false;
  }
  bool CheckInDimDimensions(int small, const DimIndices& dimensions);
  bool CheckEmission();
  bool CheckStaticEmission(int operand);
  bool CheckRuntimeEmission(int operand);
  void Identity(int operand) {
    plan_.operands[operand].resize(shapes_[operand]->rank());
    std::iota(plan_.operands[operand].begin(), plan_.operands[operand].end(),
              0);
  }

  const Shape* const shapes_[2];
  BroadcastPlan& plan_;
  Diagnostic& problem_;
  Emission emission_;
};

bool Attempt::EqualRanks(const DimIndices& dimensions) {
  const Shape& lhs = *shapes_[0];
  const Shape& rhs = *shapes_[1];
  const int64_t rank = lhs.rank();
  bool identity =
      dimensions.empty() || dimensions.size() == static_cast<size_t>(rank);
  for (size_t i = 0; identity && i < dimensions.size(); ++i) {
    identity = dimensions[i] == static_cast<int64_t>(i);
  }
  if (!identity) return Fail(Code::kBroadcastDimsOnEqualRanks, 0, 1, {rank});
  const bool same_sizes = SameSizes(lhs, rhs);
  for (int i = 0; i < rank; ++i) {
    const Dim a = lhs.dim(i), b = rhs.dim(i);
    const std::optional<Dim> dim =
        same_sizes ? EitherDynamic(a, b) : Degenerate(a, b);
    if (!dim) {
      return FailAt(a.is_bounded() || b.is_bounded()
                        ? Code::kXlaBoundedWithStatic
                        : Code::kDimsDiffer,
                    {0, i}, {1, i});
    }
    plan_.dims.push_back(*dim);
    AddConditions(emission_, {0, i}, a, {1, i}, b, *dim, i, &plan_.conditions);
  }
  Identity(0);
  Identity(1);
  return CheckEmission();
}

bool Attempt::ScalarWithArray(int scalar) {
  const Shape& other = *shapes_[1 - scalar];
  plan_.dims.assign(other.dims().begin(), other.dims().end());
  Identity(1 - scalar);
  return true;
}

bool Attempt::CheckInDimDimensions(int small, const DimIndices& dimensions) {
  const int64_t small_rank = shapes_[small]->rank();
  const int64_t large_rank = shapes_[1 - small]->rank();
  const int64_t count = static_cast<int64_t>(dimensions.size());
  if (count == 0 && small_rank > 0) return Fail(Code::kRanksDiffer, 0, 1);
  if (count != small_rank) {
    return Fail(Code::kBroadcastDimsCount, small, 1 - small,
                {count, small_rank});
  }
  for (int64_t i = 0; i < count; ++i) {
    const int64_t d = dimensions[i];
    if (d < 0 || d >= large_rank) {
      return Fail(Code::kBroadcastDimsRange, small, 1 - small,
                  {i, d, large_rank - 1});
    }
    if (i > 0 && d <= dimensions[i - 1]) {
      return Fail(Code::kBroadcastDimsIncreasing, small, 1 - small,
                  {i, d, dimensions[i - 1]});
    }
  }
  return true;
}

bool Attempt::InDim(int small, const DimIndices& dimensions) {
  if (!CheckInDimDimensions(small, dimensions)) return false;
  if (shapes_[small]->is_scalar()) return ScalarWithArray(small);
  const int large = 1 - small;
  plan_.dims.assign(shapes_[large]->dims().begin(),
                    shapes_[large]->dims().end());
  Identity(large);
  for (size_t k = 0; k < dimensions.size(); ++k) {
    const DimRef a_ref{small, static_cast<int32_t>(k)};
    const DimRef b_ref{large, static_cast<int32_t>(dimensions[k])};
    const Dim a = shapes_[small]->dim(a_ref.dim);
    const Dim b = shapes_[large]->dim(b_ref.dim);
    const Code code = CheckInDim(a, b);
    if (code != Code::kNone) return FailAt(code, a_ref, b_ref);
    const std::optional<Dim> dim = Degenerate(a, b);
    if (!dim) return FailAt(Code::kDimsDiffer, a_ref, b_ref);
    plan_.dims[b_ref.dim] = *dim;
    plan_.operands[small].push_back(b_ref.dim);
    AddConditions(emission_, a_ref, a, b_ref, b, *dim, b_ref.dim,
                  &plan_.conditions);
  }
  return CheckEmission();
}

bool Attempt::CheckEmission() {
  switch (emission_) {
    case Emission::kStatic:
      return CheckStaticEmission(0) && CheckStaticEmission(1);
    case Emission::kRuntime:
      return CheckRuntimeEmission(0) && CheckRuntimeEmission(1);
    case Emission::kNothing:
    case Emission::kNotXla:
      break;
  }
  return true;
}

bool Attempt::CheckStaticEmission(int operand) {
  const BroadcastPlan::DimMap& map = plan_.operands[operand];
  for (size_t i = 0; i < map.size(); ++i) {
    const Dim result = plan_.dims[map[i]];
    if (CanStretch(shapes_[operand]->dim(static_cast<int>(i)), result)) {
      continue;
    }
    Fail(Code::kXlaBoundedOneStretch, operand, 1 - operand);
    problem_.dim = static_cast<int32_t>(i);
    problem_.args = {result};
    return false;
  }
  return true;
}

bool Attempt::CheckRuntimeEmission(int operand) {
  const Shape& shape = *shapes_[operand];
  const int first = static_cast<int>(plan_.dims.size()) - shape.rank();
  for (int i = 0; i < shape.rank(); ++i) {
    const Dim dim = shape.dim(i);
    const Dim result = plan_.dims[first + i];
    if (dim.is_bounded() && dim.upper() > std::numeric_limits<int32_t>::max()) {
      Fail(Code::kXlaBoundRange, operand, -1);
      problem_.dim = i;
      return false;
    }
    if (!dim.is_unknown() && RawSize(dim) != 1 && !SameRawSize(dim, result)) {
      Fail(Code::kXlaEndMismatch, operand, 1 - operand);
      problem_.dim = i;
      problem_.args = {result};
      return false;
    }
  }
  return true;
}

// Whether broadcast_dimensions may match these two dims, regardless of others.
bool Matches(Dim small, Dim large) {
  if (CheckInDim(small, large) != Code::kNone) return false;
  const std::optional<Dim> dim = Degenerate(small, large);
  if (!dim) return false;
  if (!small.is_xla() || !large.is_xla()) return true;
  return dim->is_unknown() ||
         (CanStretch(small, *dim) && CanStretch(large, *dim));
}

// The places of small's dims, taking the first match for each from the left,
// or, `backwards`, from the right. If both directions agree, there are no other
// places.
std::optional<DimIndices> FirstMatches(const Shape& small, const Shape& large,
                                       bool backwards) {
  DimIndices places(small.rank());
  int next = 0;
  for (int k = 0; k < small.rank(); ++k) {
    const int i = backwards ? small.rank() - 1 - k : k;
    const auto place = [&] {
      return backwards ? large.rank() - 1 - next : next;
    };
    while (next < large.rank() && !Matches(small.dim(i), large.dim(place()))) {
      ++next;
    }
    if (next == large.rank()) return std::nullopt;
    places[i] = place();
    ++next;
  }
  return places;
}

// The broadcast_dimensions that work: the last dims if they do, else the only
// ones that do; nullopt if several do. Linear in the ranks.
std::optional<DimIndices> FindDimensions(const Shape& lhs, const Shape& rhs) {
  BroadcastPlan plan;
  Diagnostic problem;
  if (lhs.rank() == rhs.rank()) {
    if (!Attempt(lhs, rhs, &plan, &problem).EqualRanks({})) {
      return std::nullopt;
    }
    DimIndices identity(lhs.rank());
    std::iota(identity.begin(), identity.end(), 0);
    return identity;
  }
  const int small_index = lhs.rank() < rhs.rank() ? 0 : 1;
  const Shape& small = small_index == 0 ? lhs : rhs;
  const Shape& large = small_index == 0 ? rhs : lhs;
  const auto works = [&](const DimIndices& dimensions) {
    return Attempt(lhs, rhs, &plan, &problem).InDim(small_index, dimensions);
  };
  DimIndices last(small.rank());
  std::iota(last.begin(), last.end(), large.rank() - small.rank());
  if (works(last)) return last;
  std::optional<DimIndices> found = FirstMatches(small, large, false);
  if (!found || FirstMatches(small, large, true) != found || !works(*found)) {
    return std::nullopt;
  }
  return found;
}

// Whether XLA's builder ignores the broadcast_dimensions of the operand of
// lower rank.
bool XlaPlacesElsewhere(Emission emission, const Shape& small,
                        const BroadcastPlan& plan,
                        const BroadcastPlan::DimMap& map) {
  if (emission != Emission::kRuntime || small.is_scalar()) return false;
  return map[0] != static_cast<int32_t>(plan.dims.size() - map.size());
}

}  // namespace

bool PlanXla(const std::optional<DimIndices>& dimensions, const Shape& lhs,
             const Shape& rhs, BroadcastPlan* plan,
             std::vector<Diagnostic>* diagnostics) {
  const DimIndices none;
  const DimIndices& given = dimensions ? *dimensions : none;
  Diagnostic problem;
  Attempt attempt(lhs, rhs, plan, &problem);
  const int small = lhs.rank() < rhs.rank() ? 0 : 1;
  const bool ok = lhs.rank() == rhs.rank() ? attempt.EqualRanks(given)
                                           : attempt.InDim(small, given);
  if (!ok) {
    *plan = BroadcastPlan();
    if (lhs.rank() != rhs.rank() || !given.empty()) {
      problem.fix_broadcast_dimensions = FindDimensions(lhs, rhs);
    }
    diagnostics->push_back(std::move(problem));
    return false;
  }
  if (lhs.rank() != rhs.rank() &&
      XlaPlacesElsewhere(EmissionOf(lhs, rhs), small == 0 ? lhs : rhs, *plan,
                         plan->operands[small])) {
    Diagnostic warning;
    warning.code = Code::kXlaPlacesAtEnd;
    warning.operand = small;
    warning.other_operand = 1 - small;
    diagnostics->push_back(std::move(warning));
  }
  return true;
}

}  // namespace indim::broadcast_internal
