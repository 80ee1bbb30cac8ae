// SPDX-License-Identifier: Apache-2.0
// Which fields a question may have: those that its rule reads, and those of the
// askers, which are left alone. A field that nobody reads is an error, for the
// answer would be that of another question.

#ifndef INDIM_TOOLS_QUERY_QUESTION_FIELDS_H_
#define INDIM_TOOLS_QUERY_QUESTION_FIELDS_H_

#include <google/protobuf/struct.pb.h>

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/tools/query/case_reader.h"

namespace indim {

// What is wrong with the names of `line`'s fields, with what would have worked;
// "": nothing is, or the rule isn't known. Fields whose value is null are not
// there. `c` is the line as it was read, of which only rule, query and op
// matter; `attributes` are the names of those that its op may have.
std::string FaultOfFields(const google::protobuf::Struct& line, const Case& c,
                          absl::Span<const absl::string_view> attributes);

}  // namespace indim

#endif  // INDIM_TOOLS_QUERY_QUESTION_FIELDS_H_
