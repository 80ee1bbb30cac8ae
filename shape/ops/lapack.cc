// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/ops/lapack.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "indim/shape/types/element_type.h"

namespace indim {
namespace {

// Compares shapes with words of a signature.
class SignatureMatcher {
 public:
  // Operand 0, and its word.
  SignatureMatcher(const Shape& first, absl::string_view word)
      : first_(first),
        batch_(first.rank() - static_cast<int>(word.size()) + 1) {
    const int rank = first.rank();
    if (batch_ < 0 || word.size() != 3) return;
    sizes_['k'] =
        std::min(first.dim(rank - 1).size(), first.dim(rank - 2).size());
  }
  bool Fits(const Shape& shape, absl::string_view word) {
    const absl::string_view letters = word.substr(1);
    if (!shape.is_array() || batch_ < 0 ||
        shape.rank() != batch_ + static_cast<int>(letters.size()) ||
        !IsOfType(shape.element_type(), word[0])) {
      return false;
    }
    for (int i = 0; i < shape.rank(); ++i) {
      const int64_t size = shape.dim(i).size();
      if (i < batch_
              ? size != first_.dim(i).size()
              : !IsOfSize(size, letters[static_cast<size_t>(i - batch_)])) {
        return false;
      }
    }
    return true;
  }

 private:
  bool IsOfType(ElementType type, char letter) const {
    const ElementType whole = first_.element_type();
    if (letter == 'i') return IsIntegral(type);
    if (letter == 'c') return type == ComplexOf(whole).value_or(whole);
    return type ==
           (letter == 'r' && IsComplex(whole) ? RealPart(whole) : whole);
  }
  bool IsOfSize(int64_t size, char letter) {
    return letter == '*' || sizes_.emplace(letter, size).first->second == size;
  }

  const Shape& first_;
  const int batch_;
  std::map<char, int64_t> sizes_;
};

}  // namespace

absl::string_view LapackRoutine(absl::string_view target) {
  if (!absl::ConsumePrefix(&target, "lapack_") ||
      !absl::ConsumeSuffix(&target, "_ffi") || target.empty() ||
      absl::string_view("sdcz").find(target[0]) == absl::string_view::npos) {
    return {};
  }
  return target.substr(1);
}

char LapackLetter(const CustomCallAttributes& call, absl::string_view name) {
  absl::string_view config = call.opaque;
  const std::string key = absl::StrCat(name, " = ");
  const size_t at = config.find(key);
  if (at == absl::string_view::npos) return 0;
  config.remove_prefix(at + key.size());
  int64_t letter = 0;
  return absl::SimpleAtoi(
             config.substr(0, config.find_first_not_of("0123456789")),
             &letter) &&
                 letter > 0 && letter < 128
             ? static_cast<char>(letter)
             : 0;
}

TriangularSolveAttributes LapackSolve(const CustomCallAttributes& call) {
  TriangularSolveAttributes solve;
  solve.left_side = LapackLetter(call, "side") == 'L';
  solve.lower = LapackLetter(call, "uplo") == 'L';
  solve.unit_diagonal = LapackLetter(call, "diag") == 'U';
  const char transpose = LapackLetter(call, "trans_x");
  solve.transpose_a = transpose == 'T' ? TriangularSolveTranspose::kTranspose
                      : transpose == 'C'
                          ? TriangularSolveTranspose::kAdjoint
                          : TriangularSolveTranspose::kNoTranspose;
  return solve;
}

bool ReadsLower(const CustomCallAttributes& call) {
  const char uplo = LapackLetter(call, "uplo");
  return uplo == 0 ? absl::StartsWith(call.opaque, "1") : uplo == 'L';
}

bool FitsSignature(absl::Span<const Shape* const> operands, const Shape& result,
                   absl::string_view signature) {
  std::vector<const Shape*> shapes(operands.begin(), operands.end());
  const std::vector<std::string> sides = absl::StrSplit(signature, " > ");
  std::vector<std::string> words = absl::StrSplit(sides[0], ' ');
  if (shapes.size() != words.size() || !shapes[0]->is_array() ||
      !(IsFloat(shapes[0]->element_type()) ||
        IsComplex(shapes[0]->element_type()))) {
    return false;
  }
  const std::vector<std::string> results = absl::StrSplit(sides[1], ' ');
  words.insert(words.end(), results.begin(), results.end());
  if (results.size() == 1) {
    shapes.push_back(&result);
  } else {
    if (!result.is_tuple()) return false;
    for (const Shape& element : result.elements()) shapes.push_back(&element);
  }
  if (shapes.size() != words.size()) return false;
  SignatureMatcher matcher(*shapes[0], words[0]);
  for (size_t i = 0; i < words.size(); ++i) {
    if (!matcher.Fits(*shapes[i], words[i])) return false;
  }
  return true;
}

}  // namespace indim
