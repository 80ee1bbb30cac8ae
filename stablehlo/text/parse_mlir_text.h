// SPDX-License-Identifier: Apache-2.0
// The reader of MLIR text: generic and own forms of the operations of
// stablehlo/ops/ops.def, and the generic form of any other.

#ifndef INDIM_STABLEHLO_TEXT_PARSE_MLIR_TEXT_H_
#define INDIM_STABLEHLO_TEXT_PARSE_MLIR_TEXT_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/stablehlo/mlir/ir.h"
#include "indim/text/base/text_errors.h"

namespace indim::mlir {

// An operand that its operation gives another type than the value has.
struct OperandMismatch {
  Offset op = kNowhere;  // of the operation
  TextError error;       // IND1240, with the operand and a fix
};

// Reads a module, or a list of operations, which is the body of a module.
// Offsets in the Ir count in `text`.
//
// It reads what MLIR 22 with StableHLO 1.20 reads, and older spellings: all
// attributes in {}, dense<...> where array<i64: ...> stands today. Every
// operation of the table is checked against its row: the numbers of operands,
// results and regions, its attributes and their kinds, and the types of
// operands against the values' types. Values must stand before their uses.
//
// Errors: InvalidArgument with up to 20 mistakes as text/base/text_errors.h
// renders them, under the name `file`. Where `mismatches` isn't null, it gets
// those mistakes that are OperandMismatches, and the operations keep the values
// with their own types.
absl::StatusOr<Ir> ParseMlirText(
    absl::string_view text, absl::string_view file = "",
    std::vector<OperandMismatch>* mismatches = nullptr);

// Reads operations as they stand in a function, without it:
//
//   %0 = stablehlo.add %x, %y : tensor<2x3xf32>
//
// Values that none of them defines become arguments of @main, in the order of
// their first use and with the types that it says they have; the results of
// the last operation are @main's.
//
// Errors: those of ParseMlirText.
absl::StatusOr<Ir> ParseMlirStatement(absl::string_view text,
                                      absl::string_view file = "");

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_TEXT_PARSE_MLIR_TEXT_H_
