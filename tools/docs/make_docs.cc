// SPDX-License-Identifier: Apache-2.0
// Writes docs/ops.md, docs/codes.md, docs/names.md, docs/gradient_rules.md,
// docs/spec.md, docs/pictures.md and docs/pictures/ of the workspace that bazel
// runs it in.

#include <cstdlib>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "indim/ir/storage/file.h"
#include "indim/tools/docs/doc_pictures.h"
#include "indim/tools/docs/doc_tables.h"
#include "indim/tools/docs/spec.h"

namespace indim {
namespace {

absl::Status WriteDocuments(const std::string& docs) {
  absl::Status status = WriteFile(docs + "ops.md", OpsDocument());
  status.Update(WriteFile(docs + "codes.md", CodesDocument()));
  status.Update(WriteFile(docs + "names.md", NamesDocument()));
  status.Update(WriteFile(docs + "gradient_rules.md", GradientRulesDocument()));
  status.Update(WriteFile(docs + "spec.md", SpecPage()));
  status.Update(WriteFile(docs + "pictures.md", PicturesDocument()));
  for (const Picture& picture : Pictures()) {
    const absl::StatusOr<std::string> svg = PictureSvg(picture);
    status.Update(svg.status());
    if (!svg.ok()) continue;
    status.Update(
        WriteFile(absl::StrCat(docs, "pictures/", picture.name, ".svg"), *svg));
  }
  return status;
}

}  // namespace
}  // namespace indim

int main() {
  const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  const absl::Status status = indim::WriteDocuments(
      absl::StrCat(workspace == nullptr ? "." : workspace, "/docs/"));
  if (!status.ok()) std::cerr << status << "\n";
  return status.ok() ? 0 : 1;
}
