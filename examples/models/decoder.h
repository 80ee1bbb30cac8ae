// A decoder of text that generates tokens: attention with a cache of keys and
// values, rotary embedding, gated layers, and sampling by temperature among the
// most probable tokens. The whole generation is one loop on the device.
//
// Source: Touvron et al., LLaMA; Su et al., RoFormer (rotary embedding).

#ifndef INDIM_EXAMPLES_MODELS_DECODER_H_
#define INDIM_EXAMPLES_MODELS_DECODER_H_

#include "absl/status/statusor.h"
#include "indim/ir/module.h"

namespace indim {

// Parameters: the prompt s32[2,4], the state of the random numbers u64[2], the
// embedding f32[32,16] of 32 tokens, the last normalization f32[16]; then, for
// each of 2 layers with 4 heads: norm1 f32[16], qkv f32[16,12,4] (the heads of
// the queries, then of the keys, then of the values), out f32[4,4,16], norm2
// f32[16], gate, up f32[16,40], down f32[40,16].
// Result: the tuple (s32[2,12], the prompt and what follows it; the state of
// the random numbers; keys and values of each layer, f32[2,12,4,4]).
absl::StatusOr<Module> Decoder();

}  // namespace indim

#endif  // INDIM_EXAMPLES_MODELS_DECODER_H_
