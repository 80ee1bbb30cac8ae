// SPDX-License-Identifier: Apache-2.0
// Which parts of a mesh's axes are in use.

#ifndef INDIM_SHARDING_VALUES_AXIS_USE_H_
#define INDIM_SHARDING_VALUES_AXIS_USE_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "indim/sharding/values/mesh.h"

namespace indim {

// Tracks which parts of a mesh's axes are in use: each at most once.
class AxisUse {
 public:
  // In XLA the range between two parts of an axis must be a factor of it too;
  // Shardy lacks this rule.
  enum class Rules { kXla, kShardy };

  // `mesh` must outlive it.
  explicit AxisUse(const Mesh& mesh, Rules rules = Rules::kXla)
      : mesh_(mesh), rules_(rules) {}

  // Takes `axes`, which cut one thing together; from major to minor in the mesh
  // if `sorted`. Returns the fault (XLA: VerifyNamedSharding,
  // ValidateSpanOfAxes; Shardy: verifyTensorShardingAttr), as the predicate of
  // a sentence about the user; "": none.
  std::string Take(absl::Span<const AxisRef> axes, bool sorted);
  // Takes `axes`, which are of the mesh. False: they exclude each other, or one
  // that was taken before.
  bool Add(absl::Span<const AxisRef> axes);
  // The number of parts into which the axes of the last Take cut.
  int64_t parts() const { return parts_; }

 private:
  // A factor of an axis: from `pre_size` to `end`, both products of sizes
  // counted from the most major.
  struct Part {
    int64_t axis;
    bool whole;
    int64_t pre_size;
    int64_t end;
  };
  // Makes the part that `ref` names. Returns its fault; "": none.
  std::string Read(const AxisRef& ref, Part* part) const;
  bool Exclude(const Part& a, const Part& b) const;
  // False: it excludes another one.
  bool Add(const Part& part);
  // The order in the mesh.
  static bool Less(const Part& a, const Part& b);

  const Mesh& mesh_;
  const Rules rules_;
  absl::flat_hash_map<int64_t, absl::InlinedVector<Part, 1>> taken_;  // by axis
  int64_t parts_ = 1;
};

}  // namespace indim

#endif  // INDIM_SHARDING_VALUES_AXIS_USE_H_
