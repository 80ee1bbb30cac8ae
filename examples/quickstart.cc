// Builds y = x . w + bias, writes it as a module that XLA compiles, and has the
// real XLA run it.
//
//   ./bazelw run //examples:quickstart                  # into a temporary file
//   ./bazelw run //examples:quickstart -- affine.pb     # keeps the file

#include <cstdio>
#include <cstdlib>
#include <string>

#include "indim/builder/computation_builder.h"
#include "indim/examples/run_python.h"
#include "indim/passes/export.h"

absl::StatusOr<indim::Module> Affine() {
  indim::ComputationBuilder b("affine");
  indim::Op x = b.Parameter(0, "f32[8,784]", "x");
  indim::Op w = b.Parameter(1, "f32[784,10]", "w");
  indim::Op bias = b.Parameter(2, "f32[10]", "bias");
  indim::Op y = b.Add(b.Dot(x, w), bias, {1});  // {1}: broadcast_dimensions
  return b.Build(y);
}

// The same with `{1}` forgotten.
absl::StatusOr<indim::Module> Wrong() {
  indim::ComputationBuilder b("wrong");
  indim::Op x = b.Parameter(0, "f32[8,784]", "x");
  indim::Op w = b.Parameter(1, "f32[784,10]", "w");
  indim::Op bias = b.Parameter(2, "f32[10]", "bias");
  indim::Op y = b.Add(b.Dot(x, w), bias);
  return b.Build(y);
}

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return EXIT_FAILURE;
}

int main(int argc, char** argv) {
  std::printf("A wrong call says what it found, and what would work:\n\n%s\n\n",
              std::string(Wrong().status().message()).c_str());

  absl::StatusOr<indim::Module> module = Affine();
  if (!module.ok()) return Fail(module.status());
  const std::string path = indim::OutputPath(argc, argv, "affine.pb");
  absl::Status written = indim::WriteHloModuleProto(*module, path);
  if (!written.ok()) return Fail(written);
  std::printf("The right one is in %s. Real XLA runs it:\n\n", path.c_str());
  std::fflush(stdout);
  return indim::RunOnXla("quickstart.py", path);
}
