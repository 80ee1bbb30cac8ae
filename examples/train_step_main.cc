// Writes the training step as a module that XLA compiles, and trains with it on
// real XLA.
//
//   ./bazelw run //examples:train_step                 # into a temporary file
//   ./bazelw run //examples:train_step -- step.pb      # keeps the file

#include <cstdio>
#include <cstdlib>
#include <string>

#include "indim/examples/output_path.h"
#include "indim/examples/run_python.h"
#include "indim/examples/train_step.h"
#include "indim/io/write.h"

int main(int argc, char** argv) {
  const absl::StatusOr<indim::Module> module = indim::TrainStep();
  const std::string path = indim::OutputPath(argc, argv, "train_step.pb");
  const absl::Status written =
      module.ok()
          ? indim::WriteModuleFile(*module, path, indim::ModuleForm::kForXla)
          : module.status();
  if (!written.ok()) {
    std::fprintf(stderr, "%s\n", std::string(written.message()).c_str());
    return EXIT_FAILURE;
  }
  std::printf("The step is in %s. Real XLA trains:\n\n", path.c_str());
  std::fflush(stdout);
  return indim::RunOnXla("train_step.py", path);
}
