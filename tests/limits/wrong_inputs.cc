// SPDX-License-Identifier: Apache-2.0
// Inputs of which something is wrong, and far beyond what anybody writes.

#include <string>

#include "absl/strings/str_cat.h"
#include "indim/proto/wire/wire.h"
#include "indim/tests/limits/hostile_messages.h"

namespace indim {
namespace {

void AddSizes(Inputs* to) {
  AddText("a size of 2^63", "ROOT x = f32[9223372036854775808] parameter(0)",
          {"text:4:14", "9223372036854775808"}, to);
  const std::string kLarge = "9223372036854775807";
  AddText("a product of 2^126",
          absl::StrCat("x = f32[", kLarge, ",", kLarge,
                       "] parameter(0)\nROOT y = f32[", kLarge, ",", kLarge,
                       "] negate(x)"),
          {"text:4:1", "byte size", kLarge}, to);
  AddText("a sum of 2^64",
          absl::StrCat("x = s4[", kLarge, "] parameter(0)\nROOT y = s4[",
                       kLarge, "] concatenate(x, x), dimensions={0}"),
          {"concatenate", kLarge}, to);
  AddText("padding of 2^64",
          absl::StrCat("x = s4[2] parameter(0)\nz = s4[] constant(0)\n"
                       "ROOT y = s4[2] pad(x, z), padding=",
                       kLarge, "_", kLarge, "_", kLarge),
          {"pad"}, to);
  AddText("a window of 2^63",
          absl::StrCat("x = f32[1,8,1] parameter(0)\nk = f32[3,1,1] "
                       "parameter(1)\nROOT y = f32[1,8,1] convolution(x, k), "
                       "window={size=3 pad=",
                       kLarge, "_", kLarge, " rhs_dilate=", kLarge,
                       "}, dim_labels=b0f_0io->b0f"),
          {"convolution"}, to);
  AddChanged("a product of 2^126", {"i2", kLarge}, to,
             [](HloInstructionProto* i) {
               i->add_operand_ids(1);
               for (int k = 0; k < 2; ++k) {
                 i->mutable_shape()->add_dimensions(kMax);
                 i->mutable_shape()->add_is_dynamic_dimension(false);
               }
             });
  AddChanged("a negative size", {"i2", "-5"}, to, [](HloInstructionProto* i) {
    i->add_operand_ids(1);
    i->mutable_shape()->add_dimensions(-5);
    i->mutable_shape()->add_is_dynamic_dimension(false);
  });
}

void AddIds(Inputs* to) {
  HloModuleProto module = Base();
  module.mutable_computations(0)->mutable_instructions(0)->set_id(-2);
  module.mutable_computations(0)->set_root_id(-2);
  AddMessage("an id of 2^64-2", module, {"x", "-2"}, to);
  AddChanged("an operand id of 2^64-1", {"i2", "operand 0", "-1"}, to,
             [](HloInstructionProto* i) { i->add_operand_ids(-1); });
  AddChanged("an operand id of 2^63-1",
             {"i2", "operand 0", "9223372036854775807"}, to,
             [](HloInstructionProto* i) { i->add_operand_ids(kMax); });
  AddChanged("a use of itself", {"i2", "operand 0", "2"}, to,
             [](HloInstructionProto* i) { i->add_operand_ids(2); });
  AddChanged("an id twice", {"i1", "1"}, to, [](HloInstructionProto* i) {
    i->set_id(1);
    i->set_name("i1");
  });
  AddText("a use of itself", "ROOT x = f32[] negate(x)", {"text:4", "x"}, to);
  AddText("a name twice", "x = f32[] parameter(0)\nROOT x = f32[] negate(x)",
          {"text:5", "x"}, to);
  HloModuleProto twice = Base();
  AddInstruction(AddComputation(&twice, 1), "parameter", 1);
  AddMessage("a computation's id twice", twice, {"c1", "1"}, to);
  HloModuleProto root = Base();
  root.mutable_computations(0)->set_root_id(-1);
  AddMessage("a root of 2^64-1", root, {"c1", "-1"}, to);
  HloModuleProto entry = Base();
  entry.set_entry_computation_id(kMax);
  AddMessage("an entry of 2^63-1", entry, {"9223372036854775807"}, to);
}

void AddCycles(Inputs* to) {
  HloModuleProto module;
  for (int64_t c = 1; c <= 2; ++c) {
    HloComputationProto* computation = AddComputation(&module, c);
    AddInstruction(computation, "parameter", 1);
    HloInstructionProto* call = AddInstruction(computation, "call", 2);
    call->add_operand_ids(1);
    call->add_called_computation_ids(3 - c);
  }
  AddMessage("computations that call each other", module, {"c1", "i2", "2"},
             to);
  HloModuleProto self = Base();
  HloInstructionProto* call =
      AddInstruction(self.mutable_computations(0), "call", 2);
  call->add_operand_ids(1);
  call->add_called_computation_ids(1);
  AddMessage("a computation that calls itself", self, {"c1", "i2", "1"}, to);
  const std::string kCycle =
      "HloModule m\n\na {\n  x = f32[] parameter(0)\n  ROOT y = f32[] "
      "call(x), to_apply=b\n}\n\nb {\n  x = f32[] parameter(0)\n  ROOT y = "
      "f32[] call(x), to_apply=a\n}\n\nENTRY e {\n  x = f32[] parameter(0)\n  "
      "ROOT y = f32[] call(x), to_apply=a\n}\n";
  to->push_back({"computations that call each other, HLO text",
                 InputForm::kHloText,
                 kCycle,
                 {"text:5", "b"}});
  AddText("instructions in a circle",
          "x = f32[] negate(y)\nROOT y = f32[] negate(x)", {"text:4", "y"}, to);
}

void AddDevices(Inputs* to) {
  constexpr int64_t k2To40 = int64_t{1} << 40;
  AddText("tiles of 2^80 devices",
          "ROOT x = f32[8,8] parameter(0), "
          "sharding={devices=[1099511627776,1099511627776]<=[1099511627776,"
          "1099511627776]}",
          {"text:4", "1099511627776"}, to);
  AddText("tiles of 2^40 devices",
          "ROOT x = f32[8] parameter(0), "
          "sharding={devices=[1099511627776]<=[1099511627776]}",
          {}, to);
  AddChanged("tiles of 2^80 devices", {"i2", "1099511627776"}, to,
             [](HloInstructionProto* i) {
               i->add_operand_ids(1);
               i->mutable_shape()->add_dimensions(8);
               i->mutable_shape()->add_is_dynamic_dimension(false);
               auto* sharding = i->mutable_sharding();
               sharding->set_type(proto::OpSharding::OTHER);
               for (int k = 0; k < 2; ++k) {
                 sharding->add_tile_assignment_dimensions(k2To40);
                 sharding->add_iota_reshape_dims(k2To40);
                 sharding->add_iota_transpose_perm(k);
               }
             });
  const std::string kSum =
      "HloModule m\n\ns {\n  a = f32[] parameter(0)\n  b = f32[] "
      "parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n\nENTRY e {\n  x = f32[] "
      "parameter(0)\n  ROOT r = f32[] all-reduce(x), to_apply=s, "
      "replica_groups=";
  to->push_back({"replica groups of 2^40, HLO text",
                 InputForm::kHloText,
                 kSum + "[1099511627776,1]<=[1099511627776]\n}\n",
                 {}});
  to->push_back({"replica groups of 2^80, HLO text",
                 InputForm::kHloText,
                 kSum + "[1099511627776,1099511627776]<=[1099511627776,"
                        "1099511627776]T(1,0)\n}\n",
                 {"1099511627776"}});
}

void AddValues(Inputs* to) {
  const auto constant = [](int64_t size, const std::string& bytes) {
    HloModuleProto module = Base();
    HloInstructionProto* c =
        AddInstruction(module.mutable_computations(0), "constant", 2);
    auto* shape = c->mutable_shape();
    shape->set_element_type(proto::S8);
    shape->add_dimensions(size);
    shape->add_is_dynamic_dimension(false);
    shape->mutable_layout()->add_minor_to_major(0);
    *c->mutable_literal()->mutable_shape() = *shape;
    c->mutable_literal()->set_s8s(bytes);
    return module;
  };
  AddMessage("a literal with too few bytes", constant(5, "abc"),
             {"i2", "3", "5"}, to);
  AddMessage("a literal with too many bytes", constant(2, "abc"),
             {"i2", "3", "2"}, to);
  AddMessage("a literal that claims 2^63-1 bytes", constant(kMax, "abc"),
             {"i2", "9223372036854775807"}, to);
  AddText("a literal with too few values", "ROOT c = s8[3] constant({1, 2})",
          {"text:4", "3"}, to);
  AddText("a literal with too many values", "ROOT c = s8[1] constant({1, 2})",
          {"text:4"}, to);
  AddText("a literal that claims 2^62 values",
          "ROOT c = s8[4611686018427387904] constant({1, 2})", {"text:4"}, to);
  AddText("an elided literal", "ROOT c = s8[3] constant({...})", {"text:4"},
          to);
  AddText("a value that doesn't fit", "ROOT c = s8[] constant(128)",
          {"text:4", "128"}, to);
}

// As bytes only: neither text format nor libprotobuf's setters take them.
void AddStrings(Inputs* to) {
  to->push_back({"a name that isn't UTF-8, bytes",
                 InputForm::kWire,
                 WithInstructionField(1, "\xff\xfe"),
                 {"UTF-8", "field 1"}});
  to->push_back({"a module's name that isn't UTF-8, bytes",
                 InputForm::kWire,
                 std::string("\x0a\x01\xff", 3),
                 {"UTF-8", "field 1"}});
  to->push_back({"an opcode that isn't UTF-8, bytes",
                 InputForm::kWire,
                 WithInstructionField(2, "ad\xc3"),
                 {"UTF-8", "field 2"}});
  std::string metadata;
  AppendTag(2, WireType::kLengthDelimited, &metadata);
  AppendLengthDelimited("\xc0\x80", &metadata);
  to->push_back({"an op_name that isn't UTF-8, bytes",
                 InputForm::kWire,
                 WithInstructionField(7, metadata),
                 {"UTF-8", "OpMetadata field 2"}});
  AddText("a name that isn't UTF-8", "ROOT \xff = f32[] parameter(0)",
          {"text:4"}, to);
  AddText("an op_name that isn't UTF-8",
          "ROOT x = f32[] parameter(0), metadata={op_name=\"\xff\"}",
          {"text:4"}, to);
}

}  // namespace

std::vector<HostileInput> WrongInputs() {
  Inputs all;
  AddSizes(&all);
  AddIds(&all);
  AddCycles(&all);
  AddDevices(&all);
  AddValues(&all);
  AddStrings(&all);
  return all;
}

}  // namespace indim
