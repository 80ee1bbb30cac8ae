#include "indim/stablehlo/import/check_types.h"

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "indim/shape/types/element_type.h"

namespace indim::mlir {
namespace {

// The columns `wanted` of types.def.
enum class TypeWanted : uint8_t {
  kToken,
  kArray,
  kPred,
  kS32,
  kFloats,
  kFloatsOrComplex,
  kIntegers,
  kPredsOrIntegers,
  kVectorOfFloats,
  kVectorOfIntegers,
  kSizes,           // a static one, of indices too
  kStaticIntegers,  // a static one, of no indices
  kPairs,           // a static matrix of integers
  kStatic,
  kStaticButOneBound,
  kBits,  // static integers or floats
};

absl::string_view Words(TypeWanted wanted) {
  switch (wanted) {
    case TypeWanted::kToken:
      return "a token";
    case TypeWanted::kArray:
      return "a ranked tensor";
    case TypeWanted::kPred:
      return "a ranked tensor of bool values";
    case TypeWanted::kS32:
      return "a ranked tensor of 32-bit signless integer values";
    case TypeWanted::kFloats:
      return "a tensor of float values";
    case TypeWanted::kFloatsOrComplex:
      return "a tensor of float or complex values";
    case TypeWanted::kIntegers:
      return "a tensor of integer values";
    case TypeWanted::kPredsOrIntegers:
      return "a tensor of bool or integer values";
    case TypeWanted::kVectorOfFloats:
      return "a 1-dimensional tensor of floats";
    case TypeWanted::kVectorOfIntegers:
      return "a 1-dimensional tensor of integers";
    case TypeWanted::kSizes:
    case TypeWanted::kStaticIntegers:
      return "a statically shaped 1-dimensional tensor of integers";
    case TypeWanted::kPairs:
      return "a statically shaped 2-dimensional tensor of integers";
    case TypeWanted::kStatic:
      return "a statically shaped tensor";
    case TypeWanted::kStaticButOneBound:
      return "a statically shaped or single bounded dimension tensor";
    case TypeWanted::kBits:
      return "a statically shaped tensor of integer or float values";
  }
  return "";
}

// Whether all dims are static, but for `bounds` that have bounds.
bool IsStaticBut(const Shape& shape, int bounds) {
  if (!shape.is_array() || !shape.has_rank()) return false;
  for (const Dim dim : shape.dims()) {
    if (dim.is_static()) continue;
    if (!dim.is_bounded() || --bounds < 0) return false;
  }
  return true;
}

bool Is(TypeWanted wanted, const Shape& shape) {
  if (wanted == TypeWanted::kToken) return shape.is_token();
  if (!shape.is_array()) return false;
  const ElementType type = shape.element_type();
  const bool integers = IsIntegral(type);
  switch (wanted) {
    case TypeWanted::kToken:
      return false;
    case TypeWanted::kArray:
      return shape.has_rank();
    case TypeWanted::kPred:
      return shape.has_rank() && type == ElementType::kPred;
    case TypeWanted::kS32:
      return shape.has_rank() && type == ElementType::kS32;
    case TypeWanted::kFloats:
      return IsFloat(type);
    case TypeWanted::kFloatsOrComplex:
      return IsFloat(type) || IsComplex(type);
    case TypeWanted::kIntegers:
      return integers;
    case TypeWanted::kPredsOrIntegers:
      return integers || type == ElementType::kPred;
    case TypeWanted::kVectorOfFloats:
      return IsFloat(type) && shape.has_rank() && shape.rank() == 1;
    case TypeWanted::kVectorOfIntegers:
      return integers && shape.has_rank() && shape.rank() == 1;
    case TypeWanted::kSizes:
    case TypeWanted::kStaticIntegers:
      return integers && IsStaticBut(shape, 0) && shape.rank() == 1;
    case TypeWanted::kPairs:
      return integers && IsStaticBut(shape, 0) && shape.rank() == 2;
    case TypeWanted::kStatic:
      return IsStaticBut(shape, 0);
    case TypeWanted::kStaticButOneBound:
      return IsStaticBut(shape, 1);
    case TypeWanted::kBits:
      return (integers || IsFloat(type)) && IsStaticBut(shape, 0);
  }
  return true;
}

struct TypeRow {
  bool of_result;
  int first;
  int last;
  TypeWanted wanted;
};

absl::Span<const TypeRow> RowsOf(absl::string_view op) {
  static const auto* const map = [] {
    auto* made =
        new absl::flat_hash_map<absl::string_view, std::vector<TypeRow>>();
#define INDIM_MLIR_OPERAND(op, first, last, wanted) \
  (*made)[op].push_back({false, first, last, TypeWanted::wanted});
#define INDIM_MLIR_RESULT(op, first, last, wanted) \
  (*made)[op].push_back({true, first, last, TypeWanted::wanted});
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
      if (shape.is_none() || Is(row.wanted, shape)) continue;
      op->Error(absl::StrCat(row.of_result ? "result #" : "operand #", i,
                             " must be ", Words(row.wanted), ", but got ",
                             shape.ToString()));
      return false;
    }
  }
  return true;
}

}  // namespace indim::mlir
