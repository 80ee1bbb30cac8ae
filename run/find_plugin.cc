// SPDX-License-Identifier: Apache-2.0
// Plugin::FindPath: where a plugin lies.

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "indim/run/plugin.h"
#include "indim/shape/diagnostics/status_errors.h"

namespace indim::pjrt {
namespace {

namespace fs = std::filesystem;

struct PluginPlace {
  absl::string_view name;
  absl::string_view file;
};
constexpr PluginPlace kPlaces[] = {
#define INDIM_PJRT_PLACE(name, file) {name, file},
#include "indim/run/plugin_places.def"
#undef INDIM_PJRT_PLACE
};

std::vector<absl::string_view> KnownNames() {
  std::vector<absl::string_view> names;
  for (const PluginPlace& place : kPlaces) {
    if (!absl::c_linear_search(names, place.name)) names.push_back(place.name);
  }
  return names;
}

std::string Environment(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

#ifdef _WIN32
constexpr char kListSeparator = ';';
#else
constexpr char kListSeparator = ':';
#endif

bool Exists(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// The folders of packages below `lib`, such as lib/python3.11/site-packages;
// the newest Python first.
void AddPackages(const fs::path& lib, std::vector<fs::path>* folders) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator i(lib, error), end; !error && i != end;
       i.increment(error)) {
    const std::string name = i->path().filename().string();
    if (name.compare(0, 6, "python") != 0) continue;
    for (const char* packages : {"site-packages", "dist-packages"}) {
      found.push_back(i->path() / packages);
    }
  }
  // Python 3.9 and 3.11: the longer name is the newer one.
  absl::c_sort(found, [](const fs::path& a, const fs::path& b) {
    const std::string x = a.string(), y = b.string();
    return std::make_pair(x.size(), x) > std::make_pair(y.size(), y);
  });
  folders->insert(folders->end(), found.begin(), found.end());
}

std::vector<fs::path> Folders() {
  std::vector<fs::path> folders;
  for (const absl::string_view folder : absl::StrSplit(
           Environment("PYTHONPATH"), kListSeparator, absl::SkipEmpty())) {
    folders.push_back(std::string(folder));
  }
  for (const char* root : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const std::string value = Environment(root);
    if (!value.empty()) AddPackages(fs::path(value) / "lib", &folders);
  }
  const std::string home = Environment("HOME");
  if (!home.empty()) AddPackages(fs::path(home) / ".local/lib", &folders);
  AddPackages("/usr/local/lib", &folders);
  AddPackages("/usr/lib", &folders);
  folders.push_back("/usr/local/lib");
  folders.push_back("/usr/lib");
  return folders;
}

// The path of `name` in JAX's variable: "cpu:/a/b.so;tpu:/c.so".
std::string FromJaxVariable(absl::string_view name) {
  const std::string value = Environment("PJRT_NAMES_AND_LIBRARY_PATHS");
  for (const absl::string_view entry :
       absl::StrSplit(value, absl::ByAnyChar(";,"))) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(entry, absl::MaxSplits(':', 1));
    if (parts.first == name && !parts.second.empty()) {
      return std::string(parts.second);
    }
  }
  return "";
}

absl::Status NotFound(std::string message) {
  return ErrorWithCode(absl::StatusCode::kNotFound, Code::kPjrtNoPlugin,
                       message);
}

}  // namespace

absl::StatusOr<std::string> Plugin::FindPath(absl::string_view name) {
  if (name.find_first_of("/\\.") != absl::string_view::npos) {
    return std::string(name);
  }
  const std::vector<absl::string_view> names = KnownNames();
  const std::string variable =
      absl::StrCat("INDIM_PJRT_", absl::AsciiStrToUpper(name), "_PLUGIN");
  const std::string ours = Environment(variable);
  if (!ours.empty()) return ours;
  const std::string of_jax = FromJaxVariable(name);
  if (!of_jax.empty()) return of_jax;
  if (!absl::c_linear_search(names, name)) {
    return NotFound(absl::StrCat("there is no kind of PJRT plugin \"", name,
                                 "\"; there are ", absl::StrJoin(names, ", "),
                                 ", or the path of a library"));
  }
  std::vector<std::string> files;
  for (const PluginPlace& place : kPlaces) {
    if (place.name != name) continue;
    files.push_back(std::string(place.file));
    for (const fs::path& folder : Folders()) {
      const fs::path path = folder / std::string(place.file);
      if (Exists(path)) return path.string();
    }
  }
  return NotFound(absl::StrCat(
      "no PJRT plugin for ", name, " is there: ", variable, " isn't set, and ",
      absl::StrJoin(files, ", "),
      " are in no site-packages of Python, /usr/local/lib or /usr/lib"));
}

}  // namespace indim::pjrt
