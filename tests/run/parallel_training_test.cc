// SPDX-License-Identifier: Apache-2.0
// A training step on eight devices, cut in the usual ways, beside the same step
// on one: by shardings (data-, FSDP- and tensor-parallel, in both notations),
// with collectives written out in manual regions, and as replicas. Each on the
// plugins and in the evaluator.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/eval/evaluator.h"
#include "indim/eval/values/random_literal.h"
#include "indim/io/read.h"
#include "indim/run/client.h"
#include "indim/run/plugin.h"
#include "indim/tests/run/compared_runs.h"

namespace indim {
namespace pjrt {
namespace {

constexpr int64_t kDevices = 8;
constexpr int64_t kRows = 16;
constexpr int64_t kHidden = 16;

constexpr char kSum[] = R"(
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
)";

// The gradients g1 and g2 of the weights of tanh(x w1) w2, and half the squared
// distance from y, `loss`. `rows` and `hidden` are those of one device;
// `product` makes p, the product, of its part p0.
std::string Gradients(int64_t rows, int64_t hidden,
                      const std::string& product = "copy(p0)") {
  const std::string rh = absl::StrCat("f32[", rows, ",", hidden, "]");
  const std::string ro = absl::StrCat("f32[", rows, ",8]");
  return absl::StrCat(
      "  h = ", rh,
      " dot(x, w1), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  a = ",
      rh, " tanh(h)\n  p0 = ", ro,
      " dot(a, w2), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  p = ",
      ro, " ", product, "\n  d = ", ro, " subtract(p, y)\n  g2 = f32[", hidden,
      ",8] dot(a, d), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"
      "  e = ",
      rh,
      " dot(d, w2), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n"
      "  aa = ",
      rh, " multiply(a, a)\n  one = f32[] constant(1)\n  ones = ", rh,
      " broadcast(one), dimensions={}\n  s = ", rh,
      " subtract(ones, aa)\n  f = ", rh, " multiply(e, s)\n  g1 = f32[8,",
      hidden,
      "] dot(x, f), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"
      "  dd = ",
      ro, " multiply(d, d)\n  zero = f32[] constant(0)\n",
      "  loss = f32[] reduce(dd, zero), dimensions={0,1}, to_apply=sum\n");
}

// New weights v1 and v2 of w1 and w2 (of these shapes) and their gradients.
std::string Update(const std::string& w1, const std::string& w2,
                   const std::string& g1, const std::string& g2) {
  return absl::StrCat("  rate = f32[] constant(0.01)\n  r1 = ", w1,
                      " broadcast(rate), dimensions={}\n  r2 = ", w2,
                      " broadcast(rate), dimensions={}\n  m1 = ", w1,
                      " multiply(r1, ", g1, ")\n  m2 = ", w2, " multiply(r2, ",
                      g2, ")\n  v1 = ", w1, " subtract(w1, m1)\n  v2 = ", w2,
                      " subtract(w2, m2)\n");
}

// The shardings of x, y, w1, w2; the new weights have those of the old.
struct Cut {
  std::string x, y, w1, w2;
};

// What stands behind an instruction with a sharding.
std::string Old(const std::string& sharding) {
  return absl::StrCat(", sharding={", sharding, "}");
}
std::string Shardy(const std::string& cuts) {
  return absl::StrCat(
      ", frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, [", cuts,
      "]>\"}");
}

constexpr char kMesh[] =
    ", frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<[\"i\"=8]>}}";
constexpr char kSquareMesh[] =
    ", frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<[\"i\"=2, "
    "\"j\"=4]>}}";

// The step on whole arrays.
std::string Whole(const std::string& header, const Cut& cut,
                  const std::string& root) {
  return absl::StrCat(
      "HloModule m", header, "\n", kSum,
      "\nENTRY e {\n  x = f32[16,8] parameter(0)", cut.x,
      "\n  y = f32[16,8] parameter(1)", cut.y,
      "\n  w1 = f32[8,16] parameter(2)", cut.w1,
      "\n  w2 = f32[16,8] parameter(3)", cut.w2, "\n",
      Gradients(kRows, kHidden), Update("f32[8,16]", "f32[16,8]", "g1", "g2"),
      "  ROOT r = (f32[8,16], f32[16,8], f32[]) tuple(v1, v2, loss)", root,
      "\n}\n");
}

std::string OneDevice() { return Whole("", {}, ""); }

std::string BySharding(const std::string& x, const std::string& w1,
                       const std::string& w2) {
  return Whole(
      "", {Old(x), Old(x), Old(w1), Old(w2)},
      absl::StrCat(", sharding={{", w1, "}, {", w2, "}, {replicated}}"));
}

std::string ByShardy(const std::string& mesh, const std::string& x,
                     const std::string& w1, const std::string& w2) {
  return Whole(
      mesh, {Shardy(x), Shardy(x), Shardy(w1), Shardy(w2)},
      absl::StrCat(", frontend_attributes={xla.sdy.sharding=\"#sdy.sharding_"
                   "per_value<[<@mesh, [",
                   w1, "]>, <@mesh, [", w2, "]>, <@mesh, []>]>\"}"));
}

// --- With collectives written out --------------------------------------------

// How one device's part of the step is made of its parts of the arrays.
struct Manual {
  std::string x, w1, w2;  // shapes of the parts
  std::string body;       // makes v1, v2 and loss
};

constexpr char kAll[] =
    "channel_id=1, replica_groups={{0,1,2,3,4,5,6,7}}, "
    "use_global_device_ids=true";

// Each device has two rows; gradients are added up.
Manual DataParallel() {
  return {
      "f32[2,8]", "f32[8,16]", "f32[16,8]",
      absl::StrCat(Gradients(2, kHidden), "  sum1 = f32[8,16] all-reduce(g1), ",
                   kAll, ", to_apply=sum\n  sum2 = f32[16,8] all-reduce(g2), ",
                   kAll, ", to_apply=sum\n  l = f32[] all-reduce(loss), ", kAll,
                   ", to_apply=sum\n",
                   Update("f32[8,16]", "f32[16,8]", "sum1", "sum2"))};
}

// Each has two rows, and parts of the weights, which it gathers before use.
Manual Fsdp() {
  return {"f32[2,8]", "f32[1,16]", "f32[2,8]",
          absl::StrCat(
              "  q1 = f32[8,16] all-gather(w1), ", kAll,
              ", dimensions={0}\n  q2 = f32[16,8] all-gather(w2), ", kAll,
              ", dimensions={0}\n  q = (f32[8,16], f32[16,8], f32[]) call(x, "
              "y, q1, q2), to_apply=gradients\n"
              "  g1 = f32[8,16] get-tuple-element(q), index=0\n"
              "  g2 = f32[16,8] get-tuple-element(q), index=1\n"
              "  loss = f32[] get-tuple-element(q), index=2\n"
              "  sum1 = f32[1,16] reduce-scatter(g1), ",
              kAll,
              ", dimensions={0}, to_apply=sum\n"
              "  sum2 = f32[2,8] reduce-scatter(g2), ",
              kAll,
              ", dimensions={0}, to_apply=sum\n  l = f32[] all-reduce(loss), ",
              kAll, ", to_apply=sum\n",
              Update("f32[1,16]", "f32[2,8]", "sum1", "sum2"))};
}

// Each has two of the hidden columns; products are added up.
Manual TensorParallel() {
  return {"f32[16,8]", "f32[8,2]", "f32[2,8]",
          absl::StrCat(Gradients(kRows, 2,
                                 absl::StrCat("all-reduce(p0), ", kAll,
                                              ", to_apply=sum")),
                       "  l = f32[] copy(loss)\n",
                       Update("f32[8,2]", "f32[2,8]", "g1", "g2"))};
}

// Shardy knows the computation of a region by its name.
constexpr char kBody[] = "xla.sdy.manual_computation_body";

std::string BodyOf(const Manual& manual) {
  std::string gradients;
  if (manual.body.find("to_apply=gradients") != std::string::npos) {
    gradients = absl::StrCat(
        "\ngradients {\n  x = ", manual.x, " parameter(0)\n  y = ", manual.x,
        " parameter(1)\n  w1 = f32[8,16] parameter(2)\n  w2 = f32[16,8] "
        "parameter(3)\n",
        Gradients(2, kHidden),
        "  ROOT r = (f32[8,16], f32[16,8], f32[]) tuple(g1, g2, loss)\n}\n");
  }
  return absl::StrCat(kSum, gradients, "\n", kBody, " {\n  x = ", manual.x,
                      " parameter(0)\n  y = ", manual.x,
                      " parameter(1)\n  w1 = ", manual.w1,
                      " parameter(2)\n  w2 = ", manual.w2, " parameter(3)\n",
                      manual.body, "  ROOT r = (", manual.w1, ", ", manual.w2,
                      ", f32[]) tuple(v1, v2, l)\n}\n");
}

constexpr char kParameters[] =
    "\nENTRY e {\n  x = f32[16,8] parameter(0)\n  y = f32[16,8] parameter(1)\n"
    "  w1 = f32[8,16] parameter(2)\n  w2 = f32[16,8] parameter(3)\n";

// In a region between SPMDFullToShardShape and SPMDShardToFullShape.
std::string OldRegion(const Manual& manual, const std::string& x,
                      const std::string& w1, const std::string& w2) {
  std::string text = absl::StrCat("HloModule m\n", BodyOf(manual), kParameters);
  const struct {
    std::string name, whole, part, sharding;
  } kIn[] = {{"x", "f32[16,8]", manual.x, x},
             {"y", "f32[16,8]", manual.x, x},
             {"w1", "f32[8,16]", manual.w1, w1},
             {"w2", "f32[16,8]", manual.w2, w2}};
  for (const auto& i : kIn) {
    absl::StrAppend(
        &text, "  ", i.name, "s = ", i.whole, " custom-call(", i.name,
        "), custom_call_target=\"Sharding\"", Old(i.sharding), "\n  ", i.name,
        "l = ", i.part, " custom-call(", i.name,
        "s), custom_call_target=\"SPMDFullToShardShape\"", Old("manual"), "\n");
  }
  absl::StrAppend(&text, "  c = (", manual.w1, ", ", manual.w2,
                  ", f32[]) call(xl, yl, w1l, w2l), to_apply=", kBody, "\n");
  const struct {
    std::string whole, part, sharding;
  } kOut[] = {{"f32[8,16]", manual.w1, w1},
              {"f32[16,8]", manual.w2, w2},
              {"f32[]", "f32[]", "replicated"}};
  for (int i = 0; i < 3; ++i) {
    absl::StrAppend(&text, "  g", i, " = ", kOut[i].part,
                    " get-tuple-element(c), index=", i, "\n  m", i, " = ",
                    kOut[i].part, " custom-call(g", i,
                    "), custom_call_target=\"Sharding\"", Old("manual"),
                    "\n  o", i, " = ", kOut[i].whole, " custom-call(m", i,
                    "), custom_call_target=\"SPMDShardToFullShape\"",
                    Old(kOut[i].sharding), "\n");
  }
  return absl::StrCat(
      text, "  ROOT r = (f32[8,16], f32[16,8], f32[]) tuple(o0, o1, o2)\n}\n");
}

// The same in Shardy's notation.
std::string ShardyRegion(const Manual& manual, const std::string& x,
                         const std::string& w1, const std::string& w2) {
  const auto per_value = [](const std::vector<std::string>& cuts) {
    return absl::StrCat("\"#sdy.sharding_per_value<[<@mesh, [",
                        absl::StrJoin(cuts, "]>, <@mesh, ["), "]>]>\"");
  };
  constexpr char kAxes[] =
      "xla.sdy.manual_axes=\"#sdy<manual_axes{\\\"i\\\"}>\"";
  return absl::StrCat(
      "HloModule m", kMesh, "\n", BodyOf(manual), kParameters, "  l = (",
      manual.x, ", ", manual.x, ", ", manual.w1, ", ", manual.w2,
      ") custom-call(x, y, w1, w2), "
      "custom_call_target=\"xla.sdy.GlobalToLocalShape\", "
      "custom_call_has_side_effect=true, "
      "frontend_attributes={xla.sdy.in_shardings=",
      per_value({x, x, w1, w2}), ",", kAxes, "}\n  l0 = ", manual.x,
      " get-tuple-element(l), index=0\n  l1 = ", manual.x,
      " get-tuple-element(l), index=1\n  l2 = ", manual.w1,
      " get-tuple-element(l), index=2\n  l3 = ", manual.w2,
      " get-tuple-element(l), index=3\n  c = (", manual.w1, ", ", manual.w2,
      ", f32[]) call(l0, l1, l2, l3), to_apply=", kBody,
      ", frontend_attributes={inlineable=\"false\"}\n  c0 = ", manual.w1,
      " get-tuple-element(c), index=0, "
      "frontend_attributes={inlineable=\"false\"}\n  c1 = ",
      manual.w2,
      " get-tuple-element(c), index=1, "
      "frontend_attributes={inlineable=\"false\"}\n  c2 = f32[] "
      "get-tuple-element(c), index=2, "
      "frontend_attributes={inlineable=\"false\"}\n"
      "  ROOT r = (f32[8,16], f32[16,8], f32[]) custom-call(c0, c1, c2), "
      "custom_call_target=\"xla.sdy.LocalToGlobalShape\", "
      "custom_call_has_side_effect=true, frontend_attributes={",
      kAxes, ",xla.sdy.out_shardings=", per_value({w1, w2, ""}), "}\n}\n");
}

struct Case {
  const char* name;
  std::string text;
};

std::vector<Case> Cases() {
  constexpr char kRowsCut[] = "devices=[8,1]<=[8]";
  constexpr char kColumnsCut[] = "devices=[1,8]<=[8]";
  constexpr char kRow[] = "{\\\"i\\\"}, {}";
  constexpr char kColumn[] = "{}, {\\\"i\\\"}";
  constexpr char kNone[] = "{}, {}";
  return {
      {"data", BySharding(kRowsCut, "replicated", "replicated")},
      {"FSDP", BySharding(kRowsCut, kRowsCut, kRowsCut)},
      {"tensor", BySharding("replicated", kColumnsCut, kRowsCut)},
      {"data and tensor",
       BySharding("devices=[2,1,4]<=[8] last_tile_dim_replicate",
                  "devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate",
                  "devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate")},
      {"data, Shardy", ByShardy(kMesh, kRow, kNone, kNone)},
      {"FSDP, Shardy", ByShardy(kMesh, kRow, kRow, kRow)},
      {"tensor, Shardy", ByShardy(kMesh, kNone, kColumn, kRow)},
      {"data and tensor, Shardy",
       ByShardy(kSquareMesh, kRow, "{}, {\\\"j\\\"}", "{\\\"j\\\"}, {}")},
      {"data, manual",
       OldRegion(DataParallel(), kRowsCut, "replicated", "replicated")},
      {"FSDP, manual", OldRegion(Fsdp(), kRowsCut, kRowsCut, kRowsCut)},
      {"tensor, manual",
       OldRegion(TensorParallel(), "replicated", kColumnsCut, kRowsCut)},
      {"data, manual, Shardy",
       ShardyRegion(DataParallel(), kRow, kNone, kNone)},
      {"FSDP, manual, Shardy", ShardyRegion(Fsdp(), kRow, kRow, kRow)},
      {"tensor, manual, Shardy",
       ShardyRegion(TensorParallel(), kNone, kColumn, kRow)},
  };
}

// --- The tests ---------------------------------------------------------------

Module Read(const std::string& text) { return ReadModuleText(text).value(); }

std::vector<Literal> Inputs() {
  RandomStream random(1);
  std::vector<Literal> inputs;
  for (const Shape& shape : Read(OneDevice()).entry().signature().parameters) {
    inputs.push_back(RandomLiteral(shape, &random).value());
  }
  return inputs;
}

void ExpectAlike(const Literal& value, const Literal& expected) {
  ASSERT_EQ(value.shape(), expected.shape());
  for (size_t k = 0; k < expected.elements().size(); ++k) {
    const Literal& ours = value.elements()[k];
    const Literal dense = expected.elements()[k].Expanded().value();
    for (int64_t i = 0; i < dense.element_count(); ++i) {
      ASSERT_NEAR(ours.AsDouble(i), dense.AsDouble(i),
                  1e-4 * std::max(1.0, std::abs(dense.AsDouble(i))))
          << "result " << k << " at " << i;
    }
  }
}

TEST(ParallelTrainingTest, InTheEvaluator) {
  const std::vector<Literal> inputs = Inputs();
  const Literal one = Evaluate(Read(OneDevice()), inputs).value();
  std::vector<std::vector<Literal>> spread;
  for (const Literal& input : inputs) spread.push_back({input});
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.name);
    const absl::StatusOr<std::vector<Literal>> eight =
        EvaluateOnDevices(Read(c.text), {1, kDevices}, spread);
    ASSERT_TRUE(eight.ok()) << eight.status();
    ASSERT_EQ(eight->size(), 1) << "devices differ";
    ExpectAlike((*eight)[0], one);
  }
}

class PluginTrainingTest : public ::testing::TestWithParam<std::string> {
 protected:
  static Client NewClient() {
    const Plugin plugin = Plugin::Load(GetParam()).value();
    return Client::Create(plugin, {{{"cpu_device_count", kDevices}}}).value();
  }
};

TEST_P(PluginTrainingTest, EightDevicesAreAsOne) {
  const Client client = NewClient();
  const std::vector<Literal> inputs = Inputs();
  const Literal one =
      client.Compile(Read(OneDevice())).value().Run(inputs).value();
  ExpectAlike(Evaluate(Read(OneDevice()), inputs).value(), one);
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.name);
    CompileOptions options;
    options.partitions = kDevices;
    const absl::StatusOr<Executable> step =
        client.Compile(Read(c.text), options);
    ASSERT_TRUE(step.ok()) << step.status();
    const absl::StatusOr<Literal> eight = step->Run(inputs);
    ASSERT_TRUE(eight.ok()) << eight.status();
    ExpectAlike(*eight, one);
  }
}

// Each replica has two rows, and adds up its gradients with the others'.
std::string Replica() {
  return absl::StrCat(
      "HloModule m\n", kSum,
      "\nENTRY e {\n  x = f32[2,8] parameter(0)\n  y = f32[2,8] parameter(1)\n"
      "  w1 = f32[8,16] parameter(2)\n  w2 = f32[16,8] parameter(3)\n",
      Gradients(2, kHidden),
      "  all = (f32[8,16], f32[16,8], f32[]) all-reduce(g1, g2, loss), "
      "replica_groups={}, to_apply=sum\n"
      "  sum1 = f32[8,16] get-tuple-element(all), index=0\n"
      "  sum2 = f32[16,8] get-tuple-element(all), index=1\n"
      "  l = f32[] get-tuple-element(all), index=2\n",
      Update("f32[8,16]", "f32[16,8]", "sum1", "sum2"),
      "  ROOT r = (f32[8,16], f32[16,8], f32[]) tuple(v1, v2, l)\n}\n");
}

// The rows of `array`, two for each device.
std::vector<Literal> RowsOf(const Literal& array) {
  std::vector<Literal> rows;
  const Shape part = Shape::Of(ElementType::kF32, {2, 8});
  for (size_t d = 0; d < kDevices; ++d) {
    rows.push_back(
        Literal::FromBytes(part, array.bytes().substr(d * 64, 64)).value());
  }
  return rows;
}

TEST_P(PluginTrainingTest, ReplicasAreAsOne) {
  const Client client = NewClient();
  const std::vector<Literal> inputs = Inputs();
  const Literal one = Evaluate(Read(OneDevice()), inputs).value();
  const std::vector<std::vector<Literal>> spread = {
      RowsOf(inputs[0]), RowsOf(inputs[1]), {inputs[2]}, {inputs[3]}};
  const absl::StatusOr<std::vector<Literal>> ours =
      EvaluateOnDevices(Read(Replica()), {kDevices, 1}, spread);
  ASSERT_TRUE(ours.ok()) << ours.status();
  ExpectAlike((*ours)[0], one);
  CompileOptions options;
  options.replicas = kDevices;
  const absl::StatusOr<Executable> step =
      client.Compile(Read(Replica()), options);
  ASSERT_TRUE(step.ok()) << step.status();
  const std::vector<Device> on = step->devices();
  std::vector<std::vector<Buffer>> buffers(on.size());
  for (size_t d = 0; d < on.size(); ++d) {
    for (const std::vector<Literal>& input : spread) {
      buffers[d].push_back(
          client.ToDevice(input[input.size() == 1 ? 0 : d], on[d]).value());
    }
  }
  const absl::StatusOr<ShardedExecution> run = step->ExecuteSharded(buffers);
  ASSERT_TRUE(run.ok()) << run.status();
  for (size_t d = 0; d < on.size(); ++d) {
    std::vector<Literal> leaves;
    for (const Buffer& buffer : run->results[d]) {
      leaves.push_back(buffer.ToLiteral().value());
    }
    ExpectAlike(Literal::Tuple(std::move(leaves)), one);
  }
}

INSTANTIATE_TEST_SUITE_P(Plugins, PluginTrainingTest,
                         ::testing::ValuesIn(PluginPaths()),
                         [](const auto& plugin) {
                           return absl::StrCat("Number", plugin.index);
                         });

TEST(ParallelTrainingPluginsTest, ThereAreSome) {
  EXPECT_FALSE(PluginPaths().empty());
}

}  // namespace
}  // namespace pjrt
}  // namespace indim
