// Builds a graph, prints it as HLO text and evaluates it.

#include <iostream>

#include "indim/builder/composites/math.h"
#include "indim/builder/computation_builder.h"
#include "indim/eval/evaluator.h"
#include "indim/text/print/print_hlo_text.h"

int main() {
  indim::ComputationBuilder b("softmax");
  const indim::Op x = b.Parameter(0, "f32[3]", "x");
  const auto module = b.Build(indim::Softmax(x));
  const auto values =
      indim::Literal::FromDoubles(indim::ElementType::kF32, {0, 1, 2}, {3});
  if (!module.ok() || !values.ok()) {
    std::cerr << module.status().message() << values.status().message() << "\n";
    return 1;
  }
  std::cout << indim::PrintHloText(*module);
  const auto result = indim::Evaluate(*module, {*values});
  if (!result.ok()) {
    std::cerr << result.status().message() << "\n";
    return 1;
  }
  std::cout << "softmax({0, 1, 2}) = " << result->ToString() << "\n";
}
