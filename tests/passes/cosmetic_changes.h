// SPDX-License-Identifier: Apache-2.0
// Changes of a module that change nothing that it means: what another release
// of a compiler may spell otherwise.
#ifndef INDIM_TESTS_PASSES_COSMETIC_CHANGES_H_
#define INDIM_TESTS_PASSES_COSMETIC_CHANGES_H_

#include "indim/proto/hlo.pb.h"
#include "indim/tests/proto/wire/wire_oracle.h"

namespace indim {

// Gives everything another name and another id, puts computations and
// instructions into another order in which callees and operands stand first,
// gives instructions other metadata, and channels other numbers. The schedule
// goes.
void ChangeLooks(Random* random, proto::HloModuleProto* module);

}  // namespace indim

#endif  // INDIM_TESTS_PASSES_COSMETIC_CHANGES_H_
