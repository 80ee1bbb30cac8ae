// SPDX-License-Identifier: Apache-2.0
// A program as text that tells all of it, for comparisons in tests.

#ifndef INDIM_TESTS_STABLEHLO_BYTECODE_IR_DUMP_H_
#define INDIM_TESTS_STABLEHLO_BYTECODE_IR_DUMP_H_

#include <string>

#include "indim/stablehlo/mlir/ir.h"

namespace indim::mlir {

// A line for each operation and block: names, values by number, types,
// attributes and, if asked for, locations. Names of values and offsets aren't
// in it. Equal programs have equal dumps. It recurses into regions, attributes
// and types.
std::string DumpIr(const Ir& ir, bool locations);

}  // namespace indim::mlir

#endif  // INDIM_TESTS_STABLEHLO_BYTECODE_IR_DUMP_H_
