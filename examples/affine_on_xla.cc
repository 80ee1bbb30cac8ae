// Builds y = x . w + bias, computes it, and has real XLA compute it too.
//
//   ./bazelw run //examples:affine_on_xla -- --plugin=cpu   # a PJRT plugin,
//                                                           # which is fetched
//   ./bazelw run //examples:affine_on_xla -- --xla          # through Python

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "indim/builder/computation_builder.h"
#include "indim/eval/evaluator.h"
#include "indim/eval/values/npy.h"
#include "indim/eval/values/random_literal.h"
#include "indim/examples/output_path.h"
#include "indim/examples/run_python.h"
#include "indim/io/write_pb.h"
#include "indim/run/client.h"
#include "indim/run/plugin.h"

absl::StatusOr<indim::Module> Affine() {
  indim::ComputationBuilder b("affine");
  indim::Op x = b.Parameter(0, "f32[8,784]", "x");
  indim::Op w = b.Parameter(1, "f32[784,10]", "w");
  indim::Op bias = b.Parameter(2, "f32[10]", "bias");
  indim::Op y = b.Add(b.Dot(x, w), bias, {1});  // {1}: broadcast_dimensions
  return b.Build(y);
}

// Values for the parameters, the same in every run.
absl::StatusOr<std::vector<indim::Literal>> Arguments(
    const indim::Module& module) {
  indim::RandomStream random(1);
  std::vector<indim::Literal> arguments;
  for (const indim::Shape& shape : module.entry().signature().parameters) {
    absl::StatusOr<indim::Literal> value = indim::RandomLiteral(shape, &random);
    if (!value.ok()) return value.status();
    arguments.push_back(*std::move(value));
  }
  return arguments;
}

void ShowRow(const char* who, const indim::Literal& y) {
  std::printf("  %-9s  y[0,:5] =", who);
  for (int i = 0; i < 5; ++i) std::printf(" %.4f", y.AsDouble(i));
  std::printf("\n");
  std::fflush(stdout);
}

// What XLA computes, through a PJRT plugin.
absl::Status RunOnPlugin(const std::string& name, const indim::Module& module,
                         const std::vector<indim::Literal>& arguments) {
  const absl::StatusOr<indim::pjrt::Plugin> plugin =
      indim::pjrt::Plugin::Find(name);
  if (!plugin.ok()) return plugin.status();
  const absl::StatusOr<indim::pjrt::Client> client =
      indim::pjrt::Client::Create(*plugin);
  if (!client.ok()) return client.status();
  const absl::StatusOr<indim::pjrt::Executable> program =
      client->Compile(module);
  if (!program.ok()) return program.status();
  const absl::StatusOr<indim::Literal> y = program->Run(arguments);
  if (!y.ok()) return y.status();
  ShowRow("XLA", *y);
  std::printf("on %s, through %s\n", client->devices()[0].text().c_str(),
              plugin->path().c_str());
  return absl::OkStatus();
}

// Writes the arguments and the evaluator's result as .npy files beside the
// module, where affine_on_xla.py finds them: affine.pb.0.npy, ...,
// affine.pb.result.npy.
absl::Status WriteValues(const std::vector<indim::Literal>& arguments,
                         const indim::Literal& result,
                         const std::string& path) {
  std::vector<indim::Literal> values = arguments;
  values.push_back(result);
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string name = i + 1 == values.size()
                                 ? path + ".result.npy"
                                 : path + "." + std::to_string(i) + ".npy";
    const absl::Status written = indim::WriteNpyFile(values[i], name);
    if (!written.ok()) return written;
  }
  return absl::OkStatus();
}

// What XLA computes, through jaxlib.
int RunOnPython(const indim::Module& module,
                const std::vector<indim::Literal>& arguments,
                const indim::Literal& y) {
  const std::string path = indim::OutputPath(0, nullptr, "affine.pb");
  absl::Status written =
      indim::WritePbFile(module, path, indim::ModuleForm::kForXla);
  written.Update(WriteValues(arguments, y, path));
  if (written.ok()) return indim::RunOnXla("affine_on_xla.py", path);
  std::fprintf(stderr, "%s\n", std::string(written.message()).c_str());
  return EXIT_FAILURE;
}

int main(int argc, char** argv) {
  const std::string flag = argc == 2 ? argv[1] : "";
  const std::string plugin = "--plugin=";
  const bool python = flag == "--xla";
  if (!python && flag.compare(0, plugin.size(), plugin) != 0) {
    std::fprintf(stderr, "expected --plugin=cpu or --xla\n");
    return EXIT_FAILURE;
  }
  const absl::StatusOr<indim::Module> module = Affine();
  absl::Status status = module.status();
  if (status.ok()) {
    const absl::StatusOr<std::vector<indim::Literal>> arguments =
        Arguments(*module);
    const absl::StatusOr<indim::Literal> y =
        arguments.ok() ? indim::Evaluate(*module, *arguments)
                       : arguments.status();
    status = y.status();
    if (status.ok()) {
      ShowRow("evaluator", *y);
      if (python) return RunOnPython(*module, *arguments, *y);
      status = RunOnPlugin(flag.substr(plugin.size()), *module, *arguments);
    }
  }
  if (status.ok()) return EXIT_SUCCESS;
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return EXIT_FAILURE;
}
