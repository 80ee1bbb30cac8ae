// What XLA has a spelling for.

#ifndef INDIM_PASSES_EXPORT_XLA_SPELLING_H_
#define INDIM_PASSES_EXPORT_XLA_SPELLING_H_

#include "indim/ir/module_data.h"
#include "indim/shape/types/shape.h"

namespace indim {

// False: it is unranked, or has a dim with a lower bound, somewhere in it.
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

// The first dim of a slice that goes to the end of a size that wasn't known
// ([0:?]), and whose limit refinement has not written; -1: there is none, or
// `r` is no slice.
int FirstOpenLimit(const ModuleData& data, const InstructionRecord& r);

}  // namespace indim

#endif  // INDIM_PASSES_EXPORT_XLA_SPELLING_H_
