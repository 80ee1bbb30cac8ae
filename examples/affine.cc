#include <iostream>

#include "indim/builder/computation_builder.h"
#include "indim/io/write_pb.h"

int main() {
  indim::ComputationBuilder b("affine");
  indim::Op x = b.Parameter(0, "f32[8,784]", "x");
  indim::Op w = b.Parameter(1, "f32[784,10]", "w");
  indim::Op bias = b.Parameter(2, "f32[10]", "bias");
  indim::Op y = b.Add(b.Dot(x, w), bias, {1});  // {1}: broadcast_dimensions
  indim::BuildResult module = b.Build(y);
  absl::Status status = module.status();
  if (module.ok()) {  // XLA compiles and runs what this writes
    status =
        indim::WritePbFile(*module, "affine.pb", indim::ModuleForm::kForXla);
  }
  if (!status.ok()) std::cerr << status.message() << "\n";
  return status.ok() ? 0 : 1;
}
