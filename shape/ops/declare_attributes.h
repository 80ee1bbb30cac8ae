// SPDX-License-Identifier: Apache-2.0
// The attributes that the columns of ops.def name (declare.h): access to
// members of the attribute structs.

#ifndef INDIM_SHAPE_OPS_DECLARE_ATTRIBUTES_H_
#define INDIM_SHAPE_OPS_DECLARE_ATTRIBUTES_H_

#include <cstdint>
#include <type_traits>
#include <variant>

#include "absl/strings/string_view.h"
#include "indim/shape/ops/attribute_words.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/constraint.h"

namespace indim::declare {

template <typename M>
struct MemberOf;
template <typename C, typename T>
struct MemberOf<T C::*> {
  using Class = C;
  using Type = T;
};

// Accesses a member of an attribute struct: a number, an enumerator or a list.
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
      field.resize(numbers.size());
    }
  }
};

// The name of a member for people.
template <auto kMember>
constexpr absl::string_view kTextOf = "";
#define INDIM_MEMBER(type, member, text, ...) \
  template <>                                 \
  inline constexpr absl::string_view kTextOf<&type::member> = text;
#define INDIM_SHARED_MEMBER INDIM_MEMBER
#include "indim/shape/ops/attribute_members.def"

template <auto kMember>
inline constexpr AttributeRef kRef = {
    kTextOf<kMember>, &Field<kMember>::Numbers, &Field<kMember>::Length,
    &Field<kMember>::Set, Field<kMember>::kIsNumber};

inline constexpr auto& kDimensions = kRef<&DimensionsAttributes::dimensions>;
inline constexpr auto& kSortDimensions = kRef<&SortAttributes::dimensions>;
inline constexpr auto& kShuffleDimensions =
    kRef<&ShuffleAttributes::dimensions>;
inline constexpr auto& kShifts = kRef<&ShuffleAttributes::shifts>;
inline constexpr auto& kStarts = kRef<&SliceAttributes::starts>;
inline constexpr auto& kLimits = kRef<&SliceAttributes::limits>;
inline constexpr auto& kStrides = kRef<&SliceAttributes::strides>;
inline constexpr auto& kPadding = kRef<&PadAttributes::padding>;
inline constexpr auto& kLhsContracting =
    kRef<&DotAttributes::lhs_contracting_dims>;
inline constexpr auto& kRhsContracting =
    kRef<&DotAttributes::rhs_contracting_dims>;
inline constexpr auto& kLhsBatch = kRef<&DotAttributes::lhs_batch_dims>;
inline constexpr auto& kRhsBatch = kRef<&DotAttributes::rhs_batch_dims>;
inline constexpr auto& kLhsRagged = kRef<&DotAttributes::lhs_ragged_dims>;
inline constexpr auto& kIndex = kRef<&GetTupleElementAttributes::index>;
inline constexpr auto& kFeatureIndex =
    kRef<&BatchNormAttributes::feature_index>;
inline constexpr auto& kExponentBits =
    kRef<&ReducePrecisionAttributes::exponent_bits>;
inline constexpr auto& kMantissaBits =
    kRef<&ReducePrecisionAttributes::mantissa_bits>;
inline constexpr auto& kFeatureGroupCount =
    kRef<&ConvolutionAttributes::feature_group_count>;
inline constexpr auto& kBatchGroupCount =
    kRef<&ConvolutionAttributes::batch_group_count>;
inline constexpr auto& kComparison = kRef<&CompareAttributes::type>;

inline constexpr auto& kAsFloat = words::kComparisonTypeWords[0];
inline constexpr auto& kAsTotalOrder = words::kComparisonTypeWords[1];
inline constexpr auto& kAsSigned = words::kComparisonTypeWords[2];
inline constexpr auto& kAsUnsigned = words::kComparisonTypeWords[3];
inline constexpr auto& kAsWeakOrder = words::kComparisonTypeWords[4];

}  // namespace indim::declare

#endif  // INDIM_SHAPE_OPS_DECLARE_ATTRIBUTES_H_
