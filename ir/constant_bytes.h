// SPDX-License-Identifier: Apache-2.0
// The attribute bytes of a constant: the field with its literal. Every constant
// that Indim makes comes through here; readers keep the bytes that a file has.

#ifndef INDIM_IR_CONSTANT_BYTES_H_
#define INDIM_IR_CONSTANT_BYTES_H_

#include "indim/ir/ids.h"
#include "indim/ir/pools.h"
#include "indim/proto/codec/literal.h"
#include "indim/proto/wire/attribute_bytes.h"

namespace indim {

// `others` has its other fields; a literal in it is replaced.
OwnedAttributeBytes ConstantBytes(const Literal& literal,
                                  AttributeBytesView others = {});
// Those of a new constant, in pools. Large ones aren't copied.
AttributeBytesId AddConstant(const Literal& literal, Pools* pools);

}  // namespace indim

#endif  // INDIM_IR_CONSTANT_BYTES_H_
