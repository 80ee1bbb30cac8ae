// Writes docs/ops.md and docs/rules.md of the workspace that bazel runs it in.

#include <cstdlib>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "indim/ir/file.h"
#include "indim/tools/doc_tables.h"

int main() {
  const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  const std::string docs =
      absl::StrCat(workspace == nullptr ? "." : workspace, "/docs/");
  absl::Status status = indim::WriteFile(docs + "ops.md", indim::OpsDocument());
  if (status.ok()) {
    status = indim::WriteFile(docs + "rules.md", indim::RulesDocument());
  }
  if (!status.ok()) std::cerr << status << "\n";
  return status.ok() ? 0 : 1;
}
