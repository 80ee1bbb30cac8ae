// How nodes were checked, added up in a VerifyResult.

#ifndef INDIM_PASSES_CHECK_COUNTS_H_
#define INDIM_PASSES_CHECK_COUNTS_H_

#include <cstdint>
#include <string>

#include "indim/ir/module_data.h"
#include "indim/passes/verify_shapes.h"
#include "indim/shape/infer.h"

namespace indim {

// Of the instruction at `position` of the module.
inline void CountCheck(const NodeCheck& check, const ModuleData& data,
                       uint32_t position, VerifyResult* result) {
  if (check.broadcastable) ++result->broadcastable;
  switch (check.kind) {
    case CheckKind::kInferred:
      ++result->inferred;
      return;
    case CheckKind::kRelated:
      ++result->related;
      return;
    case CheckKind::kUnchecked:
      ++result->unchecked;
      ++result->unchecked_ops[std::string(data.OpcodeName(position))];
  }
}

}  // namespace indim

#endif  // INDIM_PASSES_CHECK_COUNTS_H_
