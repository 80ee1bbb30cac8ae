// SPDX-License-Identifier: Apache-2.0
// The answer to a case as JSON; query.h shows what it looks like.

#ifndef INDIM_TOOLS_QUERY_REPLY_JSON_H_
#define INDIM_TOOLS_QUERY_REPLY_JSON_H_

#include <string>

#include "indim/tools/query/answer_case.h"
#include "indim/tools/query/case.h"

namespace indim {

// One JSON object on one line, without a newline: the case's id, the answer,
// and, of an error in an operation of rule "xla", what would have worked.
std::string ReplyJson(const Case& c, const Reply& reply);

}  // namespace indim

#endif  // INDIM_TOOLS_QUERY_REPLY_JSON_H_
