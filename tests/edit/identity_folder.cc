// SPDX-License-Identifier: Apache-2.0
// Edits that undo themselves give back the bytes of every module of folders:
//
//   bazel run -c opt //tests/edit:identity_folder -- FOLDER...
//
// Exit status 1 where one differs.

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "indim/io/module_format.h"
#include "indim/io/read.h"
#include "indim/tests/edit/identity.h"

namespace indim {
namespace {

int Main(int argc, char** argv) {
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(argv[i])) {
      if (FormatOfName(entry.path().string()) != ModuleFormat::kUnknown) {
        files.push_back(entry.path().string());
      }
    }
  }
  std::sort(files.begin(), files.end());
  int equal = 0, differ = 0, unread = 0;
  for (const std::string& file : files) {
    ReadOptions options;
    options.allow_elided_constants = true;
    const absl::StatusOr<Module> module = ReadModuleFile(file, options);
    if (!module.ok()) {
      ++unread;
      continue;
    }
    const std::string fault = IdentityFault(*module);
    ++(fault.empty() ? equal : differ);
    if (!fault.empty()) std::cout << file << ": " << fault << "\n";
  }
  std::cout << equal << " equal, " << differ << " differ, " << unread
            << " can't be read\n";
  return differ == 0 && equal > 0 ? 0 : 1;
}

}  // namespace
}  // namespace indim

int main(int argc, char** argv) { return indim::Main(argc, argv); }
