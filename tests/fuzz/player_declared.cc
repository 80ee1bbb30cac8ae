// SPDX-License-Identifier: Apache-2.0
// Calls of what ops declare: their rows say what operands, attributes and
// computations must be (shape/ops/constraint.h).

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "indim/shape/ops/opcode.h"
#include "indim/tests/builder/callee_of.h"
#include "indim/tests/fuzz/player.h"
#include "indim/tests/shape/infer/declared_inputs.h"

namespace indim {

std::vector<Player::Known> Player::KnownOps() {
  constexpr size_t kLastOnes = 16;
  std::vector<Known> known;
  const size_t first = ops_.size() - std::min(ops_.size(), kLastOnes);
  for (size_t i = first; i < ops_.size(); ++i) {
    absl::StatusOr<Shape> shape = builder().shape(ops_[i]);
    if (shape.ok()) known.push_back({ops_[i], shape->WithoutLayout()});
  }
  return known;
}

std::optional<OwnedInputs> Player::DrawDeclared(Opcode opcode,
                                                std::vector<Op>* operands) {
  const std::vector<Known> known = KnownOps();
  std::vector<Shape> shapes;
  for (const Known& one : known) shapes.push_back(one.shape);
  const uint32_t seed = Byte() * 256u + Byte();
  DeclaredInputs inputs(seed + 1);
  std::optional<OwnedInputs> drawn;
  // What inference asks for beyond the declarations may need another draw.
  constexpr int kDraws = 4;
  for (int i = 0; i < kDraws; ++i) {
    drawn = inputs.Keeping(opcode, shapes);
    if (!drawn) continue;
    InferContext context(InferPolicy::kBuilder);
    if (InferShape(&context, drawn->View())) break;
  }
  if (!drawn) return std::nullopt;
  for (const Shape& shape : drawn->operands) {
    const auto found = std::find_if(
        known.rbegin(), known.rend(),
        [&](const Known& one) { return SameStructure(one.shape, shape); });
    operands->push_back(found != known.rend() ? found->op
                                              : NewParameter(shape));
  }
  return drawn;
}

void Player::CallDeclared() {
  const absl::Span<const OpInfo> all = AllOps();
  const OpInfo& info = all[Byte() % all.size()];
  // These have methods of their own.
  if (info.opcode == Opcode::kParameter || info.opcode == Opcode::kConstant) {
    return;
  }
  std::vector<Op> operands;
  const std::optional<OwnedInputs> drawn = DrawDeclared(info.opcode, &operands);
  if (!drawn) return;
  std::vector<Callee> callees;
  for (const Signature& signature : drawn->callees) {
    absl::StatusOr<Module> callee = CalleeOf(signature);
    if (!callee.ok()) return;
    callees.emplace_back(*std::move(callee));
  }
  std::optional<Shape> result;
  if (!drawn->declared.is_none()) result = drawn->declared;
  const Op op = builder().AddInstruction(info.opcode, operands,
                                         drawn->attributes, result, callees);
  Push(op);
  if (tally_ != nullptr && builder().shape(op).ok()) {
    tally_->ops.insert(info.opcode);
  }
}

void Player::WantOperandsOf(Opcode opcode) {
  // The rest is misuse.
  if (!careful_ || OneIn(4)) return;
  std::vector<Op> operands;
  if (!DrawDeclared(opcode, &operands)) return;
  wanted_.assign(operands.rbegin(), operands.rend());
}

}  // namespace indim
