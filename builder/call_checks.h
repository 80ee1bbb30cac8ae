// SPDX-License-Identifier: Apache-2.0
// Checks of calls that shape functions don't make: values that C++ can express
// and files can't, what only XLA's verifier checks, strict types.

#ifndef INDIM_BUILDER_CALL_CHECKS_H_
#define INDIM_BUILDER_CALL_CHECKS_H_

#include <optional>

#include "indim/ir/ids.h"
#include "indim/ir/shape_table.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"

namespace indim::internal {

// Records an error for attributes that no file can hold (text that isn't
// UTF-8) or that no text can (dim_labels of eleven spatial dims), and for a
// shape with an invalid layout or element type. False: it did.
bool CheckAttributeBytes(Opcode opcode, const Attributes* attributes,
                         AttributeBytesView bytes, InferContext* context);
bool CheckShape(const Shape& shape, InferContext* context);

// The attributes as text says them: without what says nothing of the op, for
// which no text has a place; and where layouts are demanded, with the usual
// ones of scalars, which XLA wants and no text says. nullopt: they are so.
std::optional<Attributes> AsTextSays(Opcode opcode,
                                     const Attributes& attributes);
// The id of `shape`. The usual layout of a scalar says nothing, and no text has
// a place for it.
ShapeId InternGiven(const Shape& shape, ShapeTable* shapes);
// The id of a call's declared shape: as `shape`, or with the layouts of scalars
// of a call that demands layouts. `attributes` may be null.
ShapeId InternDeclared(Opcode opcode, const Attributes* attributes,
                       const Shape& shape, ShapeTable* shapes);

// Checks that only XLA's verifier makes, which a user would otherwise see at
// export: a comparator's signature. Its errors replace any warnings.
void CheckForVerifier(const OpInputs& inputs, InferContext* context);
// Makes the warnings that strict types forbid errors.
void CheckStrictTypes(const OpInputs& inputs, InferContext* context);

}  // namespace indim::internal

#endif  // INDIM_BUILDER_CALL_CHECKS_H_
