// SPDX-License-Identifier: Apache-2.0
// SizeWriter: sizes that are known at run time only, as values. A result whose
// size is an expression of names needs them: StableHLO's types say `?` there,
// and the operation takes its sizes as an operand.
//
// A name is read from a dim of an argument of the function: get_dimension_size.

#ifndef INDIM_STABLEHLO_EXPORT_SIZE_WRITER_H_
#define INDIM_STABLEHLO_EXPORT_SIZE_WRITER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "indim/shape/dims/dim.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"
#include "indim/stablehlo/export/mlir_names.h"

namespace indim::stablehlo_export {

class NodeExport;

// The arguments of a function from which names of sizes are read.
class NamedSizes {
 public:
  // Notes the names in the dims of an argument: an array with its value.
  void Add(const Shape& shape, ValueId argument);

  struct Source {
    ValueId argument;
    int64_t dim = 0;
    int64_t offset = 0;  // the dim is factor*name+offset
    int64_t factor = 1;
    bool is_name() const { return offset == 0 && factor == 1; }
  };
  // Null: no argument gives it.
  const Source* Find(const std::string& name) const;
  void clear() { sources_.clear(); }

 private:
  absl::flat_hash_map<std::string, Source> sources_;
};

// Whether the operation needs the sizes of its result as an operand: a dim is a
// name, an expression or unknown. Bounded dims are part of the type.
bool HasOpenDims(const Shape& shape);

// A vector of s32 with the sizes of `shape`, an array with open dims. For a dim
// without a name, `known(i)` gives a value that has the size as its dim: the
// value and the dim. nullopt: refused.
struct SizeRef {
  ValueId value;
  int64_t dim = 0;
};
using KnownSizes = std::vector<std::optional<SizeRef>>;
std::optional<ValueId> SizesOf(const Shape& shape, const KnownSizes& known,
                               NodeExport* node);

}  // namespace indim::stablehlo_export

#endif  // INDIM_STABLEHLO_EXPORT_SIZE_WRITER_H_
