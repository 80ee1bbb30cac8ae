// SPDX-License-Identifier: Apache-2.0
// Reads an exported program back.

#ifndef INDIM_STABLEHLO_READ_BACK_H_
#define INDIM_STABLEHLO_READ_BACK_H_

#include "indim/stablehlo/export/export.h"

namespace indim {

// HLO's verifier takes modules whose StableHLO no verifier takes: a gather
// whose batching dims are indexed too, a loop whose body returns another type.
// This reads the program as ReadStablehlo does, infers and verifies it, and
// adds an error (IND1280) to the report for each that it finds, at the
// instruction that the operation was made from. Only for a program without
// errors.
void ReadBack(StablehloProgram* program);

}  // namespace indim

#endif  // INDIM_STABLEHLO_READ_BACK_H_
