#include "indim/stablehlo/read.h"

#include "indim/stablehlo/bytecode/artifact_reader.h"
#include "indim/stablehlo/import/import.h"
#include "indim/stablehlo/text/parse_mlir_text.h"

namespace indim {

absl::StatusOr<Module> ReadStablehlo(absl::string_view bytes,
                                     const StablehloReadOptions& options) {
  const bool is_artifact = mlir::IsBytecode(bytes);
  const absl::StatusOr<mlir::Ir> ir =
      is_artifact ? mlir::ReadArtifact(bytes)
                  : mlir::ParseMlirText(bytes, options.name);
  if (!ir.ok()) return ir.status();
  mlir::ImportOptions import;
  import.file = options.name;
  if (!is_artifact) import.text = bytes;
  import.left_out = options.left_out;
  return mlir::ImportModule(*ir, import);
}

}  // namespace indim
