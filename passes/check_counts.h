// How nodes were checked, added up in a VerifyResult.

#ifndef INDIM_PASSES_CHECK_COUNTS_H_
#define INDIM_PASSES_CHECK_COUNTS_H_

#include <cstdint>

#include "indim/ir/module_data.h"
#include "indim/passes/verify_shapes.h"
#include "indim/shape/infer.h"

namespace indim {

void CountUnchecked(const ModuleData& data, uint32_t position,
                    VerifyResult* result);

// Of the instruction at `position` of the module.
inline void CountCheck(const NodeCheck& check, const ModuleData& data,
                       uint32_t position, VerifyResult* result) {
  result->broadcastable += check.broadcastable ? 1 : 0;
  if (check.kind == CheckKind::kInferred) {
    ++result->inferred;
  } else if (check.kind == CheckKind::kRelated) {
    ++result->related;
  } else {
    CountUnchecked(data, position, result);
  }
}

}  // namespace indim

#endif  // INDIM_PASSES_CHECK_COUNTS_H_
