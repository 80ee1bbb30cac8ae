// The first program of docs/tutorial.md: an affine layer, right and wrong.

#include <iostream>

#include "indim/builder/computation_builder.h"
#include "indim/io/write_pb.h"

absl::StatusOr<indim::Module> Affine() {
  indim::ComputationBuilder b("affine");
  indim::Op x = b.Parameter(0, "f32[2,3]", "x");
  indim::Op w = b.Parameter(1, "f32[3,4]", "w");
  indim::Op bias = b.Parameter(2, "f32[4]", "bias");
  indim::Op product = b.Dot(x, w);
  indim::Op y = b.Add(product, bias, {1});  // bias goes along dim 1
  b.SetName(y, "y");
  if (b.status().ok()) {
    std::cout << "product is " << b.shape(product)->ToString() << ", y is "
              << b.shape(y)->ToString() << "\n\n";
  }
  return b.Build(y);
}

absl::Status Wrong() {
  indim::ComputationBuilder b("wrong");
  indim::Op x = b.Parameter(0, "f32[2,3]", "x");
  indim::Op w = b.Parameter(1, "f32[3,4]", "w");
  indim::Op bias = b.Parameter(2, "f32[4]", "bias");
  indim::Op y = b.Add(b.Dot(x, w), bias);
  return b.Build(b.Tanh(y)).status();
}

int main() {
  absl::StatusOr<indim::Module> module = Affine();
  absl::Status status = module.status();
  if (status.ok()) {  // as it was recorded
    status = indim::WritePbFile(*module, "recorded.pb",
                                indim::ModuleForm::kRecorded);
  }
  if (status.ok()) {  // as XLA wants it
    status =
        indim::WritePbFile(*module, "affine.pb", indim::ModuleForm::kForXla);
  }
  if (!status.ok()) {
    std::cerr << status.message() << "\n";
    return 1;
  }
  std::cout << Wrong().message() << "\n";
  return 0;
}
