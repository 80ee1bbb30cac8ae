// SPDX-License-Identifier: Apache-2.0
// What each named set of element types holds, and how it is described.

#include "indim/shape/types/type_mask.h"

#include <gtest/gtest.h>

#include <string>

#include "indim/shape/types/element_type.h"

namespace indim {
namespace {

// Of a type of each kind, the letters of those that the mask holds.
std::string Held(TypeMask mask) {
  std::string held;
  if (Accepts(mask, ElementType::kInvalid)) held += '-';
  if (Accepts(mask, ElementType::kPred)) held += 'p';
  if (Accepts(mask, ElementType::kS32)) held += 's';
  if (Accepts(mask, ElementType::kU8)) held += 'u';
  if (Accepts(mask, ElementType::kF16)) held += 'f';
  if (Accepts(mask, ElementType::kF64)) held += 'F';
  if (Accepts(mask, ElementType::kC64)) held += 'c';
  return held;
}

TEST(TypeMaskTest, Table) {
  const struct {
    TypeMask mask;
    const char *held, *text;
  } kCases[] = {
      {TypeMask::kNone, "", ""},
      {TypeMask::kAny, "-psufFc", "anything"},
      {TypeMask::kArray, "psufFc", "of any type"},
      {TypeMask::kNotPred, "sufFc", "anything but pred"},
      {TypeMask::kPred, "p", "pred"},
      {TypeMask::kSigned, "s", "signed integers"},
      {TypeMask::kIntegral, "su", "integers"},
      {TypeMask::kPredUnsigned, "pu", "pred or unsigned integers"},
      {TypeMask::kPredIntegral, "psu", "pred or integers"},
      {TypeMask::kFloat, "fF", "floating-point"},
      {TypeMask::kFloatComplex, "fFc", "floating-point or complex"},
      {TypeMask::kSignedFloatComplex, "sfFc",
       "signed integers, floating-point or complex"},
      {TypeMask::kNumber, "sufFc", "integers, floating-point or complex"},
      {TypeMask::kF32OrF64, "F", "f32 or f64"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Held(c.mask), c.held) << c.text;
    EXPECT_EQ(Describe(c.mask), c.text);
  }
  EXPECT_EQ(Describe(TypeMask::kPredReal, "floats"),
            "pred, integers or floats");
}

}  // namespace
}  // namespace indim
