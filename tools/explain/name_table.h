// SPDX-License-Identifier: Apache-2.0
// What operations and functions are called in HLO, XLA's builder, StableHLO,
// JAX, NumPy, C++ and Python: name_table.def, with the C++ signatures that
// make_signatures.py reads in the builder's headers.

#ifndef INDIM_TOOLS_EXPLAIN_NAME_TABLE_H_
#define INDIM_TOOLS_EXPLAIN_NAME_TABLE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/shape/ops/opcode.h"

namespace indim {

// A row, with the names of each column of name_table.def.
struct NameRow {
  using Names = std::vector<absl::string_view>;

  std::optional<Opcode> opcode;  // nullopt: a function made of several
  Names hlo;                     // the opcode's, or none
  Names xla;
  Names cpp;
  Names mlir;  // that of the operation in StableHLO's table first
  Names jax;
  Names numpy;
  Names c;  // of cpp's functions (composites.def)
  Names python;
  Names words;

  // The signatures of cpp's names.
  Names signatures() const;
};
absl::Span<const NameRow> NameRows();

// A row of composites.def: what C's indim_composite takes.
struct CompositeNames {
  absl::string_view name;        // "mat_mul"
  absl::string_view cpp;         // "MatMul"
  absl::string_view parameters;  // "x; y; preferred_element_type = null"
};
absl::Span<const CompositeNames> Composites();

// "Op ComputationBuilder::Exp(Op operand)" for "b.Exp"; "" for a name that no
// header of the builder declares.
absl::string_view CppSignature(absl::string_view name);

// The rows that have `name` in a column. "jnp.where", "jax.numpy.where",
// "np.where", "stablehlo.select" and "xla::Select" ask one column, "where" all
// of them. Capitals don't matter where no row has the name as it is written.
std::vector<const NameRow*> FindNames(absl::string_view name);

// What `name` is called everywhere, and of an operation what it does; "" for a
// name that no row has. With `json` one object a row, each on a line.
std::string ExplainName(absl::string_view name, bool json = false);

// All single names, for proposals.
std::vector<absl::string_view> KnownNames();

}  // namespace indim

#endif  // INDIM_TOOLS_EXPLAIN_NAME_TABLE_H_
