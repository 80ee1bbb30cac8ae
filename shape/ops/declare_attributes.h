// The attributes that the columns of ops.def name (declare.h): members of the
// attribute structs, as data.

#ifndef INDIM_SHAPE_OPS_DECLARE_ATTRIBUTES_H_
#define INDIM_SHAPE_OPS_DECLARE_ATTRIBUTES_H_

#include <cstdint>
#include <type_traits>
#include <variant>

#include "absl/strings/string_view.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/constraint.h"

namespace indim {
namespace declare {

template <typename M>
struct MemberOf;
template <typename C, typename T>
struct MemberOf<T C::*> {
  using Class = C;
  using Type = T;
};

// A member of an attribute struct: a number, an enumerator or a list.
template <auto kMember>
struct Field {
  using Class = typename MemberOf<decltype(kMember)>::Class;
  using Type = typename MemberOf<decltype(kMember)>::Type;
  static constexpr bool kIsNumber =
      std::is_integral_v<Type> || std::is_enum_v<Type>;

  static NumberList Numbers(const Attributes& attributes) {
    const Type& field = As<Class>(attributes).*kMember;
    if constexpr (kIsNumber) {
      return NumberList::One(static_cast<int64_t>(field));
    } else if constexpr (std::is_same_v<Type, DimIndices>) {
      return NumberList::Of(field);
    } else {
      return {};
    }
  }
  static int64_t Length(const Attributes& attributes) {
    if constexpr (kIsNumber) {
      return 1;
    } else {
      return static_cast<int64_t>((As<Class>(attributes).*kMember).size());
    }
  }
  static void Set(Attributes* attributes, const DimIndices& numbers) {
    if (!std::holds_alternative<Class>(*attributes)) *attributes = Class();
    Type& field = std::get<Class>(*attributes).*kMember;
    if constexpr (kIsNumber) {
      field = static_cast<Type>(numbers.empty() ? 0 : numbers[0]);
    } else if constexpr (std::is_same_v<Type, DimIndices>) {
      field = numbers;
    } else {
      field.assign(numbers.size(), {});
    }
  }
};

template <auto kMember>
constexpr AttributeRef Ref(absl::string_view name) {
  return {name, &Field<kMember>::Numbers, &Field<kMember>::Length,
          &Field<kMember>::Set};
}

inline constexpr AttributeRef kDimensions =
    Ref<&DimensionsAttributes::dimensions>("dimensions");
inline constexpr AttributeRef kSortDimensions =
    Ref<&SortAttributes::dimensions>("dimensions");
inline constexpr AttributeRef kStarts = Ref<&SliceAttributes::starts>("starts");
inline constexpr AttributeRef kLimits = Ref<&SliceAttributes::limits>("limits");
inline constexpr AttributeRef kStrides =
    Ref<&SliceAttributes::strides>("strides");
inline constexpr AttributeRef kPadding =
    Ref<&PadAttributes::padding>("padding");
inline constexpr AttributeRef kLhsContracting =
    Ref<&DotAttributes::lhs_contracting_dims>("lhs_contracting_dims");
inline constexpr AttributeRef kRhsContracting =
    Ref<&DotAttributes::rhs_contracting_dims>("rhs_contracting_dims");
inline constexpr AttributeRef kLhsBatch =
    Ref<&DotAttributes::lhs_batch_dims>("lhs_batch_dims");
inline constexpr AttributeRef kRhsBatch =
    Ref<&DotAttributes::rhs_batch_dims>("rhs_batch_dims");
inline constexpr AttributeRef kLhsRagged =
    Ref<&DotAttributes::lhs_ragged_dims>("lhs_ragged_dims");
inline constexpr AttributeRef kIndex =
    Ref<&GetTupleElementAttributes::index>("index");
inline constexpr AttributeRef kFeatureIndex =
    Ref<&BatchNormAttributes::feature_index>("feature_index");
inline constexpr AttributeRef kExponentBits =
    Ref<&ReducePrecisionAttributes::exponent_bits>("exponent_bits");
inline constexpr AttributeRef kMantissaBits =
    Ref<&ReducePrecisionAttributes::mantissa_bits>("mantissa_bits");
inline constexpr AttributeRef kFeatureGroupCount =
    Ref<&ConvolutionAttributes::feature_group_count>("feature_group_count");
inline constexpr AttributeRef kBatchGroupCount =
    Ref<&ConvolutionAttributes::batch_group_count>("batch_group_count");
inline constexpr AttributeRef kComparison =
    Ref<&CompareAttributes::type>("type");

// A value of an attribute that is an enumeration.
struct NamedValue {
  int64_t number;
  absl::string_view name;
};
inline constexpr NamedValue kAsFloat = {
    static_cast<int64_t>(ComparisonType::kFloat), "FLOAT"};
inline constexpr NamedValue kAsTotalOrder = {
    static_cast<int64_t>(ComparisonType::kFloatTotalOrder), "TOTALORDER"};
inline constexpr NamedValue kAsSigned = {
    static_cast<int64_t>(ComparisonType::kSigned), "SIGNED"};
inline constexpr NamedValue kAsUnsigned = {
    static_cast<int64_t>(ComparisonType::kUnsigned), "UNSIGNED"};

}  // namespace declare
}  // namespace indim

#endif  // INDIM_SHAPE_OPS_DECLARE_ATTRIBUTES_H_
