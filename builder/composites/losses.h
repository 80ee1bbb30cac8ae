// SPDX-License-Identifier: Apache-2.0
// Losses of classifiers.
//
//   Op loss = Mean(CrossEntropy(logits, labels));   // f32[8,10], s32[8]:
//   f32[8]
//
// Logits are floats (IND0102) of known rank (IND0612); those below 32 bits are
// computed in f32. The result has the dims of the logits without those of the
// classes (negative: from the end; IND0111) and their type.
// computation_builder.h says how composites treat wrong Ops, lines and
// sharding.

#ifndef INDIM_BUILDER_COMPOSITES_LOSSES_H_
#define INDIM_BUILDER_COMPOSITES_LOSSES_H_

#include <cstdint>

#include "indim/builder/arguments.h"
#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"

namespace indim {

// -LogSoftmax(logits)[label] along `dim`, the dim of the classes, which has a
// name or an upper end (IND0613). `labels` are integers with the dims of the
// logits without `dim` (IND0655). A label that is no class gives 0, so that -1
// can stand for no label. Source: Optax,
// softmax_cross_entropy_with_integer_labels.
Op CrossEntropy(Op logits, Op labels, int64_t dim = -1,
                Caller caller = Caller::Here());

// -sum(probabilities * LogSoftmax(logits)) along `dims`. The probabilities are
// floats with the dims of the logits (IND0655). Source: Optax,
// softmax_cross_entropy.
Op SoftCrossEntropy(Op logits, Op probabilities, const DimsArg& dims = -1,
                    Caller caller = Caller::Here());

}  // namespace indim

#endif  // INDIM_BUILDER_COMPOSITES_LOSSES_H_
