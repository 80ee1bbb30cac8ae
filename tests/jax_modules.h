// The modules of tests/data/jax, for tests that have //tests/data:jax as data.

#ifndef INDIM_TESTS_JAX_MODULES_H_
#define INDIM_TESTS_JAX_MODULES_H_

#include <dirent.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"

namespace indim {

// Their paths, in the same order everywhere; none if the data isn't there.
inline std::vector<std::string> JaxModules() {
  const std::string folder = "tests/data/jax/";
  std::vector<std::string> paths;
  DIR* dir = opendir(folder.c_str());
  if (dir == nullptr) return paths;
  while (const dirent* entry = readdir(dir)) {
    const std::string name = entry->d_name;
    if (absl::EndsWith(name, ".pb")) paths.push_back(folder + name);
  }
  closedir(dir);
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace indim

#endif  // INDIM_TESTS_JAX_MODULES_H_
