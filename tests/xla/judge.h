// SPDX-License-Identifier: Apache-2.0
// Judge: real XLA, and NumPy beside it.
//
//   JudgedModule m("sums");
//   JudgedModule::Input x = m.AddInput("f32[2,3]");
//   JudgedModule::Input y = m.AddInput("f32[3]");
//   m.Expect(m.builder().Add(x.op, y.op, {1}), "op_add(*xla(p0, p1, [1]))");
//   m.Run();
//
// builds the module, exports it, has XLA compile and run it on made-up inputs,
// and compares each result with the expression, which NumPy evaluates (see
// numpy_reference.py). XLA runs in one Python process (xla_runner.py) that
// lives as long as the test program.

#ifndef INDIM_TESTS_XLA_JUDGE_H_
#define INDIM_TESTS_XLA_JUDGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/builder/computation_builder.h"
#include "indim/shape/ops/opcode.h"
#include "indim/tests/xla/skipped_without_xla.h"
#include "indim/tools/output/json_writer.h"

namespace indim {

// Has the runner do `command` with what `request` says and the blobs;
// see xla_runner.py. Its answer, or FailedPrecondition: there is no such
// Python, or it died; InvalidArgument: XLA refuses or NumPy differs, the
// message says how.
absl::StatusOr<std::string> AskXla(absl::string_view command,
                                   JsonWriter request,
                                   absl::Span<const std::string> blobs);

// Whether the pinned jaxlib, 0.10.2, has the operation: those of XLA 0.12 it
// hasn't.
bool IsKnownToXla(Opcode opcode);

// The range of made-up values (numpy_reference.py, make_input).
enum class Domain {
  kAny,       // floats around 0; integers over all their range
  kSpecial,   // also zeros of both signs, infinities, NaN
  kPositive,  // 0.1..4; integers 1..49
  kUnit,      // -0.74..0.9; integers 0, 1
  kCount,     // quarters 0..3.75; integers 0..4
  kAboveOne,  // 1.1..4
  kSmall,     // whole numbers of few digits: sums and products are exact
  kExponent,  // -2..2; integers 0..5
  kShift,     // from -2 past the width
  kWeight,    // of a layer: its results are about as large as its inputs
};

// JSON of an input: its shape and domain.
std::string InputJson(const Shape& shape, Domain domain);

class JudgedModule {
 public:
  explicit JudgedModule(absl::string_view name, uint32_t seed = 1);

  ComputationBuilder& builder() { return builder_; }

  struct Input {
    Op op;
    std::string name;  // "p0", "p1", ...: its name in expressions
    std::string raw;   // "raw[0]", ...: as it is, not widened
  };
  Input AddInput(const ShapeArg& shape, Domain domain = Domain::kAny);
  // With values, as JSON: nested lists of numbers.
  Input AddInput(const ShapeArg& shape, absl::string_view json_values);

  // `result` must be what `numpy_expression` says. `ulps`: how many steps of
  // its float type it may differ; 0: 1 step of types up to 16 bits, 24 of
  // others. A poisoned result is a failure of the test at once.
  void Expect(Op result, absl::string_view numpy_expression, int ulps = 0);

  // All expected results as one tuple, on XLA; a difference is a failure of the
  // test. Once; Run or Bytes.
  void Run();
  // The same, but XLA's CPU client can't run it: it must read the bytes, show
  // `opcode` in them, and refuse to compile with `message`.
  void RunRefused(absl::string_view opcode, absl::string_view message);
  // The module of all expected results, exported; "" after a failure, which is
  // a failure of the test.
  std::string Bytes();

  int results() const { return static_cast<int>(results_.size()); }

 private:
  absl::StatusOr<std::string> Compare(const std::string& bytes);

  uint32_t seed_;
  ComputationBuilder builder_;
  std::vector<std::string> inputs_;        // JSON
  std::vector<Op> results_;                // the tuple's
  std::vector<std::string> expectations_;  // JSON
};

}  // namespace indim

#endif  // INDIM_TESTS_XLA_JUDGE_H_
