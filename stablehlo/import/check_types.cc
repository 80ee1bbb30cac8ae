// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "indim/shape/types/type_mask.h"
#include "indim/stablehlo/import/check_op.h"

namespace indim::stablehlo_import {
namespace {

// A column `wanted` of types.def.
struct TypeWanted {
  TypeMask elements;  // kNone: a token
  int rank;
  // How many dims may have bounds, where all others must be static; kAnySize:
  // all may be anything.
  int bounds;
  absl::string_view words;

  static constexpr int kAnyRank = -1;
  static constexpr int kRanked = -2;
  static constexpr int kAnySize = -1;
};

namespace types {

using W = TypeWanted;
constexpr TypeMask kS32Alone =
    TypeMask{uint64_t{1} << static_cast<int>(ElementType::kS32)};

// clang-format off
constexpr W kToken{TypeMask::kNone, W::kAnyRank, W::kAnySize, "a token"};
constexpr W kArray{TypeMask::kArray, W::kRanked, W::kAnySize, "a ranked tensor"};
constexpr W kPred{TypeMask::kPred, W::kRanked, W::kAnySize, "a ranked tensor of bool values"};
constexpr W kS32{kS32Alone, W::kRanked, W::kAnySize, "a ranked tensor of 32-bit signless integer values"};
constexpr W kFloats{TypeMask::kFloat, W::kAnyRank, W::kAnySize, "a tensor of float values"};
constexpr W kFloatsOrComplex{TypeMask::kFloatComplex, W::kAnyRank, W::kAnySize, "a tensor of float or complex values"};
constexpr W kIntegers{TypeMask::kIntegral, W::kAnyRank, W::kAnySize, "a tensor of integer values"};
constexpr W kPredsOrIntegers{TypeMask::kPredIntegral, W::kAnyRank, W::kAnySize, "a tensor of bool or integer values"};
constexpr W kVectorOfFloats{TypeMask::kFloat, 1, W::kAnySize, "a 1-dimensional tensor of floats"};
constexpr W kVectorOfIntegers{TypeMask::kIntegral, 1, W::kAnySize, "a 1-dimensional tensor of integers"};
// Sizes may be of indices too.
constexpr W kSizes{TypeMask::kIntegral, 1, 0, "a statically shaped 1-dimensional tensor of integers"};
constexpr W kStaticIntegers = kSizes;
constexpr W kPairs{TypeMask::kIntegral, 2, 0, "a statically shaped 2-dimensional tensor of integers"};
constexpr W kStatic{TypeMask::kArray, W::kRanked, 0, "a statically shaped tensor"};
constexpr W kStaticButOneBound{TypeMask::kArray, W::kRanked, 1, "a statically shaped or single bounded dimension tensor"};
constexpr W kBits{TypeMask::kReal, W::kRanked, 0, "a statically shaped tensor of integer or float values"};
// clang-format on

}  // namespace types

bool Is(const TypeWanted& wanted, const Shape& shape) {
  if (wanted.elements == TypeMask::kNone) return shape.is_token();
  if (!shape.is_array() || !Accepts(wanted.elements, shape.element_type())) {
    return false;
  }
  if (wanted.rank == TypeWanted::kAnyRank) return true;
  if (!shape.has_rank() ||
      (wanted.rank != TypeWanted::kRanked && wanted.rank != shape.rank())) {
    return false;
  }
  int bounds = wanted.bounds;
  return bounds == TypeWanted::kAnySize ||
         absl::c_all_of(shape.dims(), [&bounds](Dim dim) {
           return dim.is_static() || (dim.is_bounded() && bounds-- > 0);
         });
}

struct TypeRow {
  bool of_result;
  int first;
  int last;
  const TypeWanted* wanted;
};

absl::Span<const TypeRow> RowsOf(absl::string_view op) {
  static const auto* const map = [] {
    auto* made =
        new absl::flat_hash_map<absl::string_view, std::vector<TypeRow>>();
#define INDIM_MLIR_OPERAND(op, first, last, wanted) \
  (*made)[op].push_back({false, first, last, &types::wanted});
#define INDIM_MLIR_RESULT(op, first, last, wanted) \
  (*made)[op].push_back({true, first, last, &types::wanted});
#include "indim/stablehlo/import/types.def"
    return made;
  }();
  const auto found = map->find(op);
  return found == map->end() ? absl::Span<const TypeRow>() : found->second;
}

}  // namespace

bool CheckTypes(OpImport* op) {
  for (const TypeRow& row : RowsOf(op->name())) {
    const int count = static_cast<int>(row.of_result ? op->result_count()
                                                     : op->operand_count());
    const int first = row.first < 0 ? count + row.first : row.first;
    const int last = row.last < 0 ? count + row.last : row.last;
    for (int i = first; i <= last && i < count; ++i) {
      if (i < 0) continue;
      const auto at = static_cast<size_t>(i);
      const TypeId type = op->ir().type_of(
          row.of_result ? op->result(at) : op->operand_value(at));
      const Shape& shape = op->importer().shapes().Of(type);
      // An operand of a type that HLO lacks is broken, which is reported.
      if (shape.is_none() || Is(*row.wanted, shape)) continue;
      return op->Fail(absl::StrCat(row.of_result ? "result #" : "operand #", i,
                                   " must be ", row.wanted->words, ", but got ",
                                   shape.ToString()));
    }
  }
  return true;
}

}  // namespace indim::stablehlo_import
