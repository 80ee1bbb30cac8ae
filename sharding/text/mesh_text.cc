// SPDX-License-Identifier: Apache-2.0
#include "indim/sharding/text/mesh_text.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/sharding/text/tile_assignment_text.h"
#include "indim/sharding/values/tile_assignment.h"
#include "indim/text/base/escaped_text.h"

namespace indim {
namespace {

// The name in single quotes.
std::string NameText(absl::string_view name) {
  return absl::StrCat("'",
                      name.find_first_of("'\\\n\r\t") == absl::string_view::npos
                          ? std::string(name)
                          : EscapeText(name),
                      "'");
}

// Reads 'a'=2,'b'=4].
bool ReadNamedSizes(Lexer* lexer, MeshRead* read) {
  const size_t start = lexer->offset();
  while (lexer->token() != Token::kRightBracket) {
    std::string name;
    int64_t size = 0;
    const size_t offset = lexer->offset();
    if (!lexer->ReadString(&name) || !lexer->Expect(Token::kEqual) ||
        !lexer->ReadInt(&size)) {
      return false;
    }
    std::vector<Mesh::Axis>& axes = read->mesh.axes;
    if (!read->index.emplace(name, axes.size()).second) {
      return lexer->ErrorAt(offset, name.size() + 2,
                            "the mesh has an axis of this name already");
    }
    axes.push_back({std::move(name), size});
    if (!lexer->Accept(Token::kComma)) break;
  }
  const size_t end = lexer->offset();
  if (!lexer->Expect(Token::kRightBracket, "\",\" or \"]\"")) return false;
  if (ProductOfSizes(read->mesh.sizes())) return true;
  return lexer->ErrorAt(start, end - start,
                        "the sizes of a mesh are positive, their product is "
                        "below 2^62");
}

// Reads ([4,2]T(1,0)) or (3,2,1,0).
bool ReadDeviceIds(Lexer* lexer, Mesh* mesh) {
  const size_t start = lexer->offset();
  if (!lexer->Expect(Token::kLeftParen)) return false;
  if (lexer->token() == Token::kLeftBracket) {
    IotaTransform iota;
    if (!ReadIota(lexer, &iota)) return false;
    const size_t end = lexer->offset();
    if (!lexer->Expect(Token::kRightParen)) return false;
    const std::optional<TileAssignment> tiles =
        TileAssignment::Iota(mesh->sizes(), iota);
    if (!tiles) {
      return lexer->ErrorAt(start, end - start,
                            "this is not an order of the mesh's devices");
    }
    if (tiles->iota().reshape_dims.size() > 1) mesh->order = tiles->iota();
    return true;
  }
  DimIndices devices;
  while (lexer->token() != Token::kRightParen) {
    int64_t device = 0;
    if (!lexer->ReadInt(&device)) return false;
    devices.push_back(device);
    if (!lexer->Accept(Token::kComma)) break;
  }
  const size_t end = lexer->offset();
  if (!lexer->Expect(Token::kRightParen, "\",\" or \")\"")) return false;
  const std::optional<int64_t> count = ProductOfSizes(mesh->sizes());
  if (!count || static_cast<size_t>(*count) != devices.size() ||
      !IsPermutation(devices)) {
    return lexer->ErrorAt(
        start, end - start,
        absl::StrCat("device_ids should be 0 to ", count.value_or(0) - 1,
                     " in some order"));
  }
  if (std::is_sorted(devices.begin(), devices.end())) {
    return lexer->ErrorAt(start, end - start,
                          "device_ids in ascending order must be left out");
  }
  mesh->device_ids = std::move(devices);
  return true;
}

// The older word, which is printed, and the newer one.
bool IsOneDevice(absl::string_view word) {
  return word == "maximal_mesh" || word == "single_device";
}

}  // namespace

bool AtMesh(const Lexer& lexer) {
  return lexer.token() == Token::kWord &&
         (lexer.text() == "mesh" || IsOneDevice(lexer.text()));
}

bool ReadMesh(Lexer* lexer, MeshRead* read) {
  const bool is_maximal = IsOneDevice(lexer->text());
  lexer->Next();
  if (!lexer->Expect(Token::kLeftBracket)) return false;
  if (is_maximal) {
    if (lexer->token() != Token::kAttributeName ||
        lexer->text() != "device_id") {
      return lexer->Expected("\"device_id=\"");
    }
    lexer->Next();
    int64_t device = 0;
    if (!lexer->ReadInt(&device) || !lexer->Expect(Token::kRightBracket)) {
      return false;
    }
    read->mesh.device_ids = {device};
    return true;
  }
  if (!ReadNamedSizes(lexer, read)) return false;
  if (lexer->token() == Token::kComma && !read->mesh.axes.empty()) {
    const size_t comma = lexer->offset();
    lexer->Next();
    if (lexer->token() == Token::kAttributeName &&
        lexer->text() == "device_ids") {
      lexer->Next();
      if (!ReadDeviceIds(lexer, &read->mesh)) return false;
    } else {
      lexer->Seek(comma);
    }
  }
  return true;
}

bool ReadMeshAxis(Lexer* lexer, const MeshRead& mesh, AxisRef* axis) {
  const size_t start = lexer->offset();
  const size_t length = lexer->end() - start;
  std::string name;
  if (!lexer->ReadString(&name)) return false;
  const auto found = mesh.index.find(name);
  if (found != mesh.index.end()) {
    axis->axis = found->second;
  } else if (!absl::SimpleAtoi(name, &axis->axis) || !mesh.mesh.has(*axis)) {
    return lexer->ErrorAt(start, length, "the mesh has no such axis");
  }
  if (!lexer->Accept(Token::kColon)) return true;
  AxisRef::Factor& factor = axis->factor.emplace();
  if (!lexer->Expect(Token::kLeftParen) || !lexer->ReadInt(&factor.pre_size) ||
      !lexer->Expect(Token::kRightParen)) {
    return false;
  }
  const size_t end = lexer->end();
  if (!lexer->ReadInt(&factor.size)) return false;
  const int64_t whole = mesh.mesh.axes[static_cast<size_t>(axis->axis)].size;
  if (factor.size > 1 && factor.size < whole && mesh.mesh.HasPart(*axis)) {
    return true;
  }
  return lexer->ErrorAt(
      start, end - start,
      absl::StrCat("this is not a factor of an axis of size ", whole));
}

bool ReadMeshAxes(Lexer* lexer, const MeshRead& mesh, AxisRefs* axes) {
  if (!lexer->Expect(Token::kLeftBrace)) return false;
  while (lexer->token() != Token::kRightBrace) {
    AxisRef axis;
    if (!ReadMeshAxis(lexer, mesh, &axis)) return false;
    axes->push_back(axis);
    if (!lexer->Accept(Token::kComma)) break;
  }
  return lexer->Expect(Token::kRightBrace, "\",\" or \"}\"");
}

std::string MeshText(const Mesh& mesh) {
  if (mesh.is_maximal()) {
    return absl::StrCat("maximal_mesh[device_id=", mesh.device_ids[0], "]");
  }
  std::string text = "mesh[";
  for (size_t i = 0; i < mesh.axes.size(); ++i) {
    absl::StrAppend(&text, i > 0 ? "," : "", NameText(mesh.axes[i].name), "=",
                    mesh.axes[i].size);
  }
  text += "]";
  if (!mesh.device_ids.empty()) {
    absl::StrAppend(&text, ", device_ids=(",
                    absl::StrJoin(mesh.device_ids, ","), ")");
  } else if (mesh.order) {
    const std::optional<TileAssignment> devices = mesh.Devices();
    if (devices && devices->iota().reshape_dims.size() > 1) {
      absl::StrAppend(&text, ", device_ids=(", devices->DevicesText(), ")");
    }
  }
  return text;
}

std::string AxesText(const Mesh& mesh, absl::Span<const AxisRef> axes,
                     absl::string_view separator) {
  return absl::StrJoin(
      axes, separator, [&mesh](std::string* out, const AxisRef& ref) {
        out->append(
            mesh.has(ref)
                ? NameText(mesh.axes[static_cast<size_t>(ref.axis)].name)
                : absl::StrCat("'", ref.axis, "'"));
        if (ref.factor) {
          absl::StrAppend(out, ":(", ref.factor->pre_size, ")",
                          ref.factor->size);
        }
      });
}

}  // namespace indim
