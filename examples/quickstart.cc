// Builds y = x . w + bias, infers and verifies it, makes its broadcast
// explicit, computes it and writes it as a module that XLA compiles.
//
//   ./bazelw run //examples:quickstart                   # a temporary folder
//   ./bazelw run //examples:quickstart -- affine.pb      # keeps the file
//
// affine_on_xla.cc has real XLA compute it.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "indim/builder/computation_builder.h"
#include "indim/eval/evaluator.h"
#include "indim/eval/values/random_literal.h"
#include "indim/examples/output_path.h"
#include "indim/io/write_pb.h"
#include "indim/passes/check/infer_shapes.h"
#include "indim/passes/check/verify_module.h"
#include "indim/passes/export/expand_broadcasts.h"
#include "indim/text/print/print_hlo_text.h"

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

void Show(const char* title, const indim::Module& module) {
  indim::PrintOptions options;
  options.metadata = false;
  std::printf("%s\n\n%s", title, indim::PrintHloText(module, options).c_str());
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

absl::Status Run(const std::string& path) {
  std::printf("A wrong call says what it found, and what would work:\n\n%s\n\n",
              std::string(Wrong().status().message()).c_str());

  absl::StatusOr<indim::Module> built = Affine();
  if (!built.ok()) return built.status();
  Show("The right one, as it was recorded:", *built);

  // Every call has inferred its result already; a file's graph needs this.
  indim::InferResult inferred = indim::InferShapes(*std::move(built));
  const indim::VerifyResult verified = indim::VerifyModule(inferred.module);
  std::printf(
      "Verified: %d shapes inferred again, %d of them broadcast, %d "
      "wrong\n\n",
      static_cast<int>(verified.inferred),
      static_cast<int>(verified.broadcastable),
      static_cast<int>(verified.report.error_count()));
  Show("For XLA, with its broadcast made explicit:",
       indim::ExpandBroadcasts(inferred.module).module);

  const absl::Status written =
      indim::WritePbFile(inferred.module, path, indim::ModuleForm::kForXla);
  if (!written.ok()) return written;
  std::printf("Written for XLA: %s\n\n", path.c_str());

  const absl::StatusOr<std::vector<indim::Literal>> arguments =
      Arguments(inferred.module);
  if (!arguments.ok()) return arguments.status();
  const absl::StatusOr<indim::Literal> y =
      indim::Evaluate(inferred.module, *arguments);
  if (!y.ok()) return y.status();
  ShowRow("evaluator", *y);
  return absl::OkStatus();
}

int main(int argc, char** argv) {
  const absl::Status status = Run(indim::OutputPath(argc, argv, "affine.pb"));
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
    return EXIT_FAILURE;
  }
  std::printf(
      "Real XLA beside it: ./bazelw run //examples:affine_on_xla -- "
      "--plugin=cpu\n");
  return EXIT_SUCCESS;
}
