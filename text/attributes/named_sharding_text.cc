#include "indim/text/attributes/named_sharding_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "indim/text/attributes/mesh_text.h"
#include "indim/text/attributes/metadata_text.h"
#include "indim/wire/field_list.h"
#include "indim/wire/field_numbers.h"

namespace indim {
namespace {

namespace of_named = field::NamedShardingProto;
using field::NamedShardingProto_DimensionSharding::kIsClosed;

// By number: the reduction of an unreduced sharding.
constexpr absl::string_view kReductions[] = {"sum", "max", "min"};

std::vector<std::string> Serialize(const std::vector<MeshAxis>& axes) {
  std::vector<std::string> wires;
  for (const MeshAxis& axis : axes) wires.push_back(axis.Serialize());
  return wires;
}

class Reader {
 public:
  explicit Reader(Lexer* lexer) : lexer_(*lexer), start_(lexer->offset()) {}

  bool Read(std::string* wire) {
    if (!ReadMesh(&lexer_, &mesh_)) return false;
    wire_.SetText(of_named::kMesh, mesh_.wire);
    if (mesh_.is_maximal) {
      if (!ReadTail()) return false;
    } else {
      lexer_.Accept(Token::kComma);
      if (!ReadAxes()) return false;
    }
    if (!lexer_.Expect(Token::kRightBrace) || !Check()) return false;
    wire_.SetTexts(of_named::kMetadata, metadata_);
    *wire = wire_.Serialize();
    return true;
  }

 private:
  // Reads all axes alike, or each dimension's and the rest.
  bool ReadAxes() {
    if (lexer_.AcceptWord("replicated")) return ReadTail();
    if (lexer_.AcceptWord("manual")) {
      return SetAll(of_named::kManualAxes) && ReadTail();
    }
    if (lexer_.AcceptWord("unreduced")) {
      return SetAll(of_named::kUnreducedAxes) && ReadTail();
    }
    if (lexer_.token() == Token::kAttributeName &&
        lexer_.text() == "unreduced") {
      lexer_.Next();
      if (lexer_.token() != Token::kWord) return lexer_.Expected(kWhat);
      if (!ReadReduction()) return false;
      if (lexer_.token() != Token::kLeftBrace) {
        return SetAll(of_named::kUnreducedAxes) && ReadTail();
      }
      return ReadList(of_named::kUnreducedAxes) && ReadTail();
    }
    return ReadDims() && ReadTail();
  }

  bool SetAll(uint32_t field) {
    std::vector<MeshAxis> axes;
    for (size_t i = 0; i < mesh_.names.size(); ++i) {
      axes.push_back({static_cast<int64_t>(i)});
    }
    if (axes.empty()) {
      return lexer_.ErrorAt(start_, lexer_.offset() - start_,
                            "the mesh has no axes");
    }
    wire_.SetTexts(field, Serialize(axes));
    return true;
  }

  // Reads [{'a'}, {'b', ?}].
  bool ReadDims() {
    if (!lexer_.Expect(Token::kLeftBracket)) return false;
    std::vector<std::string> dims;
    while (lexer_.token() != Token::kRightBracket) {
      dims.emplace_back();
      if (!ReadDim(&dims.back())) return false;
      if (!lexer_.Accept(Token::kComma)) break;
    }
    wire_.SetTexts(of_named::kDimShardings, dims);
    return lexer_.Expect(Token::kRightBracket, "\",\" or \"]\"");
  }

  bool ReadDim(std::string* wire) {
    if (!lexer_.Expect(Token::kLeftBrace)) return false;
    std::vector<MeshAxis> axes;
    bool is_closed = true;
    while (is_closed && lexer_.token() != Token::kRightBrace) {
      if (lexer_.Accept(Token::kQuestion)) {
        is_closed = false;
        break;
      }
      MeshAxis axis;
      if (!ReadMeshAxis(&lexer_, mesh_, &axis)) return false;
      if (!axes.empty() && CanMerge(axes.back(), axis)) return Mergeable();
      axes.push_back(axis);
      if (!lexer_.Accept(Token::kComma)) break;
    }
    all_.insert(all_.end(), axes.begin(), axes.end());
    FieldList dim(WireMessage::kNamedShardingProto_DimensionSharding);
    dim.SetTexts(field::NamedShardingProto_DimensionSharding::kAxes,
                 Serialize(axes));
    dim.SetNumber(kIsClosed, is_closed ? 1 : 0);
    *wire = dim.Serialize();
    return lexer_.Expect(Token::kRightBrace,
                         is_closed ? "\",\" or \"}\"" : "\"}\"");
  }

  // Reads , replicated={'a'}, metadata={...}.
  bool ReadTail() {
    while (lexer_.Accept(Token::kComma)) {
      if (lexer_.token() != Token::kAttributeName) {
        return lexer_.Expected(kAttributes);
      }
      const absl::string_view name = lexer_.text();
      if (name != "metadata" && name != "replicated" && name != "unreduced" &&
          name != "manual") {
        return lexer_.Expected(kAttributes);
      }
      lexer_.Next();
      if (name == "metadata") {
        if (!ReadMetadataList(&lexer_, &metadata_)) return false;
        continue;
      }
      const bool unreduced = name == "unreduced";
      if (unreduced && lexer_.token() == Token::kWord && !ReadReduction()) {
        return false;
      }
      if (!ReadList(unreduced              ? of_named::kUnreducedAxes
                    : name == "replicated" ? of_named::kReplicatedAxes
                                           : of_named::kManualAxes)) {
        return false;
      }
    }
    return true;
  }

  bool ReadList(uint32_t field) {
    std::vector<MeshAxis> axes;
    const size_t start = lexer_.offset();
    if (wire_.has(field)) return lexer_.Error("these axes are given twice");
    if (!ReadMeshAxes(&lexer_, mesh_, &axes)) return false;
    for (size_t i = 1; i < axes.size(); ++i) {
      const MeshAxis& a = axes[i - 1];
      const MeshAxis& b = axes[i];
      if (CanMerge(a, b)) return Mergeable();
      if (b.axis < a.axis || (b.axis == a.axis && b.pre_size < a.pre_size)) {
        return lexer_.ErrorAt(start, lexer_.offset() - start,
                              "axes stand in the order of the mesh here");
      }
    }
    all_.insert(all_.end(), axes.begin(), axes.end());
    wire_.SetTexts(field, Serialize(axes));
    return true;
  }

  bool ReadReduction() {
    const auto* const found = std::find(std::begin(kReductions),
                                        std::end(kReductions), lexer_.text());
    if (found == std::end(kReductions)) return lexer_.Expected(kWhat);
    wire_.SetNumber(of_named::kReductionOp, found - std::begin(kReductions));
    lexer_.Next();
    return true;
  }

  bool Check() {
    if (AxesAreDisjoint(all_)) return true;
    return lexer_.ErrorAt(start_, lexer_.offset() - start_,
                          "an axis is used twice");
  }

  bool Mergeable() {
    return lexer_.Error("these neighbours are one factor, or the whole axis");
  }

  static constexpr absl::string_view kWhat = "sum, max or min";
  static constexpr absl::string_view kAttributes =
      "replicated=, unreduced=, manual= or metadata=";

  Lexer& lexer_;
  const size_t start_;
  Mesh mesh_;
  FieldList wire_{WireMessage::kNamedShardingProto};
  std::vector<MeshAxis> all_;
  std::vector<std::string> metadata_;
};

// Prints 'a', 'b' for a list of AxisRefProtos.
std::string AxesText(const MeshPrinter& mesh,
                     const std::vector<absl::string_view>& axes) {
  std::string text;
  for (size_t i = 0; i < axes.size(); ++i) {
    absl::StrAppend(&text, i > 0 ? ", " : "", mesh.AxisText(axes[i]));
  }
  return text;
}

std::string DimText(const MeshPrinter& mesh, absl::string_view wire) {
  FieldList dim(WireMessage::kNamedShardingProto_DimensionSharding);
  dim.Append(wire);
  const std::string axes = AxesText(
      mesh, dim.Texts(field::NamedShardingProto_DimensionSharding::kAxes));
  return absl::StrCat("{", axes,
                      dim.Number(kIsClosed) != 0 ? ""
                      : axes.empty()             ? "?"
                                                 : ", ?",
                      "}");
}

}  // namespace

bool ReadNamedSharding(Lexer* lexer, std::string* wire) {
  return Reader(lexer).Read(wire);
}

bool ReadMetadataList(Lexer* lexer, std::vector<std::string>* wires) {
  const size_t start = lexer->offset();
  if (!lexer->Expect(Token::kLeftBrace)) return false;
  if (lexer->token() != Token::kLeftBrace) {
    lexer->Seek(start);
    wires->emplace_back();
    return ReadMetadata(lexer, &wires->back());
  }
  do {
    wires->emplace_back();
    if (!ReadMetadata(lexer, &wires->back())) return false;
  } while (lexer->Accept(Token::kComma));
  return lexer->Expect(Token::kRightBrace, "\",\" or \"}\"");
}

std::string NamedShardingText(absl::string_view wire, bool metadata) {
  FieldList named(WireMessage::kNamedShardingProto);
  named.Append(wire);
  const MeshPrinter mesh(named.Text(of_named::kMesh));
  const auto dims = named.Texts(of_named::kDimShardings);
  const auto replicated = named.Texts(of_named::kReplicatedAxes);
  const auto unreduced = named.Texts(of_named::kUnreducedAxes);
  const auto manual = named.Texts(of_named::kManualAxes);
  const int64_t reduction = named.Number(of_named::kReductionOp);
  const absl::string_view reduction_text =
      reduction > 0 && reduction < 3 ? kReductions[reduction] : "";

  std::string text = absl::StrCat("{", mesh.ToString());
  const auto are_all = [&](const std::vector<absl::string_view>& axes) {
    return dims.empty() && !axes.empty() && mesh.AreAllAxes(axes);
  };
  if (mesh.is_maximal()) {
    // Nothing else is to be printed.
  } else if (dims.empty() && replicated.empty() && unreduced.empty() &&
             manual.empty()) {
    text += ", replicated";
  } else if (are_all(unreduced)) {
    absl::StrAppend(&text, ", unreduced", reduction_text.empty() ? "" : "=",
                    reduction_text);
  } else if (are_all(manual)) {
    text += ", manual";
  } else {
    text += ", [";
    for (size_t i = 0; i < dims.size(); ++i) {
      absl::StrAppend(&text, i > 0 ? ", " : "", DimText(mesh, dims[i]));
    }
    text += "]";
    const auto append = [&](absl::string_view name,
                            const std::vector<absl::string_view>& axes) {
      if (axes.empty()) return;
      absl::StrAppend(&text, ", ", name, "{", AxesText(mesh, axes), "}");
    };
    append("replicated=", replicated);
    append(absl::StrCat("unreduced=", reduction_text), unreduced);
    append("manual=", manual);
  }
  const auto messages = named.Texts(of_named::kMetadata);
  if (metadata && !messages.empty()) {
    text += ", metadata={";
    for (size_t i = 0; i < messages.size(); ++i) {
      absl::StrAppend(&text, i > 0 ? ", " : "", "{",
                      MetadataMembersText(messages[i]), "}");
    }
    text += "}";
  }
  return text + "}";
}

}  // namespace indim
