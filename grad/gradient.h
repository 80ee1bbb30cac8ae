// SPDX-License-Identifier: Apache-2.0
// Derivatives of modules: Gradient (reverse mode) and Tangents (forward mode).
//
//   absl::StatusOr<Module> gradient = Gradient(module, {0, 2});
//
// What comes out is a module like any other: it can be verified, written, run,
// and differentiated again.

#ifndef INDIM_GRAD_GRADIENT_H_
#define INDIM_GRAD_GRADIENT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "indim/ir/module.h"
#include "indim/shape/diagnostics/rendered.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"

namespace indim {

// What of the steps of a while reverse mode keeps until their transpose runs.
enum class LoopMemory : uint8_t {
  kResiduals,  // the values that the transpose needs, of each step
  kStates,     // the state before each step; the body runs once more
  kSegments,   // the state before each run of about sqrt(n) steps, and then the
               // residuals of one run; the body runs once more
  kNothing     // each step's state is computed from the start: quadratic time
};

// A value that the forward part of a gradient keeps until the reverse part
// needs it.
struct KeptValue {
  int64_t bytes = 0;  // in all; 0 where sizes aren't numbers
  // Of loops: how many steps keep one each, on a stack.
  int64_t steps = 1;
  // The instruction that computes it, in the module of the gradient, where it
  // may be in a computation that is called; its name there, op_name and line.
  Shape shape;
  Opcode opcode = Opcode::kInvalid;
  std::string name;
  std::string op_name;
  SourceLocation location;
};
// A line with the sums, then one for each value.
std::string KeptText(absl::Span<const KeptValue> kept);

struct GradientOptions {
  LoopMemory loops = LoopMemory::kResiduals;
  // How many steps a while is prepared for whose number of steps isn't known
  // when the graph is made. The loop counts them; if it runs longer, its
  // gradients are NaN. 0: no number; such a loop has a derivative in forward
  // mode, and in reverse mode with LoopMemory::kNothing.
  int64_t loop_bound = 0;
  // Gradients of complex parameters are conjugated, and so are the cotangents
  // that come in, as in PyTorch and TensorFlow: the direction of steepest
  // ascent of a real result. Else they are JAX's. Tangents are the same in
  // both.
  bool conjugate = false;
  // Gets a warning for each parameter in `wrt` whose gradient is known to be
  // zero: IND1402, each path to a result ends in an instruction whose
  // derivative is 0 (integers, floor, sign, bitcast-convert), which it names;
  // IND1403, no result depends on it. Tangents() warns only if all that it
  // gives is zero. Null: no warnings.
  std::vector<RenderedDiagnostic>* warnings = nullptr;
  // Gets what Gradient() keeps from forward to reverse, largest first, but for
  // parameters and constants. A compiler may keep less: it may compute a value
  // again. Null: nobody asks.
  std::vector<KeptValue>* kept = nullptr;
};

// The module that computes the gradients of the entry's parameters `wrt`, which
// are floats or complex numbers, or tuples with such arrays, each of which gets
// a gradient, depth first: the sum over the results of <cotangent, result>,
// differentiated. Its parameters are the module's, then a cotangent
// for each result that is a float or complex, in order; its result is a tuple
// of the gradients in the order of `wrt` (of one, the gradient itself), of the
// parameters' types and dims. Complex numbers as in JAX: no conjugate,
// unless the options say so.
// `wrt` empty: all parameters that can be differentiated. Errors: those of the
// verifier; IND1400, an instruction that a derivative must pass has none;
// IND1401, a parameter or the result has none.
absl::StatusOr<Module> Gradient(const Module& module,
                                absl::Span<const int64_t> wrt,
                                const GradientOptions& options = {});

// The module that computes the tangents of the results. Its parameters are the
// module's, then a tangent for each parameter in `wrt`, or for each array of a
// tuple, in order; its result is a tuple of the tangents of the results that
// are floats or complex (of one, the tangent itself).
absl::StatusOr<Module> Tangents(const Module& module,
                                absl::Span<const int64_t> wrt,
                                const GradientOptions& options = {});

}  // namespace indim

#endif  // INDIM_GRAD_GRADIENT_H_
