// InferAndVerify: InferShapes and VerifyModule in one sweep, for what is read
// from files.

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

// The same as
//
//   result.inferred = InferShapes(std::move(module), infer);
//   result.verified = VerifyModule(result.inferred.module, verify);
//
// (infer_shapes.h, verify_module.h), in less time: each node is looked at once,
// and what is inferred of it is what its record is compared with.
InferAndVerifyResult InferAndVerify(Module module,
                                    const InferOptions& infer = {},
                                    const VerifyOptions& verify = {});

}  // namespace indim

#endif  // INDIM_PASSES_CHECK_INFER_AND_VERIFY_H_
