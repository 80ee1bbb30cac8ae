// SPDX-License-Identifier: Apache-2.0
// What a program says that MLIR takes and that means nothing.

#ifndef INDIM_STABLEHLO_IMPORT_MEANS_NOTHING_H_
#define INDIM_STABLEHLO_IMPORT_MEANS_NOTHING_H_

#include <string>
#include <vector>

#include "indim/stablehlo/import/functions.h"
#include "indim/stablehlo/import/mlir_names.h"
#include "indim/stablehlo/import/places.h"

namespace indim::stablehlo_import {

// A text for each kind, with its first line and their number: shardings that
// are none ("line 3: mhlo.sharding \"{replicate}\" isn't a sharding"), called
// computations of custom calls that the module lacks. In the order of the text.
std::vector<std::string> WhatMeansNothing(const Ir& ir,
                                          const Functions& functions,
                                          const Places& places);

}  // namespace indim::stablehlo_import

#endif  // INDIM_STABLEHLO_IMPORT_MEANS_NOTHING_H_
