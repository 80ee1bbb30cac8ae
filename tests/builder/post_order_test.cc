// SPDX-License-Identifier: Apache-2.0
// BuildOptions::Order::kPostOrder: bytes that don't tell in which order the
// calls came.

#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "indim/builder/composites/reductions.h"
#include "indim/passes/check/verify_module.h"
#include "indim/passes/export/export.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/tests/builder/builder_cases.h"
#include "indim/text/print/print_hlo_text.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

const Caller kLine{"net.cc", 7};
const BuildOptions kPostOrder{BuildOptions::Order::kPostOrder};

using Make = std::function<Op(ComputationBuilder& b)>;

// What `first` and `second` make, called in this order or in the other one, as
// a compiler may.
struct Both {
  Op first, second;
  Both(ComputationBuilder& b, bool swapped, const Make& make_first,
       const Make& make_second) {
    if (swapped) second = make_second(b);
    first = make_first(b);
    if (!swapped) second = make_second(b);
  }
};

Callee Folded(ComputationBuilder& b, const char* name, bool swapped) {
  ComputationBuilder sub = b.SubBuilder(name);
  const Op x = sub.Parameter(0, "f32[]", "x", kLine);
  const Op y = sub.Parameter(1, "f32[]", "y", kLine);
  const Both both(
      sub, swapped, [&](auto& s) { return s.Exp(x, kLine); },
      [&](auto& s) { return s.Tanh(y, kLine); });
  return sub.BuildCallee(sub.Add(both.first, both.second, {}, kLine), kLine);
}

Module Network(bool swapped, BuildOptions options) {
  ComputationBuilder b("net");
  const Op x = b.Parameter(0, "f32[4,8]", "x", kLine);
  const Op y = b.Parameter(1, "f32[8]", "y", kLine);
  // Two called computations of one name, either of which may come first.
  Callee add = absl::StatusOr<Module>(absl::InternalError("not yet"));
  Callee other = add;
  if (swapped) other = Folded(b, "fold", swapped);
  add = Folded(b, "fold", swapped);
  if (!swapped) other = Folded(b, "fold", swapped);
  const Both sums(
      b, swapped,
      [&](auto& s) {
        return s.Reduce(x, s.ConstantR0(ElementType::kF32, 0, kLine), add, {0},
                        kLine);
      },
      [&](auto& s) {
        return s.Reduce(x, s.ConstantR0(ElementType::kF32, 1, kLine), other,
                        {0}, kLine);
      });
  const Both logs(
      b, swapped,
      [&](auto& s) { return s.Add(sums.first, s.Log(y, kLine), {}, kLine); },
      [&](auto& s) { return s.Sub(sums.second, y, {}, kLine); });
  b.SetName(logs.first, "same", kLine);
  b.SetName(logs.second, "same", kLine);
  const Op last = b.Mul(logs.first, logs.second, {}, kLine);
  b.AddControlDependency(sums.first, last, kLine);
  b.Neg(last, kLine);  // unused
  return *b.Build(ReduceSum(last, {}, false, kLine), options, kLine);
}

TEST(PostOrderTest, BytesDontDependOnTheOrderOfCalls) {
  const auto text = [](bool swapped, const BuildOptions& options) {
    return PrintHloText(Network(swapped, options));
  };
  EXPECT_THAT(text(false, kPostOrder), HasSubstr("control-predecessors={"));
  EXPECT_NE(text(false, {}), text(true, {}));
  EXPECT_EQ(text(false, kPostOrder), text(true, kPostOrder));
}

Module Simple(bool swapped, const BuildOptions& options) {
  ComputationBuilder b("simple");
  const Op x = b.Parameter(0, "f32[4]", "x", kLine);
  const Both both(
      b, swapped, [&](auto& s) { return s.Exp(x, kLine); },
      [&](auto& s) { return s.Log(s.Max(x, x, {}, kLine), kLine); });
  return *b.Build(b.Add(both.first, both.second, {}, kLine), options, kLine);
}

TEST(PostOrderTest, AllBytesAreTheSame) {
  EXPECT_NE(SerializeModule(Simple(false, {})),
            SerializeModule(Simple(true, {})));
  EXPECT_EQ(SerializeModule(Simple(false, kPostOrder)),
            SerializeModule(Simple(true, kPostOrder)));
  EXPECT_EQ(*ExportHloModuleProto(Simple(false, kPostOrder)),
            *ExportHloModuleProto(Simple(true, kPostOrder)));
}

TEST(PostOrderTest, TheOrder) {
  ComputationBuilder b("order");
  const Op unused = b.Parameter(1, "f32[4]", "unused", kLine);
  const Op log = b.Log(unused, kLine);
  const Op x = b.Parameter(0, "f32[4]", "x", kLine);
  const Op tanh = b.Tanh(x, kLine), exp = b.Exp(x, kLine);
  const Op root = b.Add(exp, tanh, {}, kLine);
  b.AddControlDependency(log, root, kLine);
  b.Neg(root, kLine);
  const Module module = *b.Build(root, kPostOrder, kLine);
  std::vector<std::string> names;
  for (const Instruction i : module.entry().instructions()) {
    names.push_back(std::string(i.name()));
  }
  EXPECT_THAT(names,
              ::testing::ElementsAre("x", "exponential.2", "tanh.3", "unused",
                                     "log.5", "add.6", "negate.7"));
  EXPECT_EQ(module.entry().root().name(), "add.6");
  EXPECT_TRUE(VerifyModule(module).ok());
  EXPECT_THAT(PrintHloText(module), HasSubstr("control-predecessors={%log.5}"));
}

TEST(PostOrderTest, DeepGraphs) {
  ComputationBuilder b("deep");
  Op x = b.Parameter(0, "f32[]");
  for (int i = 0; i < 200000; ++i) x = b.Neg(x);
  const absl::StatusOr<Module> module = b.Build(x, kPostOrder);
  ASSERT_TRUE(module.ok());
  EXPECT_EQ(module->entry().root().name(), "negate.200001");
}

}  // namespace
}  // namespace indim
