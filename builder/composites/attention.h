// SPDX-License-Identifier: Apache-2.0
// Attention: a mean of values, weighted by how queries match keys.
//
//   AttentionOptions options;
//   options.causal = true;
//   Op y = DotProductAttention(q, k, v, options);   // f32[batch,time,heads,16]
//
// computation_builder.h says how composites treat wrong Ops, lines and
// sharding.

#ifndef INDIM_BUILDER_COMPOSITES_ATTENTION_H_
#define INDIM_BUILDER_COMPOSITES_ATTENTION_H_

#include <optional>

#include "indim/builder/computation_builder.h"
#include "indim/builder/op.h"

namespace indim {

struct AttentionOptions {
  // pred, of dims that broadcast to [batch, heads, queries, keys]: a query sees
  // a key only where it is true.
  std::optional<Op> mask = {};
  // Floats, of such dims: added to the scores.
  std::optional<Op> bias = {};
  // Query i sees the keys 0..i.
  bool causal = false;
  // The factor of the scores; without one 1 / sqrt(size of a head), which must
  // be static then (IND0617).
  std::optional<double> scale = {};
};

// softmax(scale * query . key + bias, masked) . value, for each batch and head.
// `query` is [batch, queries, heads, size], `key` and `value` are
// [batch, keys, heads, size], of one float type (IND0102, IND0103). Key and
// value may have fewer heads, of which each serves several heads of the query,
// side by side (IND0655: numbers of heads that don't go together). A query that
// sees no key gets the mean of all values, as in JAX. The result has the
// query's type and dims, with the value's size of a head. Scores and their
// softmax are computed in f32 at least. Errors also: IND0370, IND0612, ranks
// other than 4; and those of Einsum and Where. Source: JAX,
// nn.dot_product_attention.
Op DotProductAttention(Op query, Op key, Op value,
                       const AttentionOptions& options = {},
                       Caller caller = Caller::Here());

}  // namespace indim

#endif  // INDIM_BUILDER_COMPOSITES_ATTENTION_H_
