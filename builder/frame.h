// Frame: a computation under construction: the builder's own, or a region that
// was begun inside it (region.h).

#ifndef INDIM_BUILDER_FRAME_H_
#define INDIM_BUILDER_FRAME_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "indim/builder/control_block.h"
#include "indim/builder/op.h"
#include "indim/builder/region.h"
#include "indim/ir/module_data.h"
#include "indim/storage/column.h"

namespace indim::internal {

// The part of a Frame that only a region has.
struct RegionPart {
  CaptureForm form = CaptureForm::kNone;
  // The nodes of the region's arguments, in order.
  std::vector<uint32_t> arguments;
  // Values of the enclosing computation that the region uses: each one's Op
  // there, and the node that stands for it here.
  struct Captured {
    Op outer;
    uint32_t node;
  };
  std::vector<Captured> captured;
  // The node here for a value of an enclosing computation, by its depth and its
  // node there; copied constants included.
  absl::flat_hash_map<uint64_t, uint32_t> local;
  // The nodes of the region's results, since EndRegion().
  std::vector<uint32_t> results;
  // Set by EndRegion(): a call inside the region failed.
  bool failed = false;

  // Of the recorder, when the region began: the number of errors, and the
  // sharding in scope, which isn't the region's.
  size_t errors_before = 0;
  std::optional<std::string> sharding;
};

struct Frame {
  // The Ops of this computation have these two.
  BuilderControl* control = nullptr;
  uint32_t generation = 0;

  std::string name;
  Column<InstructionRecord> instructions;
  Column<uint32_t> operands;                          // as in ModuleData
  absl::flat_hash_map<int64_t, uint32_t> parameters;  // node by number
  int64_t free_parameter = 0;  // all lower numbers are taken; for messages
  // Nodes that were given names, in any order, possibly with repetitions.
  std::vector<uint32_t> named;
  bool calls = false;  // whether a node has callees
  uint32_t root = 0;
  // The tokens that the next Infeed and Outfeed without a token follow.
  Op infeed_token;
  Op outfeed_token;

  std::unique_ptr<RegionPart> region;  // null: the builder's own computation
};

}  // namespace indim::internal

#endif  // INDIM_BUILDER_FRAME_H_
