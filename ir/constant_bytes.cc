// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/constant_bytes.h"

#include <memory>
#include <utility>

#include "indim/proto/codec/literal_proto.h"
#include "indim/proto/wire/field_numbers.h"

namespace indim {

OwnedAttributeBytes ConstantBytes(const Literal& literal,
                                  AttributeBytesView others) {
  return WithField(others, field::HloInstructionProto::kLiteral,
                   SerializeLiteralProto(literal));
}

AttributeBytesId AddConstant(const Literal& literal, Pools* pools) {
  auto bytes =
      std::make_shared<const OwnedAttributeBytes>(ConstantBytes(literal));
  if (bytes->view().size() <= Pools::kManyAttributeBytes) {
    return pools->AddAttributeBytes(bytes->view());
  }
  const AttributeBytesId id = pools->AddAttributeBytesView(bytes->view());
  pools->KeepAlive(std::move(bytes));
  return id;
}

}  // namespace indim
