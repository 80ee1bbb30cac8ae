// SPDX-License-Identifier: Apache-2.0
#include "indim/shape/ops/lapack.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace indim {

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

}  // namespace indim
