// SPDX-License-Identifier: Apache-2.0
// Interface: the inputs and outputs of a compiled program, as arrays with
// names. Plugins know no tuples: the arrays of a tuple are passed one by one,
// and become a tuple again on our side. Tokens hold nothing and aren't passed.

#ifndef INDIM_RUN_COMPILE_INTERFACE_H_
#define INDIM_RUN_COMPILE_INTERFACE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "indim/ir/module.h"
#include "indim/proto/codec/literal.h"
#include "indim/shape/types/shape.h"
#include "indim/sharding/tiling/tiling.h"

namespace indim::pjrt {

// An array that is an input or an output. A parameter or a result that is a
// tuple has a port for each array: "state.0", "state.1.0".
struct Port {
  std::string name;
  Shape shape;  // without a layout
  // Of a program on several partitions, which part each of them has.
  Tiling tiling = {};
  // The module says how it is cut; else the partitioner does.
  bool has_sharding = false;
};

struct Interface {
  // As the module has them: tuples are tuples.
  std::vector<Shape> parameters;
  Shape result;
  std::vector<Port> inputs;
  std::vector<Port> outputs;
};

// Of the module's entry computation. A result has the name of its element of
// the root's tuple, or of the root. Errors, InvalidArgument, IND1105: the
// module has no entry computation, an array of a parameter isn't static, one of
// the result neither static nor bounded, or buffers don't have its type.
absl::StatusOr<Interface> InterfaceOf(const Module& module);

// The arrays of a value, depth first, without tokens.
std::vector<Literal> LeavesOf(absl::Span<const Literal> values);

// The value of `shape` whose arrays these are; takes those it needs from
// `*leaves`, from the front.
Literal ValueOf(const Shape& shape, absl::Span<const Literal>* leaves);

}  // namespace indim::pjrt

#endif  // INDIM_RUN_COMPILE_INTERFACE_H_
