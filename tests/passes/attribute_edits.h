// SPDX-License-Identifier: Apache-2.0
// Edits of single fields, over protobuf's reflection: every attribute that the
// wire has is reached, whatever op it belongs to.
#ifndef INDIM_TESTS_PASSES_ATTRIBUTE_EDITS_H_
#define INDIM_TESTS_PASSES_ATTRIBUTE_EDITS_H_

#include <string>
#include <vector>

#include "indim/proto/hlo.pb.h"

namespace indim {

struct AttributeEdit {
  std::string field;   // "window.dimensions.size"
  std::string change;  // "+1"
};

// What can be changed in an instruction beside its record and what no program's
// meaning hangs on (metadata, configurations of a backend): numbers one up, one
// down and below zero, flags, other enumerators, texts, lists with an element
// less, twice, or two swapped, messages left out. Fields that the opcode reads
// are there also when they have their default.
std::vector<AttributeEdit> AttributeEdits(
    const proto::HloInstructionProto& instruction);

// Does the one at `index` of that list.
void ApplyAttributeEdit(int index, proto::HloInstructionProto* instruction);

}  // namespace indim

#endif  // INDIM_TESTS_PASSES_ATTRIBUTE_EDITS_H_
