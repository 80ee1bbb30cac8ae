// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/module_builder.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "indim/ir/constant_bytes.h"
#include "indim/ir/link.h"
#include "indim/ir/module_access.h"
#include "indim/proto/codec/literal.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire.h"

namespace indim {
namespace {

const Shape kF32 = Shape::Of(ElementType::kF32, {2});
const Shape kPred = Shape::Scalar(ElementType::kPred);

// "name opcode(operands; callees)@id:line" of each instruction.
std::string Text(const Computation& c) {
  std::string text = absl::StrCat(c.name(), " #", c.id(), ":");
  for (const Instruction i : c.instructions()) {
    absl::StrAppend(&text, " ", i.has_given_name() ? i.name() : "",
                    i.opcode_name(), "(");
    for (const Instruction o : i.operands()) absl::StrAppend(&text, o.index());
    for (int k = 0; k < i.callee_count(); ++k) {
      absl::StrAppend(&text, ";", i.callee(k).name());
    }
    absl::StrAppend(&text, ")@", i.id());
    if (!i.text_location().file.empty()) {
      absl::StrAppend(&text, ":", i.text_location().line);
    }
  }
  return absl::StrCat(text, " root ", c.root().index());
}

TEST(ModuleBuilderTest, NestedComputationsPrecedeTheirCallers) {
  ModuleBuilder b;
  b.Begin("main");
  const uint32_t x = b.Parameter(0, kF32, "x");
  b.Begin("body");
  const uint32_t p = b.Parameter(0, kF32, "");
  EXPECT_EQ(b.OuterShape(x), kF32);
  EXPECT_EQ(b.outer_record(x).opcode, Opcode::kParameter);
  const uint32_t n = b.Add(Opcode::kNegate, kF32, ElementwiseAttributes(), {p});
  EXPECT_EQ(b.count(), 2u);
  const uint32_t body = b.End(n);
  EXPECT_EQ(b.count(), 1u);
  const uint32_t call = b.Add(Opcode::kCall, kF32, NoAttributes(), {x}, {body});
  EXPECT_EQ(b.operands(call), absl::MakeConstSpan({x}));
  const uint32_t both = b.Tuple({call, x});
  EXPECT_EQ(b.Tuple({x}, /*unless_one=*/true), x);
  const uint32_t second = b.Element(both, 1);
  EXPECT_EQ(b.shape(second), kF32);
  EXPECT_EQ(b.shape(b.Element(both, 2)), Shape());
  const uint32_t main = b.End(second);
  const Signature signature = b.SignatureOf(main);
  const Module m = b.Finish(main, "m");
  EXPECT_EQ(m.name(), "m");
  EXPECT_EQ(Text(m.computation(0)),
            "body #1: parameter()@1 negate(0)@2 root 1");
  EXPECT_EQ(Text(m.entry()),
            "main #2: xparameter()@3 call(0;body)@4 tuple(10)@5 "
            "get-tuple-element(2)@6 get-tuple-element(2)@7 root 3");
  EXPECT_EQ(signature.parameters, std::vector<Shape>({kF32}));
  EXPECT_EQ(signature.result, kF32);
}

TEST(ModuleBuilderTest, DropsAndTakesBack) {
  ModuleBuilder b("f.mlir");
  b.SetPlace({3, 1});
  b.Begin("kept");
  const uint32_t kept = b.End(b.Parameter(0, kF32, ""));
  b.Begin("taken back");
  const uint32_t x = b.Parameter(0, kF32, "");
  const uint32_t taken =
      b.End(b.Add(Opcode::kNegate, kF32, ElementwiseAttributes(), {x}));
  b.TakeBack(kept);  // isn't the last: nothing happens
  EXPECT_EQ(b.data().computations.size(), 2u);
  b.TakeBack(taken);
  b.Begin("dropped");
  b.Parameter(0, kF32, "");
  b.Drop();
  b.SetPlace({9, 1});
  b.Begin("main");
  const uint32_t y = b.Parameter(0, kF32, "");
  const uint32_t main =
      b.End(b.Add(Opcode::kCall, kF32, NoAttributes(), {y}, {kept}));
  const Module m = b.Finish(main, "m");
  ASSERT_EQ(m.computation_count(), 2);
  EXPECT_EQ(Text(m.computation(0)), "kept #1: parameter()@1:3 root 0");
  EXPECT_EQ(Text(m.computation(1)),
            "main #2: parameter()@2:9 call(0;kept)@3:9 root 1");
}

// A computation by its signature: callable, and without instructions that
// would say what it computes.
TEST(ModuleBuilderTest, DeclaresASignature) {
  for (const size_t parameters : {0, 1, 3}) {
    ModuleBuilder b;
    Signature signature;
    for (size_t i = 0; i < parameters; ++i) {
      signature.parameters.push_back(
          Shape::Of(ElementType::kS32, {static_cast<int64_t>(i + 1)}));
    }
    signature.result = kPred;
    const uint32_t c = b.Declare("elsewhere", signature);
    EXPECT_EQ(b.SignatureOf(c).parameters, signature.parameters);
    EXPECT_EQ(b.SignatureOf(c).result, kPred);
    const Module m = b.Finish(c, "m");
    EXPECT_EQ(m.entry().name(), "elsewhere");
    EXPECT_EQ(m.entry().root().opcode(), Opcode::kInvalid);
    EXPECT_EQ(m.entry().root().operand_count(), 0);
  }
}

TEST(ModuleBuilderTest, ConstantsOfAnySize) {
  for (const size_t count : {1, 4, 1000}) {
    ModuleBuilder b;
    b.Begin("main");
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i);
    const Literal literal = *Literal::Array(
        absl::MakeConstSpan(values), {static_cast<int64_t>(values.size())});
    const uint32_t c = b.Constant(literal);
    EXPECT_EQ(b.shape(c), literal.shape());
    EXPECT_EQ(std::string(b.attribute_bytes(c).before_id),
              ConstantBytes(literal).before_id);
    const Module m = b.Finish(b.End(c), "m");
    const absl::StatusOr<Literal> read = m.entry().root().literal();
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->bytes(), literal.bytes());
  }
}

// A module made again: ids, names, places and opcode names stay; what is new
// gets unused ids, with the high half and the place of what it is for.
TEST(ModuleBuilderTest, MakesAModuleAgain) {
  ModuleBuilder first("f.hlo");
  first.Begin("main");
  first.SetPlace({5, 2});
  const uint32_t x = first.Parameter(0, kF32, "x");
  InstructionRecord odd;
  odd.unknown_opcode = 1;
  odd.shape = first.record(x).shape;
  InstructionDetails details;
  details.place = {6, 2};
  details.opcode_name = "odd-op";
  details.text_name = "in the text";
  const uint32_t y = first.AddLike(odd, {x}, {}, details);
  std::shared_ptr<ModuleData> old;
  {
    first.End(y);
    old = first.Take();
    for (const int64_t id : {int64_t{7} << 32 | 40, int64_t{7} << 32 | 9}) {
      old->ids.push_back(id);
    }
    old->name = "old";
    old->config = "config";
    old->recorded = true;
  }
  ModuleBuilder b(*old);
  b.Begin(old->computations[0]);
  std::vector<uint32_t> place;
  for (uint32_t i = 0; i < 2; ++i) {
    const InstructionRecord& r = old->Record(0, i);
    const InstructionDetails kept = DetailsOf(*old, i);
    b.SetPlace(kept.place);
    b.SetHighHalf(kept.id);
    std::vector<uint32_t> operands;
    for (const uint32_t k : old->Operands(r)) operands.push_back(place[k]);
    if (i == 1) {
      operands[0] =
          b.Add(Opcode::kNegate, kF32, ElementwiseAttributes(), operands);
    }
    place.push_back(b.AddLike(r, operands, old->Callees(r), kept));
  }
  b.End(place[1]);
  const Module m = internal::ModuleOf(b.Take());
  const int64_t high = int64_t{7} << 32;
  EXPECT_EQ(Text(m.entry()),
            absl::StrCat("main #1: xparameter()@", high | 40, ":5 negate(0)@",
                         high | 41, ":6 odd-op(1)@", high | 9, ":6 root 2"));
  EXPECT_EQ(m.entry().root().text_name(), "in the text");
  EXPECT_EQ(m.name(), "old");
  EXPECT_TRUE(m.is_recorded());
  EXPECT_EQ(internal::DataOf(m).config, "config");
}

TEST(ModuleBuilderTest, InlinesAModuleWithWhatItCalls) {
  ModuleBuilder from;
  from.Begin("callee");
  const uint32_t callee = from.End(from.Parameter(0, kF32, ""));
  from.Begin("main");
  const uint32_t p1 = from.Parameter(1, kF32, "p1");
  const uint32_t p0 = from.Parameter(0, kF32, "p0");
  const uint32_t sub =
      from.Add(Opcode::kSubtract, kF32, ElementwiseAttributes(), {p0, p1});
  from.SetName(sub, "difference");
  const uint32_t main =
      from.End(from.Add(Opcode::kCall, kF32, NoAttributes(), {sub}, {callee}));
  const Module inlined = from.Finish(main, "inlined");

  ModuleBuilder b("f.mlir");
  b.SetPlace({2, 1});
  b.Begin("outer");
  const uint32_t x = b.Parameter(0, kF32, "x");
  const uint32_t y = b.Parameter(1, kF32, "y");
  b.SetPlace({4, 1});
  const uint32_t value = b.Inline(inlined, {x, y});
  const Module m = b.Finish(b.End(value), "m");
  EXPECT_EQ(Text(m.computation(0)), "callee #1: parameter()@1:4 root 0");
  EXPECT_EQ(Text(m.entry()),
            "outer #2: xparameter()@2:2 yparameter()@3:2 subtract(01)@4:4 "
            "call(2;callee)@5:4 root 3");
}

std::string ControlField(absl::string_view numbers) {
  using field::HloInstructionProto::kControlPredecessorIds;
  std::string field;
  AppendTag(kControlPredecessorIds, WireType::kLengthDelimited, &field);
  AppendLengthDelimited(numbers, &field);
  return field;
}

// AppendComputation in another order: operands, the root, control predecessors
// and opcode names follow their instructions.
TEST(LinkTest, AppendsInAnotherOrder) {
  ModuleBuilder from;
  from.Begin("first");
  const uint32_t first = from.End(from.Parameter(0, kF32, ""));
  from.Begin("main");
  from.Parameter(0, kF32, "x");
  const uint32_t y = from.Parameter(1, kF32, "y");  // its id is 3
  InstructionRecord odd;
  odd.unknown_opcode = 1;
  InstructionDetails details;
  details.opcode_name = "odd-op";
  const uint32_t root = from.AddLike(odd, {y}, {}, details);
  const uint32_t call =
      from.Add(Opcode::kCall, kF32, NoAttributes(), {y}, {first});
  const std::string control = ControlField("\3");
  from.SetAttributeBytes(call, {"", control, ""});
  from.End(root);
  const std::shared_ptr<ModuleData> data = from.Take();

  using internal::ControlForm;
  for (const ControlForm form : {ControlForm::kIds, ControlForm::kPositions}) {
    ModuleData to;
    to.pools = data->pools;
    internal::IdMap same(to.pools, to.pools.get());
    const auto callee_of = [](uint32_t c) { return c; };
    internal::AppendComputation(*data, 0, ControlForm::kIds, form, callee_of,
                                &same, &to);
    internal::AppendComputation(*data, 1, ControlForm::kIds, form, callee_of,
                                &same, &to, {1, 0, 3, 2});
    to.entry = 1;
    const Module m =
        internal::ModuleOf(std::make_shared<ModuleData>(std::move(to)));
    EXPECT_EQ(Text(m.entry()),
              "main #2: yparameter()@2 xparameter()@3 call(0;first)@4 "
              "odd-op(0)@5 root 3");
    const bool as_ids = form == ControlForm::kIds;
    EXPECT_EQ(internal::AttributeBytesOf(m.entry().instruction(2)).control,
              ControlField(as_ids ? std::string("\2") : std::string(1, '\0')));
  }
}

TEST(LinkTest, InverseOfAnOrder) {
  EXPECT_EQ(internal::InverseOf({2, 0, 1}), std::vector<uint32_t>({1, 2, 0}));
  EXPECT_EQ(internal::InverseOf({}), std::vector<uint32_t>());
}

}  // namespace
}  // namespace indim
