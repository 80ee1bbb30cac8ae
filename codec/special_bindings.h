// Values that are no one field of their type: implicit broadcasts, channels,
// replica groups and the like. See attribute_bindings.h for what reading and
// writing a value means.

#ifndef INDIM_CODEC_SPECIAL_BINDINGS_H_
#define INDIM_CODEC_SPECIAL_BINDINGS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/ops/attribute_words.h"
#include "indim/shape/ops/attributes.h"
#include "indim/wire/field_list.h"

namespace indim {
namespace binding {

// What a recorded graph says about implicit broadcasting: field 1000, absent
// when nothing was said.
bool ReadValue(const FieldList& from, uint32_t number, BroadcastSpec* spec,
               std::string* error);
void WriteValue(uint32_t number, const BroadcastSpec& spec, FieldList* to);

// Four encodings: explicit lists (87, of old files 49), a formula (92), axes of
// a mesh (93). Written as axes of a mesh, as a formula or as lists, the first
// of them that is there; no groups, one of all devices, is written as nothing.
bool ReadValue(const FieldList& from, uint32_t number, ReplicaGroups* groups,
               std::string* error);
void WriteValue(uint32_t number, const ReplicaGroups& groups, FieldList* to);

// A number that is there or not; that of field 80 is of old files the flag 73
// for index 0.
bool ReadValue(const FieldList& from, uint32_t number,
               std::optional<int64_t>* index, std::string* error);
void WriteValue(uint32_t number, const std::optional<int64_t>& index,
                FieldList* to);

bool ReadValue(const FieldList& from, uint32_t number,
               std::vector<std::pair<int64_t, int64_t>>* pairs,
               std::string* error);
void WriteValue(uint32_t number,
                const std::vector<std::pair<int64_t, int64_t>>& pairs,
                FieldList* to);

bool ReadValue(const FieldList& from, uint32_t number, Shape* shape,
               std::string* error);
void WriteValue(uint32_t number, const Shape& shape, FieldList* to);
bool ReadValue(const FieldList& from, uint32_t number,
               std::vector<Shape>* shapes, std::string* error);
void WriteValue(uint32_t number, const std::vector<Shape>& shapes,
                FieldList* to);

// Field 26, of old files 45. Not above 0: none.
void WriteChannel(int64_t channel, FieldList* to);
int64_t ReadChannel(const FieldList& from);

// Three lists on one side, a list of three on the other; a list that is too
// short counts as 0 (strides: 1) from there.
void WriteSlice(const SliceAttributes& attributes, FieldList* to);
bool ReadSlice(const FieldList& from, SliceAttributes* attributes,
               std::string* error);

// The number of the word that field `number` holds as `text`. Where no word is
// number 0, an empty text is. False and a sentence when it is none of them.
bool ReadWord(absl::Span<const AttributeWord> words, absl::string_view text,
              uint32_t number, int64_t* read, std::string* error);
// The word of `number`; "" without one.
absl::string_view WordOf(absl::Span<const AttributeWord> words, int64_t number);

}  // namespace binding
}  // namespace indim

#endif  // INDIM_CODEC_SPECIAL_BINDINGS_H_
