// SPDX-License-Identifier: Apache-2.0
// Attributes as the C interface takes them: as HLO text or as a serialized
// HloInstructionProto.

#ifndef INDIM_BINDINGS_C_ATTRIBUTES_H_
#define INDIM_BINDINGS_C_ATTRIBUTES_H_

#include <indim.h>

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/shape/broadcast/broadcast.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"

namespace indim::capi {

struct GivenAttributes {
  // The struct of the opcode's row.
  Attributes attributes;
  // All that was given, in the form that a builder writes; what the struct
  // lacks is there too (sharding, backend_config, ...).
  OwnedAttributeBytes bytes;
};

// The attributes of `opcode` as one text, from all members of `given`; empty:
// there are none. InvalidArgument: a rule that isn't one, or given twice.
absl::StatusOr<std::string> AttributesText(const indim_attributes& given);

// Reads HLO text: "dimensions={0,1}, direction=LT". InvalidArgument: as of the
// reader of HLO text, with the place in the text; or computations, metadata or
// control-predecessors, which aren't given so.
absl::StatusOr<GivenAttributes> ReadAttributesText(Opcode opcode,
                                                   absl::string_view text);
// Reads the attributes among the fields of a serialized HloInstructionProto.
absl::StatusOr<GivenAttributes> ReadAttributesProto(Opcode opcode,
                                                    absl::string_view bytes);
// Either of them, by the form of `given`.
absl::StatusOr<GivenAttributes> ReadAttributesOf(Opcode opcode,
                                                 const indim_attributes& given);

// Whether they have nothing beside what the struct of the opcode holds.
bool IsPlain(Opcode opcode, const GivenAttributes& given);

// The rule by its number; nullopt: there is none.
std::optional<BroadcastRule> RuleOf(int32_t number);

}  // namespace indim::capi

#endif  // INDIM_BINDINGS_C_ATTRIBUTES_H_
