// SPDX-License-Identifier: Apache-2.0
// The files of a folder of tests/data, for tests that have them as data.

#ifndef INDIM_TESTS_DATA_FILES_H_
#define INDIM_TESTS_DATA_FILES_H_

#include <dirent.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace indim {

// Paths of the files of tests/data/FOLDER whose names end so, in the same order
// everywhere; none if the data isn't there.
inline std::vector<std::string> DataFiles(absl::string_view folder,
                                          absl::string_view suffix) {
  const std::string path = absl::StrCat("tests/data/", folder, "/");
  std::vector<std::string> files;
  DIR* dir = opendir(path.c_str());
  if (dir == nullptr) return files;
  while (const dirent* entry = readdir(dir)) {
    const std::string name = entry->d_name;
    if (name[0] != '.' && absl::EndsWith(name, suffix))
      files.push_back(path + name);
  }
  closedir(dir);
  std::sort(files.begin(), files.end());
  return files;
}

// The modules that JAX exported.
inline std::vector<std::string> JaxModules() { return DataFiles("jax", ".pb"); }

}  // namespace indim

#endif  // INDIM_TESTS_DATA_FILES_H_
