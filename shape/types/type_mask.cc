// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/types/type_mask.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace indim {

std::string Describe(TypeMask mask, absl::string_view floats) {
  if (mask == TypeMask::kAny) return "anything";
  if (mask == TypeMask::kArray) return "of any type";
  if (mask == TypeMask::kNotPred) return "anything but pred";
  const std::pair<TypeMask, absl::string_view> kParts[] = {
      {TypeMask::kPred, "pred"},
      {TypeMask::kIntegral, "integers"},
      {TypeMask::kSigned, "signed integers"},
      {TypeMask::kUnsigned, "unsigned integers"},
      {TypeMask::kFloat, floats},
      {TypeMask::kComplex, "complex"}};
  uint64_t left = static_cast<uint64_t>(mask);
  std::vector<absl::string_view> words;
  for (const auto& [part, word] : kParts) {
    const uint64_t types = static_cast<uint64_t>(part);
    if ((left & types) != types) continue;
    left &= ~types;
    words.push_back(word);
  }
  for (const ElementTypeInfo& info : AllElementTypes()) {
    if (Accepts(TypeMask{left}, info.type)) words.push_back(info.name);
  }
  if (words.size() < 2) return absl::StrJoin(words, "");
  const absl::string_view last = words.back();
  words.pop_back();
  return absl::StrCat(absl::StrJoin(words, ", "), " or ", last);
}

}  // namespace indim
