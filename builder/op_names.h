// SPDX-License-Identifier: Apache-2.0
// Names of ops by where in a program they come from: they nest as its parts do.
//
//   ScopedOpName layer(&b, "layer1");
//   {
//     ScopedOpName attention(&b, "attention");
//     Op y = b.Dot(x, w);                     // op_name "layer1/attention"
//   }
//
// The name is op_name in OpMetadata. XLA shows it in profiles and errors, and
// keeps it as far as it can while it rewrites a graph. Source: JAX,
// named_scope.

#ifndef INDIM_BUILDER_OP_NAMES_H_
#define INDIM_BUILDER_OP_NAMES_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "indim/builder/computation_builder.h"

namespace indim {

// While it lives, the op_name of everything that the builder records is the
// one before, '/' and `name`; then it is the one before again, whatever
// set_op_name() was called with. The builder may be destroyed or moved before
// the scope ends. Not UTF-8: IND0609.
class ScopedOpName {
 public:
  ScopedOpName(ComputationBuilder* builder, absl::string_view name,
               Caller caller = Caller::Here());
  ~ScopedOpName();
  ScopedOpName(const ScopedOpName&) = delete;
  ScopedOpName& operator=(const ScopedOpName&) = delete;

 private:
  internal::BuilderControl* control_ = nullptr;
  uint32_t generation_ = 0;
  uint32_t before_ = 0;  // the id of the op_name before
};

}  // namespace indim

#endif  // INDIM_BUILDER_OP_NAMES_H_
