// SPDX-License-Identifier: Apache-2.0
// Places: lines, and metadata, of the operations of a program.

#ifndef INDIM_STABLEHLO_IMPORT_PLACES_H_
#define INDIM_STABLEHLO_IMPORT_PLACES_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "indim/ir/ids.h"
#include "indim/ir/pools.h"
#include "indim/ir/text_positions.h"
#include "indim/stablehlo/import/mlir_names.h"

namespace indim::stablehlo_import {

class Places {
 public:
  // Both must outlive this. `numbered` as in ImportOptions.
  Places(const Ir& ir, absl::string_view text, bool numbered);

  // Line 0 where it isn't known.
  TextPlace At(Offset offset) const;
  // The OpMetadata of a location: the name of the op, and file and line. 0:
  // the location is unknown.
  MetadataId Metadata(AttrId location, Pools* pools);

 private:
  const Ir& ir_;
  absl::string_view text_;
  bool numbered_;
  std::vector<uint64_t> lines_;                         // where each begins
  absl::flat_hash_map<uint32_t, MetadataId> metadata_;  // by location
};

}  // namespace indim::stablehlo_import

#endif  // INDIM_STABLEHLO_IMPORT_PLACES_H_
