// Tilings of the texts in which Shardy keeps shardings.

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "indim/structure/tiling/mesh_tiling.h"
#include "indim/structure/tiling/sharding_tiling.h"

namespace indim {
namespace {

absl::Status TextError(absl::string_view text) {
  return absl::InvalidArgumentError(
      absl::StrCat("Shardy's text isn't understood: ", text.substr(0, 200)));
}

// Walks over a text; blanks before a token don't count.
class Scanner {
 public:
  explicit Scanner(absl::string_view text) : rest_(text) {}

  bool Take(absl::string_view token) {
    SkipBlanks();
    if (!absl::StartsWith(rest_, token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  bool TakeNumber(int64_t* number) {
    SkipBlanks();
    size_t size = 0;
    while (size < rest_.size() && absl::ascii_isdigit(rest_[size])) ++size;
    if (!absl::SimpleAtoi(rest_.substr(0, size), number)) return false;
    rest_.remove_prefix(size);
    return true;
  }
  // "name" in quotes.
  bool TakeQuoted(std::string* name) {
    if (!Take("\"")) return false;
    const size_t end = rest_.find('"');
    if (end == absl::string_view::npos) return false;
    *name = std::string(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return true;
  }
  // A word of letters, digits, _, . and $, or anything in quotes.
  bool TakeWord(std::string* word) {
    SkipBlanks();
    if (absl::StartsWith(rest_, "\"")) return TakeQuoted(word);
    size_t size = 0;
    while (size < rest_.size() &&
           (absl::ascii_isalnum(rest_[size]) || rest_[size] == '_' ||
            rest_[size] == '.' || rest_[size] == '$')) {
      ++size;
    }
    *word = std::string(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return size > 0;
  }
  bool done() {
    SkipBlanks();
    return rest_.empty();
  }
  absl::string_view rest() const { return rest_; }

 private:
  void SkipBlanks() {
    while (!rest_.empty() && absl::ascii_isspace(rest_.front())) {
      rest_.remove_prefix(1);
    }
  }
  absl::string_view rest_;
};

// `["x"=2, "y"=4], device_ids=[...]`, up to the >.
bool ReadMeshBody(Scanner* scanner, TiledMesh* mesh) {
  if (!scanner->Take("[")) return false;
  while (!scanner->Take("]")) {
    std::string name;
    int64_t size = 0;
    if (!scanner->TakeQuoted(&name) || !scanner->Take("=") ||
        !scanner->TakeNumber(&size)) {
      return false;
    }
    mesh->names.push_back(name);
    mesh->sizes.push_back(size);
    scanner->Take(",");
  }
  if (scanner->Take(",") && scanner->Take("device_ids=[")) {
    int64_t device = 0;
    while (scanner->TakeNumber(&device)) {
      mesh->devices.push_back(device);
      scanner->Take(",");
    }
    if (!scanner->Take("]")) return false;
  }
  return scanner->Take(">");
}

// The mesh `name` of `{name = #sdy.mesh<...>, other = ...}`.
absl::StatusOr<TiledMesh> FindMesh(absl::string_view meshes,
                                   const std::string& name) {
  Scanner scanner(meshes);
  scanner.Take("{");
  std::string found;
  while (scanner.TakeWord(&found)) {
    TiledMesh mesh;
    if (!scanner.Take("=") || !scanner.Take("#sdy.mesh<") ||
        !ReadMeshBody(&scanner, &mesh)) {
      return TextError(meshes);
    }
    scanner.Take(",");
    if (found != name) continue;
    return mesh;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "a sharding is of the mesh ", name, ", which the module hasn't"));
}

}  // namespace

absl::StatusOr<TiledMesh> ShardyMesh(absl::string_view text) {
  Scanner scanner(text);
  TiledMesh mesh;
  if (!scanner.Take("#sdy.mesh<") || !ReadMeshBody(&scanner, &mesh) ||
      !scanner.done()) {
    return TextError(text);
  }
  return mesh;
}

namespace {

// "x" or "x":(2)4
bool ReadAxis(Scanner* scanner, const TiledMesh& mesh, AxisPart* part) {
  std::string name;
  if (!scanner->TakeQuoted(&name)) return false;
  part->axis = mesh.names.size();
  for (size_t a = 0; a < mesh.names.size(); ++a) {
    if (mesh.names[a] == name) part->axis = a;
  }
  if (part->axis == mesh.names.size()) return false;
  part->size = mesh.sizes[part->axis];
  if (!scanner->Take(":(")) return true;
  return scanner->TakeNumber(&part->pre_size) && scanner->Take(")") &&
         scanner->TakeNumber(&part->size);
}

// `[{"x"}, {"y", ?}p1]`
bool ReadCuts(Scanner* scanner, const TiledMesh& mesh,
              std::vector<std::vector<AxisPart>>* cuts) {
  if (!scanner->Take("[")) return false;
  while (!scanner->Take("]")) {
    if (!scanner->Take("{")) return false;
    std::vector<AxisPart>& parts = cuts->emplace_back();
    while (!scanner->Take("}")) {
      if (scanner->Take("?")) continue;
      AxisPart part;
      if (!ReadAxis(scanner, mesh, &part)) return false;
      parts.push_back(part);
      scanner->Take(",");
    }
    int64_t priority = 0;
    if (scanner->Take("p")) scanner->TakeNumber(&priority);
    scanner->Take(",");
  }
  return true;
}

}  // namespace

std::vector<std::string> ShardyShardings(absl::string_view text) {
  constexpr absl::string_view kPerValue = "#sdy.sharding_per_value<[";
  if (!absl::StartsWith(text, kPerValue)) return {std::string(text)};
  std::vector<std::string> shardings;
  // Each is <...>, in which a mesh may be <...> again.
  size_t begin = 0;
  int depth = 0;
  const absl::string_view rest = text.substr(kPerValue.size());
  for (size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] == '<' && depth++ == 0) begin = i;
    if (rest[i] != '>' || --depth != 0) continue;
    shardings.push_back(
        absl::StrCat("#sdy.sharding", rest.substr(begin, i + 1 - begin)));
  }
  return shardings;
}

std::vector<std::string> ShardyManualAxes(absl::string_view text) {
  std::vector<std::string> axes;
  Scanner scanner(text);
  if (!scanner.Take("#sdy<manual_axes{")) return axes;
  std::string axis;
  while (scanner.TakeQuoted(&axis)) {
    axes.push_back(axis);
    scanner.Take(",");
  }
  return axes;
}

absl::StatusOr<Tiling> TilingOfShardy(absl::string_view sharding,
                                      absl::string_view meshes,
                                      const Shape& shape, int64_t partitions,
                                      const std::vector<std::string>* axes) {
  Scanner scanner(sharding);
  if (!scanner.Take("#sdy.sharding<")) return TextError(sharding);
  absl::StatusOr<TiledMesh> mesh = TiledMesh();
  std::string name;
  if (scanner.Take("@")) {
    if (!scanner.TakeWord(&name)) return TextError(sharding);
    mesh = FindMesh(meshes, name);
    if (!mesh.ok()) return mesh.status();
  } else if (!scanner.Take("mesh<") || !ReadMeshBody(&scanner, &*mesh)) {
    return TextError(sharding);
  }
  std::vector<std::vector<AxisPart>> cuts;
  if (!scanner.Take(",") || !ReadCuts(&scanner, *mesh, &cuts)) {
    return TextError(sharding);
  }
  if (absl::StrContains(scanner.rest(), "unreduced=")) {
    return UnreducedError();
  }
  if (axes != nullptr) {
    for (std::vector<AxisPart>& parts : cuts) {
      const auto is_other = [&](const AxisPart& part) {
        return !absl::c_linear_search(*axes, mesh->names[part.axis]);
      };
      parts.erase(std::remove_if(parts.begin(), parts.end(), is_other),
                  parts.end());
    }
  }
  return TilingOfAxes(*mesh, cuts, shape, partitions);
}

}  // namespace indim
