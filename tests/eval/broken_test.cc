// SPDX-License-Identifier: Apache-2.0
// What verification would refuse, evaluated all the same: modules and single
// operations with one thing broken. Each gives a value, of the recorded shape,
// or an error of the evaluator's; whatever it is, nothing crashes.

#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "indim/eval/evaluator.h"
#include "indim/eval/values/random_literal.h"
#include "indim/proto/hlo.pb.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/shape/ops/constraint.h"
#include "indim/shape/ops/opcode.h"
#include "indim/tests/builder/callee_of.h"
#include "indim/tests/passes/breakages.h"
#include "indim/tests/sample.h"
#include "indim/tests/shape/infer/declared_inputs.h"
#include "indim/tests/tools/op_builders.h"

namespace indim {
namespace {

// "value", the code of an error, or "" for an error without one.
std::string OutcomeOf(const absl::StatusOr<Literal>& value) {
  if (value.ok()) return "value";
  const Code code = CodeOf(value.status());
  return code == Code::kNone ? "" : CodeText(code);
}

EvalOptions Limits() {
  EvalOptions options;
  options.max_steps = 100000;
  options.max_bytes = 1 << 24;
  return options;
}

void Print(const std::map<std::string, int>& outcomes) {
  for (const auto& [outcome, count] : outcomes) {
    std::cout << outcome << " " << count << "\n";
  }
}

// nullopt where there are no values of those shapes.
std::optional<std::vector<Literal>> MakeInputs(const Signature& signature) {
  RandomStream random(1);
  std::vector<Literal> inputs;
  for (const Shape& shape : signature.parameters) {
    absl::StatusOr<Literal> input = RandomLiteral(shape, &random);
    if (!input.ok()) return std::nullopt;
    inputs.push_back(*std::move(input));
  }
  return inputs;
}

TEST(BrokenTest, ModulesGiveAValueOrAnError) {
  std::map<std::string, int> outcomes;
  int count = 0;
  for (const OpBuilder& op : AllOpBuilders()) {
    TestBuilder b("case");
    const absl::StatusOr<Module> good = b.Build(op.build(b));
    ASSERT_TRUE(good.ok()) << op.name;
    proto::HloModuleProto proto;
    ASSERT_TRUE(proto.ParseFromString(*SerializeModule(*good)));
    ForEachBreakage(proto, [&](const Breakage& breakage,
                               const proto::HloModuleProto& broken) {
      if (count++ % SampleStep(4) != 0) return;
      const std::string bytes = broken.SerializeAsString();
      const absl::StatusOr<Module> module = ReadHloModuleProto(bytes, nullptr);
      if (!module.ok()) return;
      const auto inputs = MakeInputs(module->entry().signature());
      if (!inputs) return;
      const auto value = Evaluate(*module, *inputs, Limits());
      ++outcomes[OutcomeOf(value)];
      EXPECT_NE(OutcomeOf(value), "")
          << op.name << ": " << Name(breakage.kind) << " "
          << breakage.instruction << " " << breakage.field << " "
          << breakage.change << ": " << value.status();
    });
  }
  Print(outcomes);
  EXPECT_GT(outcomes["IND0855"], 0);
}

TEST(BrokenTest, OperationsGiveAValueOrAnError) {
  std::map<std::string, int> outcomes;
  for (const OpInfo& op : AllOps()) {
    DeclaredInputs inputs(static_cast<uint32_t>(op.opcode) + 1);
    for (int draw = 0; draw < 6; draw += SampleStep(3)) {
      const std::optional<OwnedInputs> good = inputs.Keeping(op.opcode);
      if (!good) continue;
      for (const Constraint& constraint :
           DeclarationOf(op.opcode).constraints) {
        for (OwnedInputs& broken :
             Breaking(*good, constraint, constraint.codes[0])) {
          const auto operands = MakeInputs({broken.operands, broken.declared});
          std::vector<Module> modules;
          std::vector<Computation> callees;
          for (const Signature& signature : broken.callees) {
            absl::StatusOr<Module> module = CalleeOf(signature);
            if (module.ok()) modules.push_back(*std::move(module));
          }
          for (const Module& module : modules) {
            callees.push_back(module.entry());
          }
          if (!operands || callees.size() != broken.callees.size()) continue;
          OpCall call;
          call.opcode = broken.opcode;
          call.operands = *operands;
          call.attributes = &broken.attributes;
          call.callees = callees;
          call.declared =
              broken.declared.is_none() ? nullptr : &broken.declared;
          const auto value = EvaluateOp(call, Limits());
          ++outcomes[OutcomeOf(value)];
          EXPECT_NE(OutcomeOf(value), "") << op.wire << ": " << value.status();
        }
      }
    }
  }
  Print(outcomes);
  EXPECT_GT(outcomes["IND0855"], 0);
  EXPECT_GT(outcomes["IND0851"], 0);
}

}  // namespace
}  // namespace indim
