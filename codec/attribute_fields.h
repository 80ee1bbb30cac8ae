// The fields of HloInstructionProto for each attribute struct: the rows of
// shape/ops/attribute_members.def as bindings, which read, write and replace
// attributes. Which messages must be present: XLA,
// HloInstruction::CreateFromProto and XlaBuilder.

#ifndef INDIM_CODEC_ATTRIBUTE_FIELDS_H_
#define INDIM_CODEC_ATTRIBUTE_FIELDS_H_

#include <tuple>

#include "indim/codec/attribute_bindings.h"
#include "indim/codec/special_bindings.h"
#include "indim/shape/ops/attributes.h"
#include "indim/wire/field_numbers.h"
#include "indim/wire/wire_table.h"

namespace indim {
namespace binding {

struct Begin {};
template <typename... Fields>
constexpr auto List(Begin, Fields... fields) {
  return std::make_tuple(fields...);
}

constexpr auto FieldsOf(Struct<NoAttributes>) { return std::make_tuple(); }

#define INDIM_STRUCT(type, message)               \
  constexpr WireMessage MessageOf(Struct<type>) { \
    return WireMessage::k##message;               \
  }                                               \
  constexpr auto FieldsOf(Struct<type>) {         \
    return List(Begin()
#define INDIM_ATTRIBUTES(name)                        \
  constexpr auto FieldsOf(Struct<name##Attributes>) { \
    return List(Begin()
#define INDIM_MEMBER(type, member, text, how, message, name) \
  , how(field::message::k##name, &type::member)
#define INDIM_FIELDS(...) , __VA_ARGS__
#define INDIM_MESSAGE(type, message, name, inner, presence)       \
  , Message<type>(field::message::k##name, WireMessage::k##inner, \
                  Presence::presence
#define INDIM_MESSAGE_END )
#define INDIM_END ); \
  }
#include "indim/shape/ops/attribute_members.def"

// ragged-dot has dot's struct in a message of its own.
constexpr auto RaggedDotFields() {
  namespace of = field::RaggedDotDimensionNumbers;
  using S = DotAttributes;
  constexpr auto fields = FieldsOf(Struct<S>());
  auto dot = std::get<0>(fields);
  dot.number = of::kDotDimensionNumbers;
  dot.presence = Presence::kAlways;
  return std::make_tuple(
      Message<S>(field::HloInstructionProto::kRaggedDotDimensionNumbers,
                 WireMessage::kRaggedDotDimensionNumbers, Presence::kRequired,
                 dot, Field(of::kLhsRaggedDimensions, &S::lhs_ragged_dims),
                 Field(of::kRhsGroupDimensions, &S::rhs_group_dims)),
      std::get<1>(fields));
}

}  // namespace binding
}  // namespace indim

#endif  // INDIM_CODEC_ATTRIBUTE_FIELDS_H_
