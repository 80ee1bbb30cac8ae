// SPDX-License-Identifier: Apache-2.0
// Answers to cases: questions about single operations as C++ values, without
// JSON. query.h reads and writes the JSON around it.
//
//   Case c;
//   c.op = "add";
//   c.opcode = Opcode::kAdd;
//   c.operands = {*ParseShape("f32[2,1]"), *ParseShape("f32[2,3]")};
//   Reply reply = AnswerCase(c);   // reply.shape: f32[2,3]

#ifndef INDIM_TOOLS_QUERY_ANSWER_CASE_H_
#define INDIM_TOOLS_QUERY_ANSWER_CASE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "indim/shape/diagnostics/diagnostic.h"
#include "indim/shape/infer/infer_components.h"
#include "indim/shape/types/shape.h"
#include "indim/tools/query/case.h"

namespace indim {

// The answer to one case. Of a question that nobody answers all is empty but
// `error`.
struct Reply {
  // The result of an "infer" or "broadcast" question; nullopt: the diagnostics
  // say why there is none.
  std::optional<Shape> shape;
  std::optional<bool> ok;  // "verify" questions
  std::vector<Diagnostic> diagnostics;
  std::vector<std::string> conditions;  // about symbols
  // Of each array of the result, where one axis was asked for.
  std::optional<std::vector<ShapedTypeComponents>> components;
  std::string error;  // where no diagnostic says it
};

// The answer, by the case's rule and query ("xla" and "infer" where it names
// none). Never fails: a rule or a query that isn't there is Reply::error, with
// the nearest that is.
Reply AnswerCase(const Case& c);

// Whether the query asks for one axis of each array of the result
// ("element_type", "rank", "dims") or for all of them ("components").
bool IsPartQuery(absl::string_view query);

}  // namespace indim

#endif  // INDIM_TOOLS_QUERY_ANSWER_CASE_H_
