// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/attribute_ids.h"

#include "indim/proto/codec/attribute_wire.h"

namespace indim::internal {

AttributeBytesId AttributeIds::Of(Opcode opcode, const Attributes& attributes) {
  switch (Info(opcode).attributes) {
    case AttributesKind::kNo:
      return AttributeBytesId();
    case AttributesKind::kElementwise:
      return Of(opcode, As<ElementwiseAttributes>(attributes).broadcast);
    case AttributesKind::kCompare:
      return Of(opcode, As<CompareAttributes>(attributes));
    case AttributesKind::kDimensions:
      return Of(opcode, As<DimensionsAttributes>(attributes));
    case AttributesKind::kParameter:
      return Of(opcode, As<ParameterAttributes>(attributes));
    case AttributesKind::kDot:
      return Of(opcode, As<DotAttributes>(attributes));
    default:
      return Encode(opcode, attributes);
  }
}

AttributeBytesId AttributeIds::Encode(Opcode opcode,
                                      const BroadcastSpec& broadcast) {
  return Encode(opcode, Attributes(ElementwiseAttributes{broadcast}));
}

AttributeBytesId AttributeIds::Encode(Opcode opcode,
                                      const Attributes& attributes) {
  return pools_.AddAttributeBytes(EncodeAttributes(opcode, attributes).view());
}

}  // namespace indim::internal
