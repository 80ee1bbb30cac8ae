// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/types/element_type.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "indim/shape/types/suggest.h"

namespace indim {
namespace {

constexpr ElementTypeInfo kTypes[] = {
#define INDIM_ELEMENT_TYPE(name, text, number, kind, bits, exponent, \
                           significand, literal, overflow)           \
  {ElementType::k##name,                                             \
   text,                                                             \
   ElementKind::kind,                                                \
   bits,                                                             \
   exponent,                                                         \
   significand,                                                      \
   overflow,                                                         \
   literal},
#include "indim/shape/types/element_types.def"
#undef INDIM_ELEMENT_TYPE
};

constexpr ElementTypeInfo kNoType = {
    ElementType::kInvalid, "invalid", ElementKind::kInvalid, 0, 0, 0, 0, 0};

constexpr int kMaxNumber = 63;

// From a PrimitiveType to its row; -1: none.
struct RowIndex {
  constexpr RowIndex() : row() {
    for (int& r : row) r = -1;
    int i = 0;
    for (const ElementTypeInfo& info : kTypes) {
      row[static_cast<int>(info.type)] = i++;
    }
  }
  int row[kMaxNumber + 1];
};
constexpr RowIndex kIndex;

constexpr bool Ascending() {
  int last = 0;
  for (const ElementTypeInfo& info : kTypes) {
    if (static_cast<int>(info.type) <= last) return false;
    last = static_cast<int>(info.type);
  }
  return last <= kMaxNumber;
}
static_assert(Ascending(), "element_types.def must ascend by wire number");

// The properties that decide which of two types is more general, most important
// first.
std::tuple<bool, int, int, int, bool> PrecisionOf(const ElementTypeInfo& info) {
  const bool floating =
      info.kind == ElementKind::kFloat || info.kind == ElementKind::kComplex;
  // XLA counts a pred as one bit here, although it stores eight.
  const int width = info.kind == ElementKind::kPred ? 1 : info.bits;
  return {info.kind == ElementKind::kComplex,
          floating ? info.overflow_exponent : -1,
          floating ? info.significand : -1, width,
          info.kind == ElementKind::kSigned};
}

// How names of element types begin in other systems, and XLA's letter.
constexpr std::pair<absl::string_view, absl::string_view> kStems[] = {
    {"bfloat", "bf"}, {"float", "f"}, {"complex", "c"}, {"uint", "u"},
    {"ui", "u"},      {"int", "s"},   {"si", "s"},      {"i", "s"}};

// Another system's name in XLA's spelling: "int32" gives "s32".
std::string Respell(absl::string_view name) {
  static constexpr std::pair<absl::string_view, absl::string_view> kWords[] = {
      {"bool", "pred"}, {"boolean", "pred"}, {"i1", "pred"},
      {"half", "f16"},  {"float", "f32"},    {"double", "f64"},
      {"byte", "s8"},   {"short", "s16"},    {"int", "s32"},
      {"long", "s64"},  {"char", "s8"},      {"complex", "c64"}};
  for (const auto& [word, type] : kWords) {
    if (name == word) return std::string(type);
  }
  for (const auto& [stem, type] : kStems) {
    if (absl::ConsumePrefix(&name, stem)) return absl::StrCat(type, name);
  }
  return std::string(name);
}

// `name` with the part before its number corrected to the nearest stem:
// "flaot32" gives "float32". Empty where no stem is near.
std::string WithNearestStem(absl::string_view name) {
  const size_t letters =
      std::min(name.find_first_of("0123456789"), name.size());
  std::vector<absl::string_view> stems;
  for (const auto& stem : kStems) stems.push_back(stem.first);
  const absl::string_view nearest = NearestName(name.substr(0, letters), stems);
  return nearest.empty() ? "" : absl::StrCat(nearest, name.substr(letters));
}

}  // namespace

absl::Span<const ElementTypeInfo> AllElementTypes() { return kTypes; }

const ElementTypeInfo& Info(ElementType type) {
  const int number = static_cast<int>(type);
  if (number > kMaxNumber || kIndex.row[number] < 0) return kNoType;
  return kTypes[kIndex.row[number]];
}

std::optional<ElementType> ElementTypeFromName(absl::string_view name) {
  if (name.empty()) return std::nullopt;
  for (const ElementTypeInfo& info : kTypes) {
    // A cheap test first: most names differ in length or first letter.
    if (info.name.size() == name.size() && info.name.front() == name.front() &&
        info.name == name) {
      return info.type;
    }
  }
  return std::nullopt;
}

absl::string_view NearestElementTypeName(
    absl::string_view name, absl::Span<const absl::string_view> others) {
  std::vector<absl::string_view> names(others.begin(), others.end());
  for (const ElementTypeInfo& info : AllElementTypes()) {
    names.push_back(info.name);
  }
  const std::string lower = absl::AsciiStrToLower(name);
  const absl::string_view nearest = NearestName(Respell(lower), names);
  return nearest.empty() ? NearestName(Respell(WithNearestStem(lower)), names)
                         : nearest;
}

std::optional<ElementType> ElementTypeFromNumber(int64_t number) {
  if (number < 0 || number > kMaxNumber || kIndex.row[number] < 0) {
    return std::nullopt;
  }
  return static_cast<ElementType>(number);
}

ElementType RealPart(ElementType type) {
  if (type == ElementType::kC64) return ElementType::kF32;
  if (type == ElementType::kC128) return ElementType::kF64;
  return type;
}

std::optional<ElementType> ComplexOf(ElementType component) {
  if (component == ElementType::kF32) return ElementType::kC64;
  if (component == ElementType::kF64) return ElementType::kC128;
  return std::nullopt;
}

std::string MlirName(ElementType type) {
  const ElementTypeInfo& info = Info(type);
  switch (info.kind) {
    case ElementKind::kPred:
      return "i1";
    case ElementKind::kSigned:
      return absl::StrCat("i", info.bits);
    case ElementKind::kUnsigned:
      return absl::StrCat("ui", info.bits);
    case ElementKind::kComplex:
      return absl::StrCat("complex<", Name(RealPart(type)), ">");
    default:
      return info.bits > 8 || info.name.empty()
                 ? std::string(info.name)
                 : absl::StrCat("f",
                                absl::AsciiStrToUpper(info.name.substr(1)));
  }
}

std::optional<ElementType> HigherPrecision(ElementType a, ElementType b) {
  const ElementTypeInfo& info_a = Info(a);
  if (a == b && info_a.kind != ElementKind::kInvalid) return a;
  const ElementTypeInfo& info_b = Info(b);
  if (info_a.kind == ElementKind::kInvalid ||
      info_b.kind == ElementKind::kInvalid) {
    return std::nullopt;
  }
  const auto precision_a = PrecisionOf(info_a);
  const auto precision_b = PrecisionOf(info_b);
  if (precision_a > precision_b) return a;
  if (precision_b > precision_a) return b;
  return std::nullopt;
}

}  // namespace indim
