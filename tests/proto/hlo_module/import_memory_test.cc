// SPDX-License-Identifier: Apache-2.0
// How much memory an import takes beyond the file, which the module keeps.
// Counts every allocation of the process, so it is a test of its own.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "indim/proto/codec/shape_wire.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/proto/wire/wire.h"
#include "indim/shape/types/shape.h"
#include "indim/tests/allocation_counter.h"

namespace indim {
namespace {

void Text(uint32_t number, absl::string_view text, std::string* out) {
  AppendTag(number, WireType::kLengthDelimited, out);
  AppendLengthDelimited(text, out);
}
void Number(uint32_t number, uint64_t value, std::string* out) {
  AppendTag(number, WireType::kVarint, out);
  AppendVarint(value, out);
}

constexpr uint64_t kComputation = uint64_t{1} << 32;

// As JAX writes them: a name, a shape with its layout, metadata that one in
// four has alone, a 64-bit id, two operands, the empty messages of today's XLA.
std::string Instruction(uint64_t i, absl::string_view shape) {
  const bool parameter = i < 2;
  std::string out;
  Text(1, absl::StrCat(parameter ? "Arg_" : "add.", i), &out);
  Text(2, parameter ? "parameter" : "add", &out);
  Text(3, shape, &out);
  std::string metadata;
  Text(2, absl::StrCat("jit(step)/jvp(Model)/Block_", i / 4, "/add"),
       &metadata);
  Text(7, metadata, &out);
  if (i == 1) Number(9, i, &out);
  Number(35, kComputation + i + 1, &out);
  if (!parameter) {
    std::string operands;
    AppendVarint(kComputation + i, &operands);
    AppendVarint(kComputation + i - 1, &operands);
    Text(36, operands, &out);
  }
  Text(68, "", &out);
  Text(82, "", &out);
  return out;
}

std::string ModuleOf(uint64_t count) {
  const std::string shape =
      SerializeShapeProto(*ParseShape("f32[8,128,256]{2,1,0}"));
  std::string entry;
  Text(1, "main", &entry);
  for (uint64_t i = 0; i < count; ++i) {
    Text(2, Instruction(i, shape), &entry);
  }
  Number(5, 1, &entry);
  Number(6, kComputation + count, &entry);
  std::string module;
  Text(1, "step", &module);
  Text(3, entry, &module);
  Number(6, 1, &module);
  return module;
}

TEST(ImportMemoryTest, IsAPartOfTheFile) {
  const std::string bytes = ModuleOf(50000);
  absl::StatusOr<Module> module;
  const size_t used =
      PeakBytesOf([&] { module = ReadHloModuleProto(bytes, nullptr); });
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->instruction_count(), 50000);
  EXPECT_LE(static_cast<double>(used), 0.6 * static_cast<double>(bytes.size()))
      << static_cast<double>(used) / static_cast<double>(bytes.size());
}

}  // namespace
}  // namespace indim
