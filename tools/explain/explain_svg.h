// SPDX-License-Identifier: Apache-2.0
// Drawings of broadcasting as SVG.

#ifndef INDIM_TOOLS_EXPLAIN_EXPLAIN_SVG_H_
#define INDIM_TOOLS_EXPLAIN_EXPLAIN_SVG_H_

#include <string>
#include <vector>

#include "indim/shape/broadcast/broadcast.h"
#include "indim/shape/types/shape.h"
#include "indim/tools/explain/explain_question.h"
#include "indim/tools/explain/explain_values.h"

namespace indim {

// What stands above a drawing and below it.
struct SvgWords {
  std::string heading;
  std::vector<std::string> notes;
};

// A row for each step: the arrays with their elements, those that stretching
// made paler, the result at the end of the last.
std::string ValuesSvg(const BroadcastQuestion& question,
                      const ValueDrawing& drawing, const SvgWords& words);

// Sizes alone: a row for each operand and the result, a column for each dim of
// the result; what stretches is paler, what may stretch at run time dashed.
std::string DimsSvg(const BroadcastQuestion& question,
                    const BroadcastPlan& plan, const Shape& result,
                    const SvgWords& words);

// Words alone, of operands that don't match.
std::string WordsSvg(const SvgWords& words);

}  // namespace indim

#endif  // INDIM_TOOLS_EXPLAIN_EXPLAIN_SVG_H_
