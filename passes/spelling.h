// Which shapes XLA has a spelling for.

#ifndef INDIM_PASSES_SPELLING_H_
#define INDIM_PASSES_SPELLING_H_

#include "indim/shape/shape.h"

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

}  // namespace indim

#endif  // INDIM_PASSES_SPELLING_H_
