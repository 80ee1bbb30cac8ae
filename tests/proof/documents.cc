// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/proof/documents.h"

#include <algorithm>

namespace indim {
namespace documents {
namespace {

// MLIR's "three categories"; a size 0 is in none of them.
enum class Category { kDynamic, kOne, kMore, kNone };

Category CategoryOf(int64_t dim) {
  if (dim == kDynamic) return Category::kDynamic;
  if (dim == 1) return Category::kOne;
  return dim > 1 ? Category::kMore : Category::kNone;
}

bool IsStatic(int64_t dim) { return dim != kDynamic; }

}  // namespace

InferredDim InferDim(int64_t dim0, int64_t dim1) {
  const Category c0 = CategoryOf(dim0), c1 = CategoryOf(dim1);
  const auto is = [&](Category want0, Category want1) {
    return c0 == want0 && c1 == want1;
  };
  constexpr Category q = Category::kDynamic, one = Category::kOne,
                     more = Category::kMore;
  if (is(q, q) || is(q, one) || is(one, one) || is(more, q) || is(more, one)) {
    return {Outcome::kOk, dim0};
  }
  if (is(q, more) || is(one, q) || is(one, more)) return {Outcome::kOk, dim1};
  if (is(more, more)) {
    return {dim0 != dim1 ? Outcome::kError : Outcome::kOk, dim0};
  }
  return {Outcome::kNoCase, 0};
}

InferredDim InferDimByTable(int64_t dim0, int64_t dim1) {
  constexpr Category q = Category::kDynamic, one = Category::kOne,
                     more = Category::kMore;
  // dim0, dim1, inferredDim: one of them, 0 or 1.
  static constexpr struct {
    Category dim0, dim1;
    int inferred;
  } kRows[] = {{q, q, 0},     {q, one, 0},    {q, more, 1},
               {one, one, 0}, {one, more, 1}, {more, more, 0}};
  for (const auto& row : kRows) {
    // "in an interchangeable order"
    for (const bool swapped : {false, true}) {
      const int64_t a = swapped ? dim1 : dim0, b = swapped ? dim0 : dim1;
      if (CategoryOf(a) != row.dim0 || CategoryOf(b) != row.dim1) continue;
      const bool error = row.dim0 == more && row.dim1 == more && a != b;
      return {error ? Outcome::kError : Outcome::kOk,
              row.inferred == 0 ? a : b};
    }
  }
  return {Outcome::kNoCase, 0};
}

Sizes ExpandRank(Sizes shape, size_t rank) {
  while (shape.size() < rank) shape.insert(shape.begin(), 1);
  return shape;
}

InferredType InferShape(Sizes shape0, Sizes shape1) {
  const size_t rank = std::max(shape0.size(), shape1.size());
  shape0 = ExpandRank(shape0, rank);
  shape1 = ExpandRank(shape1, rank);
  Sizes inferred_shape;
  Outcome outcome = Outcome::kOk;
  for (size_t i = 0; i < rank; ++i) {
    const InferredDim inferred = InferDim(shape0[i], shape1[i]);
    // An error elsewhere is one, whatever this dim is.
    if (outcome != Outcome::kError && inferred.outcome != Outcome::kOk) {
      outcome = inferred.outcome;
    }
    inferred_shape.push_back(inferred.dim);
  }
  if (outcome != Outcome::kOk) return {outcome, std::nullopt};
  return {outcome, inferred_shape};
}

InferredType InferResultShape(const std::vector<Type>& operands) {
  std::vector<Sizes> ranked_operands;
  for (const Type& operand : operands) {
    if (operand) ranked_operands.push_back(*operand);
  }
  if (ranked_operands.empty()) return {};
  InferredType inferred = {Outcome::kOk, ranked_operands[0]};
  for (size_t i = 1; i < ranked_operands.size(); ++i) {
    inferred = InferShape(*inferred.shape, ranked_operands[i]);
    if (inferred.outcome != Outcome::kOk) return inferred;
  }
  return inferred;
}

Outcome Verify(Reading reading, const std::vector<Type>& operands,
               const Type& result) {
  const InferredType inferred = InferResultShape(operands);
  if (inferred.outcome != Outcome::kOk) return inferred.outcome;
  if (!result || !inferred.shape) return Outcome::kOk;
  if (inferred.shape->size() != result->size()) return Outcome::kError;
  for (size_t i = 0; i < result->size(); ++i) {
    const int64_t inferred_dim = (*inferred.shape)[i];
    const int64_t actual_dim = (*result)[i];
    bool error = false;
    switch (reading) {
      case Reading::kTable:  // "OK if equal" where both are static, else OK
        error = IsStatic(inferred_dim) && IsStatic(actual_dim) &&
                inferred_dim != actual_dim;
        break;
      case Reading::kPseudoCode:
      case Reading::kExamples:  // "(?), (?) -> 4 ... is not compatible"
        error = IsStatic(actual_dim) && inferred_dim != actual_dim;
        break;
    }
    if (error) return Outcome::kError;
  }
  return Outcome::kOk;
}

bool TupleFits(size_t lower, size_t higher,
               const std::optional<Sizes>& broadcast_dimensions) {
  if (!broadcast_dimensions || broadcast_dimensions->empty()) {
    // "Scalars can always be broadcast"; arrays of similar rank need none.
    return lower == 0 || lower == higher;
  }
  if (broadcast_dimensions->size() != lower) return false;
  for (size_t i = 0; i < lower; ++i) {
    const int64_t d = (*broadcast_dimensions)[i];
    if (d < 0 || d >= static_cast<int64_t>(higher)) return false;
    // "has to be strictly increasing"
    if (i > 0 && d <= (*broadcast_dimensions)[i - 1]) return false;
  }
  return true;
}

bool Compatible(int64_t a, int64_t b) { return a == b || a == 1 || b == 1; }

int64_t DegenerateSize(int64_t a, int64_t b) { return std::max(a, b); }

Sizes InDim(const Sizes& lower, const Sizes& higher,
            const Sizes& broadcast_dimensions) {
  // "M is chosen to match the corresponding dimension size"
  Sizes intermediate = higher;
  for (size_t i = 0; i < lower.size(); ++i) {
    intermediate[static_cast<size_t>(broadcast_dimensions[i])] = lower[i];
  }
  return intermediate;
}

bool MatchesFormally(const Sizes& lower, const Sizes& higher,
                     const Sizes& broadcast_dimensions) {
  return InDim(lower, higher, broadcast_dimensions) == higher;
}

std::optional<Sizes> Xla(const Sizes& lhs, const Sizes& rhs,
                         const std::optional<Sizes>& broadcast_dimensions) {
  const bool left = lhs.size() <= rhs.size();
  const Sizes& lower = left ? lhs : rhs;
  const Sizes& higher = left ? rhs : lhs;
  if (!TupleFits(lower.size(), higher.size(), broadcast_dimensions)) {
    return std::nullopt;
  }
  if (lower.empty()) return higher;
  const Sizes intermediate = lower.size() == higher.size()
                                 ? lower
                                 : InDim(lower, higher, *broadcast_dimensions);
  Sizes result;
  for (size_t i = 0; i < higher.size(); ++i) {
    if (!Compatible(intermediate[i], higher[i])) return std::nullopt;
    result.push_back(DegenerateSize(intermediate[i], higher[i]));
  }
  return result;
}

std::optional<Sizes> None(const Sizes& a, const Sizes& b) {
  if (a != b) return std::nullopt;
  return a;
}

std::optional<Sizes> Numpy(const Sizes& a, const Sizes& b) {
  // 1, 2: right aligned, 1s prepended.
  const size_t rank = std::max(a.size(), b.size());
  const Sizes left = ExpandRank(a, rank), right = ExpandRank(b, rank);
  Sizes result;
  for (size_t i = 0; i < rank; ++i) {
    // 3: equal, or one of them 1. 4: the 1 matches the size of the other.
    if (left[i] != right[i] && left[i] != 1 && right[i] != 1) {
      return std::nullopt;
    }
    result.push_back(left[i] == 1 ? right[i] : left[i]);
  }
  return result;
}

std::optional<Sizes> Bidirectional(const Sizes& input, const Sizes& target) {
  // 2: numpy.array(input) * numpy.ones(target_shape)
  return Numpy(input, target);
}

std::optional<Sizes> Pdpd(PdpdReading reading, const Sizes& a, Sizes b,
                          int64_t axis) {
  if (b.size() > a.size()) return std::nullopt;  // 1
  if (axis < -1) return std::nullopt;            // 4
  if (axis == -1) axis = static_cast<int64_t>(a.size() - b.size());
  while (!b.empty() && b.back() == 1) b.pop_back();  // 5
  // 2, 3: B is what A has from `axis` on.
  if (axis + static_cast<int64_t>(b.size()) > static_cast<int64_t>(a.size())) {
    return std::nullopt;
  }
  for (size_t i = 0; i < b.size(); ++i) {
    const int64_t there = a[static_cast<size_t>(axis) + i];
    const bool stretches = reading == PdpdReading::kExamples && b[i] == 1;
    if (b[i] != there && !stretches) return std::nullopt;
  }
  return a;
}

}  // namespace documents
}  // namespace indim
