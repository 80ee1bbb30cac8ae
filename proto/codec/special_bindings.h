// SPDX-License-Identifier: Apache-2.0
// Values that are not a single field of their type: implicit broadcasts,
// channels, replica groups and the like. attribute_fields.cc defines ReadValue
// and WriteValue.

#ifndef INDIM_PROTO_CODEC_SPECIAL_BINDINGS_H_
#define INDIM_PROTO_CODEC_SPECIAL_BINDINGS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/proto/wire/field_list.h"
#include "indim/shape/ops/attribute_words.h"
#include "indim/shape/ops/attributes.h"

namespace indim::binding {

// The implicit broadcasting of a recorded graph: field 1000, absent for the
// default.
bool ReadValue(const FieldList& from, uint32_t number, BroadcastSpec* spec,
               std::string* error);
void WriteValue(uint32_t number, const BroadcastSpec& spec, FieldList* to);

// Replica groups have four encodings: explicit lists (field 87, in old files
// 49), a formula (92), axes of a mesh (93). Written are the axes of a mesh,
// else a formula, else the lists; without groups (one group of all devices)
// nothing is written.
bool ReadValue(const FieldList& from, uint32_t number, ReplicaGroups* groups,
               std::string* error);
void WriteValue(uint32_t number, const ReplicaGroups& groups, FieldList* to);

// A number that may be absent. In old files flag 73 stands for field 80 with
// index 0.
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

// Field 26, in old files 45. 0 or less means no channel.
void WriteChannel(int64_t channel, FieldList* to);
int64_t ReadChannel(const FieldList& from);

// SliceAttributes have three lists, the message one list of three numbers each.
// Where a list is too short, the rest counts as 0 (strides: 1).
bool ReadValue(const FieldList& from, uint32_t number,
               SliceAttributes* attributes, std::string* error);
void WriteValue(uint32_t number, const SliceAttributes& attributes,
                FieldList* to);

// The number of the word `text` in field `number`. Where no word has number 0,
// an empty text means 0. Returns false and sets *error to a sentence when it
// isn't one of the words.
bool ReadWord(absl::Span<const AttributeWord> words, absl::string_view text,
              uint32_t number, int64_t* read, std::string* error);
// The word of `number`; "" where there is none.
absl::string_view WordOf(absl::Span<const AttributeWord> words, int64_t number);

}  // namespace indim::binding

#endif  // INDIM_PROTO_CODEC_SPECIAL_BINDINGS_H_
