#include "indim/passes/export/xla_spelling.h"

#include "absl/status/statusor.h"
#include "indim/proto/codec/attribute_wire.h"
#include "indim/shape/ops/attributes.h"

namespace indim {

int FirstOpenLimit(const ModuleData& data, const InstructionRecord& r) {
  if (r.opcode != Opcode::kSlice) return -1;
  const absl::StatusOr<Attributes> attributes = DecodeAttributes(
      r.opcode, data.pools->attribute_bytes(r.attribute_bytes));
  if (!attributes.ok()) return -1;
  const DimIndices& whole = As<SliceAttributes>(*attributes).whole;
  return whole.empty() ? -1 : static_cast<int>(whole.front());
}

}  // namespace indim
