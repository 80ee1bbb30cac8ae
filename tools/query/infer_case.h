// SPDX-License-Identifier: Apache-2.0
// The answer to a case of rule "xla": InferShape, or one of the
// builder's forms.

#ifndef INDIM_TOOLS_QUERY_INFER_CASE_H_
#define INDIM_TOOLS_QUERY_INFER_CASE_H_

#include <optional>

#include "indim/shape/infer/infer.h"
#include "indim/shape/types/shape.h"
#include "indim/tools/query/case.h"

namespace indim {

// nullopt: the context's diagnostics say why.
std::optional<Shape> InferCase(InferContext* context, const Case& c);

}  // namespace indim

#endif  // INDIM_TOOLS_QUERY_INFER_CASE_H_
