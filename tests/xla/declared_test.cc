// SPDX-License-Identifier: Apache-2.0
// Operations drawn of what their rows declare, as real XLA reads them: what it
// makes of each operation is what was recorded.

#include <iostream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "indim/builder/computation_builder.h"
#include "indim/passes/export/export.h"
#include "indim/shape/ops/opcode.h"
#include "indim/tests/builder/callee_of.h"
#include "indim/tests/sample.h"
#include "indim/tests/xla/judge.h"
#include "indim/tests/xla/random_operands.h"

namespace indim {
namespace {

// One call of it, on parameters; nullopt: it has no computation to call.
std::optional<Op> Call(const OwnedInputs& drawn, int64_t* parameter,
                       ComputationBuilder* b) {
  std::vector<Callee> callees;
  for (const Signature& signature : drawn.callees) {
    absl::StatusOr<Module> callee = CalleeOf(signature);
    if (!callee.ok()) return std::nullopt;
    callees.emplace_back(*std::move(callee));
  }
  std::vector<Op> operands;
  for (const Shape& shape : drawn.operands) {
    operands.push_back(b->Parameter((*parameter)++, shape));
  }
  std::optional<Shape> result;
  if (!drawn.declared.is_none()) result = drawn.declared;
  return b->AddInstruction(drawn.opcode, operands, drawn.attributes, result,
                           callees);
}

TEST(DeclaredTest, XlaReadsWhatIsDeclared) {
  std::set<std::string> read, others;
  int64_t right = 0, calls = 0;
  for (const OpInfo& op : AllOps()) {
    if (op.opcode == Opcode::kParameter || op.opcode == Opcode::kConstant ||
        !IsKnownToXla(op.opcode)) {
      continue;
    }
    RandomOperands random(static_cast<uint32_t>(op.opcode) + 1);
    const int draws = 4;
    for (int i = 0; i < draws; i += SampleStep(4)) {
      const std::optional<OwnedInputs> drawn = random.Declared(op.opcode);
      ++calls;
      if (!drawn) continue;
      ComputationBuilder b(absl::StrCat("declared_", i));
      int64_t parameter = 0;
      const std::optional<Op> result = Call(*drawn, &parameter, &b);
      if (!result) continue;
      const absl::StatusOr<Module> module = b.Build(*result);
      if (!module.ok()) continue;  // the builder asks for more
      const absl::StatusOr<std::string> bytes = ExportHloModuleProto(*module);
      if (!bytes.ok()) continue;  // what needs a partner
      ++right;
      const absl::StatusOr<std::string> text = AskXla("read", {}, {*bytes});
      EXPECT_TRUE(text.ok()) << op.wire << ": " << text.status();
      if (!text.ok()) continue;
      EXPECT_TRUE(absl::StrContains(*text, absl::StrCat(op.wire, "(")))
          << *text;
      read.insert(std::string(op.wire));
    }
    if (read.count(std::string(op.wire)) == 0) {
      others.insert(std::string(op.wire));
    }
  }
  std::cout << right << " of " << calls << " draws, " << read.size()
            << " ops; not";
  for (const std::string& op : others) std::cout << " " << op;
  std::cout << "\n";
  EXPECT_GE(read.size(), 90);
}

}  // namespace
}  // namespace indim
