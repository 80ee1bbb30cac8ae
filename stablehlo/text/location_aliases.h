// SPDX-License-Identifier: Apache-2.0
// The aliases that MLIR's printer gives locations: #loc, #loc1 ...

#ifndef INDIM_STABLEHLO_TEXT_LOCATION_ALIASES_H_
#define INDIM_STABLEHLO_TEXT_LOCATION_ALIASES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "indim/stablehlo/mlir/ir.h"

namespace indim::mlir {

class LocationAliases {
 public:
  // `ir` must outlive this.
  explicit LocationAliases(const Ir& ir) : ir_(ir) {}

  // Adds a location, and the locations inside it, in the order of the text.
  // early: the location stands in the text without an alias, so the aliases of
  // its parts are printed before the text.
  void Add(AttrId location, bool early);
  // Numbers the added locations: by how deep they nest, then in order.
  void Number();

  // Appends "#loc3"; false: it has no alias.
  bool Append(AttrId location, std::string* out) const;
  // Those to print before the text (early) or behind it, in their order.
  std::vector<AttrId> Listed(bool early) const;

 private:
  struct Alias {
    uint32_t depth = 0;
    uint32_t number = 0;
    bool noted = false;
    bool early = false;
  };
  Alias& At(AttrId location);
  // The locations inside a location.
  absl::Span<const AttrId> PartsOf(AttrId location) const;

  const Ir& ir_;
  std::vector<Alias> aliases_;  // by the attribute's index
  std::vector<AttrId> order_;
  Alias unknown_;  // the location of what has none
};

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_TEXT_LOCATION_ALIASES_H_
