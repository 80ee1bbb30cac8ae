// Which shapes and limits XLA can express.

#ifndef INDIM_PASSES_EXPORT_XLA_SPELLING_H_
#define INDIM_PASSES_EXPORT_XLA_SPELLING_H_

#include "indim/ir/module_data.h"
#include "indim/shape/types/shape.h"

namespace indim {

// False: it has an unranked part, or a dim with a lower bound.
inline bool HasXlaSpelling(const Shape& shape) {
  if (shape.is_unranked()) return false;
  for (const Dim dim : shape.dims()) {
    if (!dim.is_xla()) return false;
  }
  for (const Shape& element : shape.elements()) {
    if (!HasXlaSpelling(element)) return false;
  }
  return true;
}

// The first dim of a slice whose limit is still open: the end of a size that
// wasn't known ([0:?]), before refinement writes it. -1: none, or `r` isn't a
// slice.
int FirstOpenLimit(const ModuleData& data, const InstructionRecord& r);

}  // namespace indim

#endif  // INDIM_PASSES_EXPORT_XLA_SPELLING_H_
