// The program of docs/building.md: numbers, lambdas, state, sizes, indices,
// options of a module, graphs that are there already.

#include <iostream>
#include <tuple>
#include <utility>

#include "indim/builder/computation_builder.h"
#include "indim/builder/op_names.h"
#include "indim/io/write.h"

using indim::Op;

absl::StatusOr<indim::Module> SquareRoots() {
  indim::ComputationBuilder b("square_roots");
  Op x = b.Parameter("f32[2,3]", "x");
  Op roots = b.ForLoop(20, b.Max(x, 1), [&](Op, Op guess) {
    return 0.5 * (guess + x / guess);  // Newton's method
  });
  return b.Build(roots);
}

// What a loop knows of the rows so far.
struct Statistics {
  Op count, sum, largest;
  auto Members() { return std::tie(count, sum, largest); }
};

absl::StatusOr<indim::Module> Means() {
  indim::ComputationBuilder b("means");
  Op x = b.Parameter("f32[n,3]", "x");
  Op zeros = b.Splat(0, "f32[3]");
  const Statistics start = {b.ConstantR0(0.0f), zeros, zeros};
  const auto [last, means] = b.Scan(start, x, [&](Statistics s, Op row) {
    s.count += 1;
    s.sum += row;
    s.largest = b.Max(s.largest, row);
    return std::pair(s, s.sum / s.count);
  });
  return b.Build(b.Tuple({means, last.largest}));
}

absl::StatusOr<indim::Module> Pieces() {
  indim::ComputationBuilder b("pieces");
  Op x = b.Parameter("f32[n,28,28]", "x");
  const indim::Dim n = b.shape(x)->dim(0);
  Op rows = b.Reshape(x, {n, -1});
  Op inner = b.Index(x, {indim::kAll, indim::Range(1, -1), -1});
  Op first = b.Slice(x, {0, 0, 0}, {indim::kWhole, 1, 8});
  return b.Build(b.Tuple({b.ExpectShape(rows, "f32[n,784]"), inner, first}));
}

absl::StatusOr<indim::Module> Counter() {
  indim::ComputationBuilder b("counter");
  Op total = b.Parameter("f32[8]", "total");
  Op x = b.Parameter("f32[8]", "x");
  {
    indim::ScopedOpName scope(&b, "update");
    total += b.Abs(x);
  }
  indim::BuildOptions options;
  options.aliases = {{{}, 0}};  // the result in the place of parameter 0
  options.devices.replicas = 2;
  options.frontend_attributes = {{"made_by", "docs/building.md"}};
  return b.Build(total, options);
}

absl::StatusOr<indim::Module> FourthRoots() {
  absl::StatusOr<indim::Module> square_roots = SquareRoots();
  if (!square_roots.ok()) return square_roots;
  indim::ComputationBuilder b("fourth_roots");
  Op x = b.Parameter("f32[2,3]", "x");
  Op once = b.Inline(*square_roots, {x});
  return b.Build(b.Inline(*square_roots, {once}));
}

absl::Status Wrong() {
  indim::ComputationBuilder b("wrong");
  Op x = b.Parameter("s32[8]", "x");
  Op y = b.Parameter("s32[]", "y");
  Op half = x * 0.5;
  Op sum = b.Reduce(x, 0, [&](Op p, Op q) { return p + q + y; }, {0});
  return b.Build(b.Tuple({half, sum})).status();
}

void Mixed() {
  indim::ComputationBuilder b("mixed");
  Op x = b.Parameter("f32[8]", "x");
  Op y = b.Parameter("f64[8]", "y");
  const indim::BuildResult built = b.Build(x + y);
  for (const auto& warning : built.warnings()) std::cout << warning.text;
}

int main() {
  const std::pair<const char*, absl::StatusOr<indim::Module>> modules[] = {
      {"square_roots.pb", SquareRoots()},
      {"means.pb", Means()},
      {"pieces.pb", Pieces()},
      {"counter.pb", Counter()},
      {"fourth_roots.pb", FourthRoots()},
  };
  absl::Status status;
  for (const auto& [name, module] : modules) {
    status.Update(module.ok() ? indim::WriteModuleFile(
                                    *module, name, indim::ModuleForm::kRecorded)
                              : module.status());
    if (!module.ok()) continue;
    std::cout << module->name() << " gives "
              << module->entry().signature().result.ToString() << "\n";
  }
  std::cout << "\n" << Wrong().message() << "\n";
  Mixed();
  if (!status.ok()) std::cerr << status.message() << "\n";
  return status.ok() ? 0 : 1;
}
