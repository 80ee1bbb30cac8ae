// SPDX-License-Identifier: Apache-2.0
// Two values of one thing: what we compute and what XLA computed.

#ifndef INDIM_TOOLS_VALUES_COMPARE_VALUES_H_
#define INDIM_TOOLS_VALUES_COMPARE_VALUES_H_

#include <string>

#include "indim/proto/codec/literal.h"

namespace indim {

struct ValueComparison {
  // False: more than rounding is different: shapes, an integer or pred, a NaN
  // or an infinity that the other has not, or a floating element by more than
  // about half of its type's digits of the largest in its array.
  bool ok = true;
  std::string text;  // "equal", "equal but for rounding: ...", "differs: ..."
};
ValueComparison CompareValues(const Literal& computed, const Literal& recorded);

}  // namespace indim

#endif  // INDIM_TOOLS_VALUES_COMPARE_VALUES_H_
