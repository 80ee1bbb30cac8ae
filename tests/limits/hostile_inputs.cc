#include "indim/tests/limits/hostile_inputs.h"

#include <google/protobuf/text_format.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/ir/proto_text.h"
#include "indim/ir/report.h"
#include "indim/ir/text/hlo_text.h"
#include "indim/ir/wire.h"
#include "indim/ir/wire_reader.h"
#include "indim/passes/verify_module.h"
#include "indim/proto/hlo.pb.h"

namespace indim {
namespace {

using proto::HloComputationProto;
using proto::HloInstructionProto;
using proto::HloModuleProto;
using Inputs = std::vector<HostileInput>;
using Says = std::vector<std::string>;

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

std::string Times(int n, absl::string_view piece,
                  absl::string_view between = "") {
  std::vector<absl::string_view> all(static_cast<size_t>(n), piece);
  return absl::StrJoin(all, between);
}

// --- Modules as messages ----------------------------------------------------

HloInstructionProto* AddInstruction(HloComputationProto* computation,
                                    const std::string& opcode, int64_t id) {
  HloInstructionProto* added = computation->add_instructions();
  added->set_name(absl::StrCat("i", id));
  added->set_opcode(opcode);
  added->set_id(id);
  added->mutable_shape()->set_element_type(proto::F32);
  computation->set_root_id(id);
  return added;
}

HloComputationProto* AddComputation(HloModuleProto* module, int64_t id) {
  HloComputationProto* added = module->add_computations();
  added->set_name(absl::StrCat("c", id));
  added->set_id(id);
  module->set_entry_computation_id(id);
  return added;
}

// A module "m" of one computation with a parameter x, id 1.
HloModuleProto Base() {
  HloModuleProto module;
  module.set_name("m");
  AddInstruction(AddComputation(&module, 1), "parameter", 1)->set_name("x");
  return module;
}

// The module in both forms that hold the message.
void AddMessage(const std::string& name, const HloModuleProto& module,
                const Says& says, Inputs* to) {
  to->push_back({name + ", bytes", InputForm::kWire,
                 module.SerializePartialAsString(), says});
  std::string text;
  google::protobuf::TextFormat::PrintToString(module, &text);
  to->push_back(
      {name + ", text format", InputForm::kProtoText, std::move(text), says});
}

void AddText(const std::string& name, const std::string& instructions,
             const Says& says, Inputs* to) {
  to->push_back(
      {name + ", HLO text", InputForm::kHloText,
       absl::StrCat("HloModule m\n\nENTRY e {\n", instructions, "\n}\n"),
       says});
}

// A change of the base module's last instruction.
void AddChanged(const std::string& name, const Says& says, Inputs* to,
                const std::function<void(HloInstructionProto*)>& change) {
  HloModuleProto module = Base();
  change(AddInstruction(module.mutable_computations(0), "negate", 2));
  AddMessage(name, module, says, to);
}

// `bytes` in field `number`, `n` times in each other.
std::string NestBytes(uint32_t number, int n, std::string bytes) {
  // From the inside out, at the end of the string: no copy per level.
  std::vector<std::string> heads;
  size_t size = bytes.size();
  for (int i = 0; i < n; ++i) {
    std::string head;
    AppendTag(number, WireType::kLengthDelimited, &head);
    AppendVarint(size, &head);
    size += head.size();
    heads.push_back(std::move(head));
  }
  std::string all;
  for (auto head = heads.rbegin(); head != heads.rend(); ++head) all += *head;
  return all + bytes;
}

// The base module, with `bytes` in field `number` of its instruction.
std::string WithInstructionField(uint32_t number, const std::string& bytes) {
  std::string instruction =
      Base().computations(0).instructions(0).SerializeAsString();
  AppendTag(number, WireType::kLengthDelimited, &instruction);
  AppendLengthDelimited(bytes, &instruction);
  std::string computation;
  AppendTag(2, WireType::kLengthDelimited, &computation);
  AppendLengthDelimited(instruction, &computation);
  std::string module;
  AppendTag(3, WireType::kLengthDelimited, &module);
  AppendLengthDelimited(computation, &module);
  return module;
}

// --- Large ------------------------------------------------------------------

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

// --- Wrong ------------------------------------------------------------------

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
                 i->mutable_shape()->add_dimensions(kMost);
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
             [](HloInstructionProto* i) { i->add_operand_ids(kMost); });
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
  entry.set_entry_computation_id(kMost);
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
  AddMessage("a literal that claims 2^63-1 bytes", constant(kMost, "abc"),
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

absl::StatusOr<Module> ReadInput(const HostileInput& input) {
  switch (input.form) {
    case InputForm::kWire:
      return ReadHloModuleProto(input.bytes);
    case InputForm::kProtoText:
      return ReadHloModuleText(input.bytes);
    case InputForm::kHloText:
      return ParseHloText(input.bytes);
  }
  return Module();
}

std::string ReadAndVerify(const HostileInput& input) {
  const absl::StatusOr<Module> module = ReadInput(input);
  if (!module.ok()) return std::string(module.status().message());
  const VerifyResult verified = VerifyModule(*module);
  return verified.ok() ? "" : RenderReport(*module, verified.report);
}

}  // namespace indim
