// SPDX-License-Identifier: Apache-2.0
// InferAndVerify: InferShapes and VerifyModule in one sweep, for modules that
// are read from files.

#ifndef INDIM_PASSES_CHECK_INFER_AND_VERIFY_H_
#define INDIM_PASSES_CHECK_INFER_AND_VERIFY_H_

#include "indim/ir/module.h"
#include "indim/passes/check/infer_shapes.h"
#include "indim/passes/check/verify_shapes.h"

namespace indim {

struct InferAndVerifyResult {
  InferResult inferred;
  VerifyResult verified;

  bool ok() const { return inferred.ok() && verified.ok(); }
};

// Equivalent to
//
//   result.inferred = InferShapes(std::move(module), infer);
//   result.verified = VerifyModule(result.inferred.module, verify);
//
// (infer_shapes.h, verify_module.h), but faster: it visits each node once, and
// compares the recorded shape with the shape that it has just inferred.
InferAndVerifyResult InferAndVerify(Module module,
                                    const InferOptions& infer = {},
                                    const VerifyOptions& verify = {});

}  // namespace indim

#endif  // INDIM_PASSES_CHECK_INFER_AND_VERIFY_H_
