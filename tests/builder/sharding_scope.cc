// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/builder/sharding_scope.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "indim/builder/op_access.h"
#include "indim/builder/sharding.h"
#include "indim/ir/module_access.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/sharding/sharding_faults.h"

namespace indim {
namespace {

std::vector<Op> Call(TestBuilder& b, const std::vector<std::string>& shapes,
                     const CallOfSeveral& call, const std::string* sharding) {
  Ops operands;
  for (const std::string& shape : shapes) operands.push_back(b.P(shape));
  b.plain_parameters = true;
  if (sharding == nullptr) return call(b, operands);
  const ScopedSharding scope(&b, *sharding);
  return call(b, operands);
}

std::string TextOf(const Instruction& instruction) {
  return absl::StrCat(instruction.opcode_name(), " ",
                      instruction.shape().WithoutLayout().ToString());
}

bool IsSharded(const Instruction& instruction) {
  bool present = false;
  AttributeBytesField(internal::AttributeBytesOf(instruction),
                      field::HloInstructionProto::kSharding, &present);
  return present;
}

}  // namespace

std::string ShardingOf(const Shape& shape) {
  if (shape.is_tuple()) {
    std::vector<std::string> leaves;
    const std::function<void(const Shape&)> add = [&](const Shape& part) {
      if (!part.is_tuple()) return leaves.push_back(ShardingOf(part));
      for (const Shape& element : part.elements()) add(element);
    };
    add(shape);
    // XLA has one for a tuple without leaves.
    if (leaves.empty()) leaves.push_back(ReplicateSharding());
    return TupleSharding(leaves);
  }
  if (!shape.is_array() || shape.rank() == 0) return ReplicateSharding();
  std::vector<int64_t> tiles(static_cast<size_t>(shape.rank()), 1);
  tiles[0] = 2;
  return TileSharding(tiles);
}

UnderScope CallUnder(const std::function<std::string(const Shape& first)>& of,
                     const std::vector<std::string>& shapes,
                     const CallOfSeveral& call) {
  TestBuilder plain("plain"), b("sharded");
  const std::vector<Op> before = Call(plain, shapes, call, nullptr);
  EXPECT_TRUE(plain.status().ok()) << plain.status();
  const absl::StatusOr<Shape> first = plain.shape(before.at(0));
  if (!first.ok()) return {};
  const std::string sharding = of(*first);
  const std::vector<Op> results = Call(b, shapes, call, &sharding);
  UnderScope found;
  found.errors = b.DiagnosticsText();
  std::vector<int> nodes;
  for (const Op result : results) {
    nodes.push_back(static_cast<int>(internal::OpAccess::Node(result)));
  }
  const absl::StatusOr<Module> module = b.Build(b.Tuple(results));
  if (!module.ok()) return found;
  for (const Computation computation : module->computations()) {
    const bool is_entry = computation.name() == module->entry().name();
    for (const Instruction instruction : computation.instructions()) {
      if (!IsSharded(instruction)) continue;
      found.sharded.push_back(
          absl::StrCat(is_entry ? "" : absl::StrCat(computation.name(), ": "),
                       TextOf(instruction)));
    }
  }
  for (const int node : nodes) {
    const Instruction result = module->entry().instruction(node);
    const bool fits = ShardingErrors(sharding, result.shape(), 0).empty();
    if (fits) found.results.push_back(TextOf(result));
  }
  return found;
}

}  // namespace indim
