#include "indim/stablehlo/mlir/element_names.h"

#include "absl/container/flat_hash_map.h"

namespace indim::mlir {
namespace {

struct ElementName {
  ElementType type;
  absl::string_view name;
};

constexpr ElementName kRows[] = {
    {ElementType::kPred, "i1"},
    {ElementType::kS2, "i2"},
    {ElementType::kS4, "i4"},
    {ElementType::kS8, "i8"},
    {ElementType::kS16, "i16"},
    {ElementType::kS32, "i32"},
    {ElementType::kS64, "i64"},
    {ElementType::kU1, "ui1"},
    {ElementType::kU2, "ui2"},
    {ElementType::kU4, "ui4"},
    {ElementType::kU8, "ui8"},
    {ElementType::kU16, "ui16"},
    {ElementType::kU32, "ui32"},
    {ElementType::kU64, "ui64"},
    {ElementType::kF4E2M1FN, "f4E2M1FN"},
    {ElementType::kF6E2M3FN, "f6E2M3FN"},
    {ElementType::kF6E3M2FN, "f6E3M2FN"},
    {ElementType::kF8E3M4, "f8E3M4"},
    {ElementType::kF8E4M3, "f8E4M3"},
    {ElementType::kF8E4M3FN, "f8E4M3FN"},
    {ElementType::kF8E4M3FNUZ, "f8E4M3FNUZ"},
    {ElementType::kF8E4M3B11FNUZ, "f8E4M3B11FNUZ"},
    {ElementType::kF8E5M2, "f8E5M2"},
    {ElementType::kF8E5M2FNUZ, "f8E5M2FNUZ"},
    {ElementType::kF8E8M0FNU, "f8E8M0FNU"},
    {ElementType::kF16, "f16"},
    {ElementType::kBF16, "bf16"},
    {ElementType::kF32, "f32"},
    {ElementType::kF64, "f64"},
};

}  // namespace

ElementType ElementTypeOf(absl::string_view name) {
  static const auto* const types = [] {
    auto* const map = new absl::flat_hash_map<absl::string_view, ElementType>();
    for (const ElementName& row : kRows) map->emplace(row.name, row.type);
    return map;
  }();
  const auto found = types->find(name);
  return found == types->end() ? ElementType::kInvalid : found->second;
}

absl::string_view NameOf(ElementType type) {
  if (type == ElementType::kC64) return "complex<f32>";
  if (type == ElementType::kC128) return "complex<f64>";
  for (const ElementName& row : kRows) {
    if (row.type == type) return row.name;
  }
  return "";
}

int ElementBytes(ElementType type) { return (Info(type).bits + 7) / 8; }

}  // namespace indim::mlir
