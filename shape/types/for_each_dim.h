// Visits the sizes of a shape, at every depth.

#ifndef INDIM_SHAPE_TYPES_FOR_EACH_DIM_H_
#define INDIM_SHAPE_TYPES_FOR_EACH_DIM_H_

#include "indim/shape/dims/dim.h"
#include "indim/shape/types/shape.h"

namespace indim {

// Calls f(Dim) for each dim, a tuple's elements before the tuple. An unranked
// array has no dims.
template <typename F>
void ForEachDim(const Shape& shape, const F& f) {
  for (const Shape& element : shape.elements()) ForEachDim(element, f);
  for (const Dim dim : shape.dims()) f(dim);
}

}  // namespace indim

#endif  // INDIM_SHAPE_TYPES_FOR_EACH_DIM_H_
