#include "indim/text/attributes/mesh_text.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/shape/ops/replica_groups.h"
#include "indim/text/attributes/tile_assignment.h"
#include "indim/text/base/escaped_text.h"
#include "indim/wire/field_list.h"
#include "indim/wire/field_numbers.h"

namespace indim {
namespace {

using field::AxisRefProto::kMeshAxisIndex;
using field::AxisRefProto::kSubAxisInfo;
using field::AxisRefProto_SubAxis::kPreSize;
namespace of_mesh = field::MeshProto;
namespace of_iota = field::MeshProto_IotaTransform;
namespace of_axis = field::MeshProto_MeshAxis;

FieldList Parse(WireMessage message, absl::string_view wire) {
  FieldList fields(message);
  fields.Append(wire);
  return fields;
}

// The name in single quotes.
std::string NameText(absl::string_view name) {
  return absl::StrCat("'",
                      name.find_first_of("'\\\n\r\t") == absl::string_view::npos
                          ? std::string(name)
                          : EscapeText(name),
                      "'");
}

// Reads 'a'=2,'b'=4].
bool ReadNamedSizes(Lexer* lexer, Mesh* mesh) {
  const size_t start = lexer->offset();
  while (lexer->token() != Token::kRightBracket) {
    std::string name;
    int64_t size = 0;
    const size_t offset = lexer->offset();
    if (!lexer->ReadString(&name) || !lexer->Expect(Token::kEqual) ||
        !lexer->ReadInt(&size)) {
      return false;
    }
    if (!mesh->index.emplace(name, mesh->names.size()).second) {
      return lexer->ErrorAt(offset, name.size() + 2,
                            "the mesh has an axis of this name already");
    }
    mesh->names.push_back(std::move(name));
    mesh->sizes.push_back(size);
    if (!lexer->Accept(Token::kComma)) break;
  }
  const size_t end = lexer->offset();
  if (!lexer->Expect(Token::kRightBracket, "\",\" or \"]\"")) return false;
  if (ProductOfSizes(mesh->sizes)) return true;
  return lexer->ErrorAt(start, end - start,
                        "the sizes of a mesh are positive, their product is "
                        "below 2^62");
}

// Reads ([4,2]T(1,0)) or (3,2,1,0).
bool ReadDeviceIds(Lexer* lexer, const Mesh& mesh, FieldList* to) {
  const size_t start = lexer->offset();
  if (!lexer->Expect(Token::kLeftParen)) return false;
  if (lexer->token() == Token::kLeftBracket) {
    DimIndices reshape_dims, transpose_perm;
    if (!ReadIota(lexer, &reshape_dims, &transpose_perm)) return false;
    const size_t end = lexer->offset();
    if (!lexer->Expect(Token::kRightParen)) return false;
    const std::optional<TileAssignment> tiles =
        TileAssignment::Iota(mesh.sizes, reshape_dims, transpose_perm);
    if (!tiles) {
      return lexer->ErrorAt(start, end - start,
                            "this is not an order of the mesh's devices");
    }
    if (tiles->reshape_dims().size() == 1) return true;
    FieldList iota(WireMessage::kMeshProto_IotaTransform);
    iota.SetNumbers(of_iota::kReshapeDims, tiles->reshape_dims());
    iota.SetNumbers(of_iota::kTransposePerm, tiles->transpose_perm());
    to->SetText(of_mesh::kIotaTransform, iota.Serialize());
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
  const std::optional<int64_t> count = ProductOfSizes(mesh.sizes);
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
  to->SetNumbers(of_mesh::kDeviceIds, devices);
  return true;
}

}  // namespace

bool AtMesh(const Lexer& lexer) {
  return lexer.token() == Token::kWord &&
         (lexer.text() == "mesh" || lexer.text() == "maximal_mesh");
}

bool ReadMesh(Lexer* lexer, Mesh* mesh) {
  FieldList wire(WireMessage::kMeshProto);
  mesh->is_maximal = lexer->text() == "maximal_mesh";
  lexer->Next();
  if (!lexer->Expect(Token::kLeftBracket)) return false;
  if (mesh->is_maximal) {
    if (lexer->token() != Token::kAttributeName ||
        lexer->text() != "device_id") {
      return lexer->Expected("\"device_id=\"");
    }
    lexer->Next();
    int64_t device = 0;
    if (!lexer->ReadInt(&device) || !lexer->Expect(Token::kRightBracket)) {
      return false;
    }
    wire.SetNumbers(of_mesh::kDeviceIds, {device});
    mesh->wire = wire.Serialize();
    return true;
  }
  if (!ReadNamedSizes(lexer, mesh)) return false;
  std::vector<std::string> axes;
  for (size_t i = 0; i < mesh->names.size(); ++i) {
    FieldList axis(WireMessage::kMeshProto_MeshAxis);
    axis.SetText(of_axis::kName, mesh->names[i]);
    axis.SetNumber(of_axis::kSize, mesh->sizes[i]);
    axes.push_back(axis.Serialize());
  }
  wire.SetTexts(of_mesh::kAxes, axes);
  if (lexer->token() == Token::kComma && !axes.empty()) {
    const size_t comma = lexer->offset();
    lexer->Next();
    if (lexer->token() == Token::kAttributeName &&
        lexer->text() == "device_ids") {
      lexer->Next();
      if (!ReadDeviceIds(lexer, *mesh, &wire)) return false;
    } else {
      lexer->Seek(comma);
    }
  }
  mesh->wire = wire.Serialize();
  return true;
}

std::string MeshAxis::Serialize() const {
  FieldList fields(WireMessage::kAxisRefProto);
  fields.SetNumber(kMeshAxisIndex, axis);
  if (pre_size != 0) {
    FieldList factor(WireMessage::kAxisRefProto_SubAxis);
    factor.SetNumber(kPreSize, pre_size);
    factor.SetNumber(field::AxisRefProto_SubAxis::kSize, size);
    fields.SetText(kSubAxisInfo, factor.Serialize());
  }
  return fields.Serialize();
}

bool ReadMeshAxis(Lexer* lexer, const Mesh& mesh, MeshAxis* axis) {
  const size_t start = lexer->offset();
  const size_t length = lexer->end() - start;
  std::string name;
  if (!lexer->ReadString(&name)) return false;
  const auto found = mesh.index.find(name);
  if (found != mesh.index.end()) {
    axis->axis = found->second;
  } else if (!absl::SimpleAtoi(name, &axis->axis) || axis->axis < 0 ||
             static_cast<size_t>(axis->axis) >= mesh.names.size()) {
    return lexer->ErrorAt(start, length, "the mesh has no such axis");
  }
  if (!lexer->Accept(Token::kColon)) return true;
  if (!lexer->Expect(Token::kLeftParen) || !lexer->ReadInt(&axis->pre_size) ||
      !lexer->Expect(Token::kRightParen)) {
    return false;
  }
  const size_t end = lexer->end();
  if (!lexer->ReadInt(&axis->size)) return false;
  const int64_t whole = mesh.sizes[static_cast<size_t>(axis->axis)];
  if (axis->pre_size > 0 && axis->size > 1 && axis->size < whole &&
      axis->pre_size <= whole / axis->size &&
      whole % (axis->pre_size * axis->size) == 0) {
    return true;
  }
  return lexer->ErrorAt(
      start, end - start,
      absl::StrCat("this is not a factor of an axis of size ", whole));
}

bool ReadMeshAxes(Lexer* lexer, const Mesh& mesh, std::vector<MeshAxis>* axes) {
  if (!lexer->Expect(Token::kLeftBrace)) return false;
  while (lexer->token() != Token::kRightBrace) {
    MeshAxis axis;
    if (!ReadMeshAxis(lexer, mesh, &axis)) return false;
    axes->push_back(axis);
    if (!lexer->Accept(Token::kComma)) break;
  }
  return lexer->Expect(Token::kRightBrace, "\",\" or \"}\"");
}

bool AxesAreDisjoint(std::vector<MeshAxis> axes) {
  std::sort(axes.begin(), axes.end(), [](const MeshAxis& a, const MeshAxis& b) {
    return a.axis != b.axis ? a.axis < b.axis : a.pre_size < b.pre_size;
  });
  for (size_t i = 1; i < axes.size(); ++i) {
    const MeshAxis& a = axes[i - 1];
    const MeshAxis& b = axes[i];
    if (a.axis != b.axis) continue;
    // A whole axis comes first. A gap between factors is a factor too.
    if (a.pre_size == 0 || b.pre_size % (a.pre_size * a.size) != 0) {
      return false;
    }
  }
  return true;
}

bool CanMerge(const MeshAxis& a, const MeshAxis& b) {
  return a.axis == b.axis && a.pre_size != 0 && b.pre_size != 0 &&
         a.pre_size * a.size == b.pre_size;
}

MeshPrinter::MeshPrinter(absl::string_view wire) {
  const FieldList mesh = Parse(WireMessage::kMeshProto, wire);
  devices_ = mesh.Numbers(of_mesh::kDeviceIds);
  for (absl::string_view text : mesh.Texts(of_mesh::kAxes)) {
    const FieldList axis = Parse(WireMessage::kMeshProto_MeshAxis, text);
    sizes_.push_back(axis.Number(of_axis::kSize));
    names_.push_back(NameText(axis.Text(of_axis::kName)));
  }
  std::optional<TileAssignment> tiles;
  if (!devices_.empty()) {
    tiles = TileAssignment::List(sizes_, devices_);
  } else if (mesh.has(of_mesh::kIotaTransform)) {
    const FieldList iota = Parse(WireMessage::kMeshProto_IotaTransform,
                                 mesh.Text(of_mesh::kIotaTransform));
    tiles = TileAssignment::Iota(sizes_, iota.Numbers(of_iota::kReshapeDims),
                                 iota.Numbers(of_iota::kTransposePerm));
  } else if (const auto count = ProductOfSizes(sizes_)) {
    tiles = TileAssignment::Iota(sizes_, {*count}, {0});
  }
  if (tiles) tiles_ = *std::move(tiles);
}

std::string MeshPrinter::ToString() const {
  if (is_maximal()) {
    return absl::StrCat("maximal_mesh[device_id=", devices_[0], "]");
  }
  std::string text = "mesh[";
  for (size_t i = 0; i < names_.size(); ++i) {
    absl::StrAppend(&text, i > 0 ? "," : "", names_[i], "=", sizes_[i]);
  }
  text += "]";
  if (!devices_.empty()) {
    absl::StrAppend(&text, ", device_ids=(", absl::StrJoin(devices_, ","), ")");
  } else if (tiles_.reshape_dims().size() > 1) {
    absl::StrAppend(&text, ", device_ids=(", tiles_.DevicesText(), ")");
  }
  return text;
}

std::optional<TileAssignment> MeshPrinter::Groups(
    absl::Span<const absl::string_view> axes) const {
  if (tiles_.count() == 0) return std::nullopt;
  std::vector<MeshAxis> parts;
  for (absl::string_view wire : axes) {
    const FieldList axis = Parse(WireMessage::kAxisRefProto, wire);
    MeshAxis part = {axis.Number(kMeshAxisIndex)};
    if (part.axis < 0 || static_cast<size_t>(part.axis) >= sizes_.size()) {
      return std::nullopt;
    }
    part.size = sizes_[static_cast<size_t>(part.axis)];
    if (axis.has(kSubAxisInfo)) {
      const FieldList factor =
          Parse(WireMessage::kAxisRefProto_SubAxis, axis.Text(kSubAxisInfo));
      part.pre_size = factor.Number(kPreSize);
      const int64_t size = factor.Number(field::AxisRefProto_SubAxis::kSize);
      if (part.pre_size < 1 || size < 1 || part.pre_size > part.size / size ||
          part.size % (part.pre_size * size) != 0) {
        return std::nullopt;
      }
      part.size = size;
    }
    parts.push_back(part);
  }
  if (!AxesAreDisjoint(parts)) return std::nullopt;
  // Splits each axis into used factors and those between them; notes the
  // position of each used one.
  DimIndices dims, order;
  std::vector<int64_t> place(parts.size());
  int64_t members = 1;
  std::vector<std::vector<size_t>> uses(sizes_.size());
  for (size_t k = 0; k < parts.size(); ++k) {
    uses[static_cast<size_t>(parts[k].axis)].push_back(k);
  }
  for (size_t i = 0; i < sizes_.size(); ++i) {
    std::vector<size_t>& used = uses[i];
    std::sort(used.begin(), used.end(), [&](size_t a, size_t b) {
      return parts[a].pre_size < parts[b].pre_size;
    });
    int64_t done = 1;
    const auto add = [&](int64_t size) {
      dims.push_back(size);
      done *= size;
      return static_cast<int64_t>(dims.size()) - 1;
    };
    for (const size_t k : used) {
      const int64_t before = std::max<int64_t>(parts[k].pre_size, 1);
      if (before != done) order.push_back(add(before / done));
      place[k] = add(parts[k].size);
      members *= parts[k].size;
    }
    if (done != sizes_[i]) order.push_back(add(sizes_[i] / done));
  }
  order.insert(order.end(), place.begin(), place.end());
  return tiles_.Reshaped(dims).Transposed(order,
                                          {tiles_.count() / members, members});
}

std::string MeshPrinter::AxisText(absl::string_view wire) const {
  const FieldList axis = Parse(WireMessage::kAxisRefProto, wire);
  const int64_t index = axis.Number(kMeshAxisIndex);
  std::string text = index >= 0 && static_cast<size_t>(index) < names_.size()
                         ? names_[static_cast<size_t>(index)]
                         : absl::StrCat("'", index, "'");
  if (axis.has(kSubAxisInfo)) {
    const FieldList factor =
        Parse(WireMessage::kAxisRefProto_SubAxis, axis.Text(kSubAxisInfo));
    absl::StrAppend(&text, ":(", factor.Number(kPreSize), ")",
                    factor.Number(field::AxisRefProto_SubAxis::kSize));
  }
  return text;
}

bool MeshPrinter::AreAllAxes(absl::Span<const absl::string_view> axes) const {
  size_t next = 0;
  for (size_t i = 0; i < sizes_.size(); ++i) {
    if (next < axes.size()) {
      const FieldList axis = Parse(WireMessage::kAxisRefProto, axes[next]);
      if (axis.Number(kMeshAxisIndex) == static_cast<int64_t>(i)) {
        if (axis.has(kSubAxisInfo)) return false;
        ++next;
        continue;
      }
    }
    if (sizes_[i] != 1) return false;
  }
  return next == axes.size();
}

}  // namespace indim
