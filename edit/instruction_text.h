// SPDX-License-Identifier: Apache-2.0
// The value and the attributes of a node, for patterns.

#ifndef INDIM_EDIT_INSTRUCTION_TEXT_H_
#define INDIM_EDIT_INSTRUCTION_TEXT_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "indim/edit/edit_session.h"
#include "indim/proto/codec/literal.h"

namespace indim::internal {

// The literal of a constant or a custom-call. NotFound: it has none.
absl::StatusOr<Literal> LiteralOf(const EditSession& graph, uint32_t node);

// Whether the HLO text of the node has these attributes: keys, and values
// without blanks.
bool HasAttributes(
    const EditSession& graph, uint32_t node,
    const std::vector<std::pair<std::string, std::string>>& attributes);

}  // namespace indim::internal

#endif  // INDIM_EDIT_INSTRUCTION_TEXT_H_
