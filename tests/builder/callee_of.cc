// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/builder/callee_of.h"

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "indim/builder/computation_builder.h"

namespace indim {

absl::StatusOr<Module> CalleeOf(const Signature& signature) {
  ComputationBuilder b("callee");
  std::vector<Op> parameters;
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    parameters.push_back(b.Parameter(static_cast<int64_t>(i),
                                     signature.parameters[i],
                                     absl::StrCat("p", i)));
  }
  const auto find = [&](const Shape& shape) -> std::optional<Op> {
    for (size_t i = 0; i < parameters.size(); ++i) {
      const Shape& parameter = signature.parameters[i];
      if (SameStructure(parameter, shape)) return parameters[i];
      for (int k = 0; k < parameter.tuple_size(); ++k) {
        if (SameStructure(parameter.elements()[k], shape)) {
          return b.GetTupleElement(parameters[i], k);
        }
      }
    }
    if (shape.is_scalar() && shape.element_type() == ElementType::kPred &&
        parameters.size() > 1) {
      return b.Eq(parameters[0], parameters[1]);
    }
    return std::nullopt;
  };
  if (signature.result.is_tuple()) {
    std::vector<Op> elements;
    for (const Shape& element : signature.result.elements()) {
      const std::optional<Op> found = find(element);
      if (!found) return absl::NotFoundError("no such parameter");
      elements.push_back(*found);
    }
    return b.Build(b.Tuple(elements));
  }
  const std::optional<Op> found = find(signature.result);
  if (!found) return absl::NotFoundError("no such parameter");
  return b.Build(*found);
}

}  // namespace indim
