// SPDX-License-Identifier: Apache-2.0
// The source lines of the instructions that an error of XLA names.

#ifndef INDIM_RUN_COMPILE_ERROR_PLACES_H_
#define INDIM_RUN_COMPILE_ERROR_PLACES_H_

#include "absl/status/status.h"
#include "indim/ir/module.h"

namespace indim::pjrt {

// `error` with a line behind it for each of the first few instructions of the
// module that its message names and whose place is known (PlaceText of
// ir/report.h).
absl::Status WithPlaces(const absl::Status& error, const Module& module);

}  // namespace indim::pjrt

#endif  // INDIM_RUN_COMPILE_ERROR_PLACES_H_
