// SPDX-License-Identifier: Apache-2.0
// What a player draws from its bytes: one operand, number, shape ... at a time,
// mostly what makes sense.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "indim/tests/fuzz/player.h"

namespace indim {

Op Player::DrawOp() {
  if (!wanted_.empty()) {
    const Op op = wanted_.back();
    wanted_.pop_back();
    return op;
  }
  const uint8_t which = Byte();
  if (which == 255 || ops_.empty()) return Op();
  // Mostly one of the last few.
  if (which < 160)
    return ops_[ops_.size() - 1 - which % std::min<size_t>(ops_.size(), 8)];
  return ops_[which % ops_.size()];
}

int64_t Player::DrawInt() {
  static constexpr int64_t kNumbers[] = {
      -1,
      -2,
      16,
      127,
      1000,
      int64_t{1} << 31,
      (int64_t{1} << 31) - 1,
      int64_t{1} << 32,
      int64_t{1} << 40,
      (int64_t{1} << 62) - 1,
      int64_t{1} << 62,
      std::numeric_limits<int64_t>::max(),
      std::numeric_limits<int64_t>::min(),
      std::numeric_limits<int64_t>::max() - 1};
  const uint8_t which = Byte();
  if (which < 200) return which % 6;
  return kNumbers[which % std::size(kNumbers)];
}

DimIndices Player::DrawDims() {
  DimIndices dims;
  for (size_t n = Byte() % 5; n > 0; --n) dims.push_back(DrawInt());
  return dims;
}

ElementType Player::DrawType() {
  const uint8_t which = Byte();
  if (which < 100) return ElementType::kF32;
  if (which < 130) return ElementType::kS32;
  if (which < 150) return ElementType::kPred;
  return static_cast<ElementType>(which % 40);
}

Shape Player::DrawShape() {
  static constexpr const char* kShapes[] = {"f32[2,3]",
                                            "f32[]",
                                            "s32[]",
                                            "pred[2,3]",
                                            "f32[3]",
                                            "token[]",
                                            "(f32[2])",
                                            "u32[4]",
                                            "f32[<=5,3]",
                                            "f32[?]",
                                            "f32[*]",
                                            "f32[2..5,3]",
                                            "f32[2,3]{0,1}",
                                            "opaque[]",
                                            "()",
                                            "c64[2]",
                                            "s4[0]",
                                            "b(f32[2])",
                                            "f32[9223372036854775807]",
                                            "f32[1,1,4,4]",
                                            "bf16[8]",
                                            "((s32[],f32[2]),token[])"};
  const uint8_t which = Byte();
  if (which < 200) return *ParseShape(kShapes[which % std::size(kShapes)]);
  if (which < 210) return Shape();
  Shape shape = Shape::Array(DrawType(), {});
  for (size_t n = Byte() % 5; n > 0; --n) {
    shape.add_dim(OneIn(4) ? Dim::Bounded(DrawInt()) : Dim::Static(DrawInt()));
  }
  if (OneIn(4)) shape.set_layout(Draw(*this, Tag<Layout>()));
  return shape;
}

std::string Player::DrawText() {
  static constexpr const char* kTexts[] = {
      "",        "a",         "kLoop", "ij,jk->ik", "...i->i",   "i,i",
      "main.1",  "\xff\xfe",  "{}",    "target",    "x y\"\\\n", "$x",
      "kCustom", "backend=1", "1",     "add.3"};
  const uint8_t which = Byte();
  if (which < 220) return kTexts[which % std::size(kTexts)];
  std::string text;
  for (size_t n = Byte() % 12; n > 0; --n) {
    text.push_back(static_cast<char>(Byte()));
  }
  return text;
}

double Player::DrawDouble() {
  static constexpr double kNumbers[] = {
      0,
      1,
      -1,
      0.5,
      -0.0,
      1e300,
      1e-320,
      2147483648.0,
      std::numeric_limits<double>::infinity(),
      std::numeric_limits<double>::quiet_NaN(),
      3,
      255};
  return kNumbers[Choose(std::size(kNumbers))];
}

Callee Player::DrawCallee() {
  const uint8_t which = Byte();
  // Those of this program come last.
  if (which >= 128)
    return callees_[callees_.size() - 1 - which % callees_.size()];
  return callees_[which % callees_.size()];
}

Literal Player::DrawLiteral() {
  std::vector<double> values;
  for (size_t n = Byte() % 7; n > 0; --n) values.push_back(DrawDouble());
  std::vector<int64_t> sizes;
  if (OneIn(4)) {
    sizes = {DrawInt(), DrawInt()};
  } else if (values.size() != 1) {
    sizes = {static_cast<int64_t>(values.size())};
  }
  absl::StatusOr<Literal> literal =
      Literal::FromDoubles(DrawType(), values, sizes);
  if (!literal.ok()) return Literal();
  if (OneIn(6)) return Literal::Tuple({*literal, Literal()});
  return *std::move(literal);
}

}  // namespace indim
