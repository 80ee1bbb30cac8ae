// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
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
  bool indices = false;  // the elements may be of `index`

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
constexpr W kIntegers{TypeMask::kIntegral, W::kRanked, W::kAnySize, "a ranked tensor of integer values"};
constexpr W kScalarIntegers{TypeMask::kIntegral, 0, W::kAnySize, "a 0-dimensional tensor of integers"};
constexpr W kPredsOrIntegers{TypeMask::kPredIntegral, W::kAnyRank, W::kAnySize, "a tensor of bool or integer values"};
constexpr W kVectorOfFloats{TypeMask::kFloat, 1, W::kAnySize, "a 1-dimensional tensor of floats"};
constexpr W kVectorOfIndices{TypeMask::kIntegral, 1, W::kAnySize, "a 1-dimensional tensor of integers", /*indices=*/true};
constexpr W kSizes{TypeMask::kIntegral, 1, 0, "a statically shaped 1-dimensional tensor of integers", /*indices=*/true};
constexpr W kStaticIntegers{TypeMask::kIntegral, 1, 0, "a statically shaped 1-dimensional tensor of integers"};
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

// The two whose values may be of unknown rank. CHLO's may, too, but where a row
// says that they are ranked.
bool TakesUnranked(absl::string_view op) {
  return op == "stablehlo.custom_call" || absl::StartsWith(op, "chlo.");
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

// The row for result or operand `i` of `count`; null: there is none.
const TypeWanted* WantedAt(absl::Span<const TypeRow> rows, bool of_result,
                           size_t i, size_t count) {
  const auto place = [count](int at) {
    return at < 0 ? static_cast<int>(count) + at : at;
  };
  const int at = static_cast<int>(i);
  for (const TypeRow& row : rows) {
    if (row.of_result == of_result && at >= place(row.first) &&
        at <= place(row.last)) {
      return row.wanted;
    }
  }
  return nullptr;
}

// Why `type` can't be a value of StableHLO, or of CHLO; "": it can, or HLO
// lacks it, which is reported elsewhere.
absl::string_view WhyNoValue(const Ir& ir, TypeId id, bool unranked,
                             bool indices) {
  const Type& type = ir.type(id);
  switch (type.kind) {
    case TypeKind::kElement:
    case TypeKind::kIndex:
      return "must be a tensor, a token or a tuple of them, but is a number";
    case TypeKind::kUnrankedTensor:
      if (!unranked) return "must be a ranked tensor, but has no rank";
      [[fallthrough]];
    case TypeKind::kTensor:
    case TypeKind::kMemRef: {
      const Type& element = ir.type(type.element);
      if (element.kind == TypeKind::kIndex && !indices) {
        return "must have elements that StableHLO has, but has those of index";
      }
      return element.element_type == ElementType::kU1
                 ? "must have elements that StableHLO has, but has those of ui1"
                 : "";
    }
    case TypeKind::kTuple:
    case TypeKind::kFuture:
      for (const TypeId part : type.parts) {
        const absl::string_view why = WhyNoValue(ir, part, unranked, indices);
        if (!why.empty()) return why;
      }
      return "";
    default:
      return "";
  }
}

// Whether operand or result `i` has the type that StableHLO demands there.
bool CheckType(OpImport* op, bool of_result, size_t i,
               const TypeWanted* wanted) {
  const TypeId type =
      op->ir().type_of(of_result ? op->result(i) : op->operand_value(i));
  const std::string value =
      absl::StrCat(of_result ? "result #" : "operand #", i, " ");
  const absl::string_view why =
      WhyNoValue(op->ir(), type, TakesUnranked(op->name()),
                 wanted != nullptr && wanted->indices);
  if (!why.empty()) return op->Fail(absl::StrCat(value, why));
  const Shape& shape = op->importer().shapes().Of(type);
  // An operand of a type that HLO lacks is broken, which is reported.
  if (wanted == nullptr || shape.is_none() || Is(*wanted, shape)) return true;
  return op->Fail(absl::StrCat(value, "must be ", wanted->words, ", but got ",
                               shape.ToString()));
}

}  // namespace

bool CheckTypes(OpImport* op) {
  // Operations of other dialects take numbers and indices.
  if (!absl::StartsWith(op->name(), "stablehlo.") &&
      !absl::StartsWith(op->name(), "chlo.")) {
    return true;
  }
  const absl::Span<const TypeRow> rows = RowsOf(op->name());
  for (const bool of_result : {false, true}) {
    const size_t count = of_result ? op->result_count() : op->operand_count();
    for (size_t i = 0; i < count; ++i) {
      if (!CheckType(op, of_result, i, WantedAt(rows, of_result, i, count))) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace indim::stablehlo_import
