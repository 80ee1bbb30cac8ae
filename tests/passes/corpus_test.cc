// SPDX-License-Identifier: Apache-2.0
// Real modules through the passes: verified without an error, inferred to what
// JAX wrote, and broken ones found.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>

#include "indim/ir/module_access.h"
#include "indim/ir/report.h"
#include "indim/ir/storage/file.h"
#include "indim/passes/check/infer_shapes.h"
#include "indim/passes/check/verify_shapes.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/shape/infer/infer.h"
#include "indim/tests/data_files.h"

namespace indim {
namespace {

Module ReadJaxModule(const std::string& file) {
  const absl::StatusOr<std::string> bytes = ReadFile(file);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  const absl::StatusOr<Module> module = ReadHloModuleProto(*bytes);
  EXPECT_TRUE(module.ok()) << file << ": " << module.status();
  return module.ok() ? *module : Module();
}

class CorpusTest : public ::testing::TestWithParam<std::string> {};

TEST_P(CorpusTest, VerifiesWithoutError) {
  const Module module = ReadJaxModule(GetParam());
  const VerifyResult result = VerifyShapes(module);
  EXPECT_TRUE(result.ok()) << RenderReport(module, result.report);
  // What real programs do makes sense.
  EXPECT_EQ(result.report.warning_count(), 0)
      << RenderReport(module, result.report);
  EXPECT_EQ(result.inferred + result.related + result.unchecked,
            module.instruction_count());
  EXPECT_GT(result.inferred, 0);
}

// Every shape that can be inferred is forgotten and comes back, bytes and all.
TEST_P(CorpusTest, DroppedShapesComeBack) {
  const absl::StatusOr<std::string> before =
      SerializeModule(ReadJaxModule(GetParam()));
  InferOptions drop;
  drop.drop = true;
  const InferResult result = InferShapes(ReadJaxModule(GetParam()), drop);
  EXPECT_TRUE(result.report.ok()) << RenderReport(result.module, result.report);
  const absl::StatusOr<std::string> after = SerializeModule(result.module);
  ASSERT_TRUE(before.ok() && after.ok());
  EXPECT_TRUE(*before == *after) << GetParam();
}

// One result dim of one inferred node is made larger: the verifier says so at
// that node.
TEST_P(CorpusTest, ABrokenDimIsFound) {
  const Module original = ReadJaxModule(GetParam());
  std::mt19937 random(7);
  for (int attempt = 0; attempt < 8; ++attempt) {
    std::shared_ptr<ModuleData> data =
        std::make_shared<ModuleData>(internal::DataOf(original));
    const uint32_t c = random() % data->computations.size();
    if (data->computations[c].count == 0) continue;
    const uint32_t i = random() % data->computations[c].count;
    InstructionRecord& r = data->instructions[data->computations[c].first + i];
    const Shape shape = data->pools->shapes().shape(r.shape);
    if (!IsInferable(r.opcode) || shape.rank() == 0 ||
        Info(r.opcode).result == ResultSource::kGiven) {
      continue;
    }
    Shape broken = shape;
    const int d = static_cast<int>(random() % shape.rank());
    broken.set_dim(d, Dim::Static(shape.dim(d).size() + 1));
    r.shape = data->MutablePools().shapes().Intern(broken);
    const Module module = internal::ModuleOf(data);
    const VerifyResult result = VerifyShapes(module);
    const auto& found = result.report.diagnostics();
    EXPECT_TRUE(std::any_of(found.begin(), found.end(),
                            [&](const ModuleDiagnostic& diagnostic) {
                              return diagnostic.computation == c &&
                                     diagnostic.instruction == i;
                            }))
        << GetParam() << " "
        << InstructionText(internal::InstructionOf(data.get(), c, i));
  }
}

INSTANTIATE_TEST_SUITE_P(All, CorpusTest, ::testing::ValuesIn(JaxModules()),
                         [](const auto& info) {
                           std::string name =
                               info.param.substr(info.param.rfind('/') + 1);
                           for (char& c : name) {
                             if (!isalnum(c)) c = '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace indim
