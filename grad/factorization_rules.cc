// SPDX-License-Identifier: Apache-2.0
// Which custom calls factor matrices, with the shapes that each must have.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/grad/linear_algebra.h"
#include "indim/grad/linearizer.h"
#include "indim/grad/rules.h"
#include "indim/grad/tape.h"
#include "indim/shape/ops/lapack.h"

namespace indim::internal {
namespace {

struct FactorizationRow {
  absl::string_view name;
  // The last dims of each operand and each result: sizes by letters, where k is
  // the smaller one of operand 0, and * is any. Their types: t operand 0's, r
  // its real part's, i integers. Dims before these are operand 0's.
  absl::string_view signature;
  TangentRule rule;
};
constexpr FactorizationRow kXla[] = {
    {"Eigh", "tnn > tnn rn", TangentEigh},
    {"Qr", "tmn > tmn tk", TangentGeqrf},
    {"ProductOfElementaryHouseholderReflectors", "tmn tf > tmn",
     TangentReflections}};
constexpr FactorizationRow kLapack[] = {
    {"potrf", "tnn > tnn i", TangentPotrf},
    {"trsm", "tnn t** > t**", TangentTrsm},
    {"getrf", "tmn > tmn ik i", TangentGetrf},
    {"geqrf", "tmn > tmn tk", TangentGeqrf},
    {"orgqr", "tmn tf > tmn", TangentReflections},
    {"ungqr", "tmn tf > tmn", TangentReflections},
    {"syevd", "tnn > tnn rn i", TangentSyevd},
    {"heevd", "tnn > tnn rn i", TangentSyevd},
    {"gesdd", "tmn > tmn rk tm* t*n i", TangentGesdd}};

// Compares shapes with words of a signature.
class SignatureMatcher {
 public:
  // `matrix`: operand 0.
  explicit SignatureMatcher(const Shape& matrix) : matrix_(matrix) {
    const int rank = matrix.rank();
    sizes_['k'] =
        std::min(matrix.dim(rank - 1).size(), matrix.dim(rank - 2).size());
  }
  bool Fits(const Shape& shape, absl::string_view word) {
    const absl::string_view letters = word.substr(1);
    const int batch = matrix_.rank() - 2;
    if (!shape.is_array() ||
        shape.rank() != batch + static_cast<int>(letters.size()) ||
        !IsOfType(shape.element_type(), word[0])) {
      return false;
    }
    for (int i = 0; i < shape.rank(); ++i) {
      const int64_t size = shape.dim(i).size();
      if (i < batch
              ? size != matrix_.dim(i).size()
              : !IsOfSize(size, letters[static_cast<size_t>(i - batch)])) {
        return false;
      }
    }
    return true;
  }

 private:
  bool IsOfType(ElementType type, char letter) const {
    const ElementType whole = matrix_.element_type();
    if (letter == 'i') return IsIntegral(type);
    return type ==
           (letter == 'r' && IsComplex(whole) ? RealPart(whole) : whole);
  }
  bool IsOfSize(int64_t size, char letter) {
    return letter == '*' || sizes_.emplace(letter, size).first->second == size;
  }

  const Shape& matrix_;
  std::map<char, int64_t> sizes_;
};

bool Fits(const Instruction& call, absl::string_view signature) {
  std::vector<const Shape*> shapes;
  for (const Instruction operand : call.operands()) {
    shapes.push_back(&operand.shape());
  }
  const std::vector<std::string> sides = absl::StrSplit(signature, " > ");
  std::vector<std::string> words = absl::StrSplit(sides[0], ' ');
  if (shapes.size() != words.size() || !shapes[0]->is_array() ||
      shapes[0]->rank() < 2 || !IsDifferentiable(*shapes[0])) {
    return false;
  }
  const std::vector<std::string> results = absl::StrSplit(sides[1], ' ');
  words.insert(words.end(), results.begin(), results.end());
  if (results.size() == 1) {
    shapes.push_back(&call.shape());
  } else {
    if (!call.shape().is_tuple()) return false;
    for (const Shape& element : call.shape().elements()) {
      shapes.push_back(&element);
    }
  }
  if (shapes.size() != words.size()) return false;
  SignatureMatcher matcher(*shapes[0]);
  for (size_t i = 0; i < words.size(); ++i) {
    if (!matcher.Fits(*shapes[i], words[i])) return false;
  }
  return true;
}

absl::Status RefuseShapes(Primal& node) {
  return node.Refuse("its operands and results aren't those of its target");
}

}  // namespace

TangentRule FactorizationRule(const Instruction& call) {
  const absl::string_view target =
      As<CustomCallAttributes>(call.attributes()).target;
  const absl::string_view routine = LapackRoutine(target);
  const absl::Span<const FactorizationRow> rows =
      routine.empty() ? absl::MakeConstSpan(kXla) : kLapack;
  for (const FactorizationRow& row : rows) {
    if (row.name != (routine.empty() ? target : routine)) continue;
    return Fits(call, row.signature) ? row.rule : RefuseShapes;
  }
  return nullptr;
}

}  // namespace indim::internal
