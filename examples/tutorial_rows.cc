// The second program of docs/tutorial.md: sizes that aren't known yet, and a
// reduction by a computation of our own.

#include <iostream>
#include <string>

#include "indim/builder/computation_builder.h"
#include "indim/io/write.h"

// The sums of the rows of x + bias.
absl::StatusOr<indim::Module> Rows(const std::string& x_shape) {
  indim::ComputationBuilder b("rows");
  indim::Op x = b.Parameter(0, x_shape, "x");
  indim::Op bias = b.Parameter(1, "f32[4]", "bias");
  indim::Op y = b.Add(x, bias, {1});

  indim::ComputationBuilder add = b.SubBuilder("add");
  indim::Op left = add.Parameter(0, "f32[]", "left");
  indim::Op right = add.Parameter(1, "f32[]", "right");
  indim::Callee sum = add.BuildCallee(add.Add(left, right));

  indim::Op rows = b.Reduce(y, b.ConstantR0<float>(0), sum, {1});
  b.SetName(rows, "sums");
  if (b.status().ok()) {
    std::cout << "x is " << x_shape << ", y is " << b.shape(y)->ToString()
              << ", its rows' sums are " << b.shape(rows)->ToString() << "\n";
  }
  return b.Build(rows);
}

int main() {
  absl::Status status;
  for (const char* x_shape : {"f32[2,4]", "f32[?,4]", "f32[n,4]", "f32[n,5]"}) {
    absl::StatusOr<indim::Module> module = Rows(x_shape);
    if (!module.ok()) {
      std::cout << "\n" << module.status().message() << "\n";
    } else {  // the last one stays
      status.Update(indim::WriteModuleFile(*module, "rows.pb",
                                           indim::ModuleForm::kRecorded));
    }
  }
  return status.ok() ? 0 : 1;
}
