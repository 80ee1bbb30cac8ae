// SPDX-License-Identifier: Apache-2.0
// Inputs of which something is very large.

#include <string>

#include "absl/strings/str_cat.h"
#include "indim/proto/wire/wire.h"
#include "indim/tests/limits/hostile_messages.h"

namespace indim {
namespace {

void AddWide(int n, Inputs* to) {
  const std::string ones = Times(n, "1", ",");
  AddText("rank", absl::StrCat("ROOT x = f32[", ones, "] parameter(0)"), {},
          to);
  AddChanged("rank", {"negate"}, to, [n](HloInstructionProto* i) {
    i->add_operand_ids(1);
    for (int k = 0; k < n; ++k) {
      i->mutable_shape()->add_dimensions(1);
      i->mutable_shape()->add_is_dynamic_dimension(false);
    }
  });
  const std::string xs = Times(n, "x", ", ");
  const std::string types = Times(n, "f32[]", ", ");
  AddText("operands",
          absl::StrCat("x = f32[] parameter(0)\nROOT t = (", types, ") tuple(",
                       xs, ")"),
          {}, to);
  AddText(
      "operands of a unary op",
      absl::StrCat("x = f32[] parameter(0)\nROOT t = f32[] negate(", xs, ")"),
      {"text:5", "negate", absl::StrCat(n)}, to);
  AddChanged("operands of a unary op", {"i2", "negate", absl::StrCat(n)}, to,
             [n](HloInstructionProto* i) {
               for (int k = 0; k < n; ++k) i->add_operand_ids(1);
             });
  AddText("dimensions of an attribute",
          absl::StrCat("x = f32[] parameter(0)\nROOT t = f32[] transpose(x), "
                       "dimensions={",
                       Times(n, "0", ","), "}"),
          {"transpose"}, to);
}

void AddDeep(int n, Inputs* to) {
  const std::string open = Times(n, "("), close = Times(n, ")");
  AddText("tuple nesting",
          absl::StrCat("ROOT x = ", open, "f32[]", close, " parameter(0)"),
          {"text:4", "deep"}, to);
  to->push_back({"tuple nesting, bytes",
                 InputForm::kWire,
                 WithInstructionField(3, NestBytes(4, n, "")),
                 {"more than 100 deep"}});
  to->push_back(
      {"tuple nesting, text format",
       InputForm::kProtoText,
       absl::StrCat("computations { instructions { shape {",
                    Times(n, "tuple_shapes {"), Times(n, "}"), "} } }"),
       {"line 1", "100"}});
  AddText("literal nesting",
          absl::StrCat("ROOT x = (f32[]) constant(", open, "1", close, ")"),
          {"text:4"}, to);
  to->push_back({"literal nesting, bytes",
                 InputForm::kWire,
                 WithInstructionField(8, NestBytes(10, n, "")),
                 {"more than 100 deep"}});
  AddText("sharding nesting",
          absl::StrCat("ROOT x = f32[] parameter(0), sharding=", Times(n, "{"),
                       "replicated", Times(n, "}")),
          {"text:4"}, to);
  to->push_back({"sharding nesting, bytes",
                 InputForm::kWire,
                 WithInstructionField(40, NestBytes(5, n, "")),
                 {"more than 100 deep"}});
  AddText("operand nesting",
          absl::StrCat("ROOT x = f32[] negate(", Times(n, "negate("), "y",
                       close, ")"),
          {"text:4"}, to);
}

// Each computation calls the one before.
void AddCallDepth(int n, Inputs* to) {
  HloModuleProto module = Base();
  std::string text =
      "HloModule m\n\ncall_0 {\n  ROOT x = f32[] parameter(0)\n}\n";
  for (int c = 1; c < n; ++c) {
    HloComputationProto* computation = AddComputation(&module, c + 1);
    AddInstruction(computation, "parameter", 2 * c)->set_id(1);
    HloInstructionProto* call = AddInstruction(computation, "call", 2 * c + 1);
    call->set_id(2);
    computation->set_root_id(2);
    call->add_operand_ids(1);
    call->add_called_computation_ids(c);
    absl::StrAppend(&text, c + 1 == n ? "ENTRY " : "", "call_", c,
                    " {\n  y = f32[] parameter(0)\n  ROOT r = f32[] call(y), "
                    "to_apply=call_",
                    c - 1, "\n}\n");
  }
  // IND0729: the entry's layout, which is all that the file lacks.
  to->push_back({"call depth, bytes",
                 InputForm::kWire,
                 module.SerializeAsString(),
                 {"IND0729"}});
  to->push_back({"call depth, HLO text", InputForm::kHloText, text, {}});
}

void AddLong(int n, Inputs* to) {
  std::string chain = "x0 = f32[8] parameter(0)\n";
  for (int i = 1; i < n; ++i) {
    absl::StrAppend(&chain, i + 1 == n ? "ROOT " : "", "x", i,
                    " = f32[8] negate(x", i - 1, ")\n");
  }
  AddText("a chain", chain, {}, to);
  AddText("a constant",
          absl::StrCat("ROOT c = s32[", n, "] constant({", Times(n, "7", ","),
                       "})"),
          {}, to);
  AddText("a long name",
          absl::StrCat("ROOT ", Times(n, "x"), " = f32[] parameter(0)"), {},
          to);
  AddText("replica groups",
          absl::StrCat("x = f32[1] parameter(0)\nROOT r = f32[1] "
                       "all-gather(x), dimensions={0}, replica_groups={",
                       Times(n, "{0}", ","), "}"),
          {"replica"}, to);
  HloModuleProto module = Base();
  module.mutable_computations(0)->mutable_instructions(0)->set_opcode(
      std::string(static_cast<size_t>(n), 'o'));
  AddMessage("a long opcode", module, {"m/c1", "no operation is called"}, to);
}

}  // namespace

std::vector<HostileInput> WideInputs(int n) {
  Inputs all;
  AddWide(n, &all);
  return all;
}

std::vector<HostileInput> LargeInputs(int n) {
  Inputs all = WideInputs(n);
  AddDeep(n, &all);
  AddCallDepth(n, &all);
  AddLong(n, &all);
  return all;
}

std::vector<HostileInput> ManyCallees() {
  constexpr int kMany = 1 << 23;
  HloModuleProto module = Base();
  HloInstructionProto* const call =
      AddInstruction(AddComputation(&module, 2), "custom-call", 1);
  call->mutable_called_computation_ids()->Resize(kMany, 1);
  Inputs all = {{"callees, bytes",
                 InputForm::kWire,
                 module.SerializeAsString(),
                 {"i1", "8388607 called computations"}}};
  AddText(
      "callees",
      absl::StrCat("ROOT i1 = f32[] custom-call(), custom_call_target=\"t\", "
                   "called_computations={",
                   Times(kMany, "c", ","), "}"),
      {"custom-call can call 8388607", "not 8388608"}, &all);
  all.back().bytes.insert(all.back().bytes.find("ENTRY"),
                          "c {\n  ROOT x = f32[] parameter(0)\n}\n\n");
  return all;
}

}  // namespace indim
