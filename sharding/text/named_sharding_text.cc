// SPDX-License-Identifier: Apache-2.0
// Named shardings in HLO text.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/sharding/text/mesh_text.h"
#include "indim/sharding/text/sharding_text.h"
#include "indim/sharding/values/axis_use.h"
#include "indim/sharding/values/sharding_value.h"
#include "indim/text/base/metadata_text.h"

namespace indim {
namespace {

class NamedReader {
 public:
  explicit NamedReader(Lexer* lexer)
      : lexer_(*lexer), start_(lexer->offset()) {}

  bool Read(Sharding::Named* to) {
    if (!ReadMesh(&lexer_, &mesh_)) return false;
    named_.mesh = mesh_.mesh;
    if (mesh_.mesh.is_maximal()) {
      if (!ReadTail()) return false;
    } else {
      lexer_.Accept(Token::kComma);
      if (!ReadAxes()) return false;
    }
    if (!lexer_.Expect(Token::kRightBrace) || !Check()) return false;
    *to = std::move(named_);
    return true;
  }

 private:
  // Reads all axes alike, or each dimension's and the rest.
  bool ReadAxes() {
    if (lexer_.AcceptWord("replicated")) return ReadTail();
    if (lexer_.AcceptWord("manual")) {
      return SetAll(&named_.manual) && ReadTail();
    }
    if (lexer_.AcceptWord("unreduced")) {
      return SetAll(&named_.unreduced) && ReadTail();
    }
    if (lexer_.token() == Token::kAttributeName &&
        lexer_.text() == "unreduced") {
      lexer_.Next();
      if (lexer_.token() != Token::kWord) return lexer_.Expected(kWhat);
      if (!ReadReduction()) return false;
      if (lexer_.token() != Token::kLeftBrace) {
        return SetAll(&named_.unreduced) && ReadTail();
      }
      return ReadList(&named_.unreduced) && ReadTail();
    }
    return ReadDims() && ReadTail();
  }

  bool SetAll(AxisRefs* axes) {
    axes->resize(mesh_.mesh.axes.size());
    for (size_t i = 0; i < axes->size(); ++i) {
      (*axes)[i].axis = static_cast<int64_t>(i);
    }
    if (axes->empty()) {
      return lexer_.ErrorAt(start_, lexer_.offset() - start_,
                            "the mesh has no axes");
    }
    return true;
  }

  // Reads [{'a'}, {'b', ?}].
  bool ReadDims() {
    if (!lexer_.Expect(Token::kLeftBracket)) return false;
    while (lexer_.token() != Token::kRightBracket) {
      if (!ReadDim(&named_.dims.emplace_back())) return false;
      if (!lexer_.Accept(Token::kComma)) break;
    }
    return lexer_.Expect(Token::kRightBracket, "\",\" or \"]\"");
  }

  bool ReadDim(Sharding::Dim* dim) {
    if (!lexer_.Expect(Token::kLeftBrace)) return false;
    while (dim->is_closed && lexer_.token() != Token::kRightBrace) {
      if (lexer_.Accept(Token::kQuestion)) {
        dim->is_closed = false;
        break;
      }
      AxisRef axis;
      if (!ReadMeshAxis(&lexer_, mesh_, &axis)) return false;
      if (!dim->axes.empty() && CanMerge(dim->axes.back(), axis)) {
        return Mergeable();
      }
      dim->axes.push_back(axis);
      if (!lexer_.Accept(Token::kComma)) break;
    }
    all_.insert(all_.end(), dim->axes.begin(), dim->axes.end());
    return lexer_.Expect(Token::kRightBrace,
                         dim->is_closed ? "\",\" or \"}\"" : "\"}\"");
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
        if (!ReadMetadataList(&lexer_, &named_.metadata)) return false;
        continue;
      }
      const bool unreduced = name == "unreduced";
      if (unreduced && lexer_.token() == Token::kWord && !ReadReduction()) {
        return false;
      }
      if (!ReadList(unreduced              ? &named_.unreduced
                    : name == "replicated" ? &named_.replicated
                                           : &named_.manual)) {
        return false;
      }
    }
    return true;
  }

  bool ReadList(AxisRefs* list) {
    AxisRefs axes;
    const size_t start = lexer_.offset();
    if (!list->empty()) return lexer_.Error("these axes are given twice");
    if (!ReadMeshAxes(&lexer_, mesh_, &axes)) return false;
    for (size_t i = 1; i < axes.size(); ++i) {
      const AxisRef& a = axes[i - 1];
      const AxisRef& b = axes[i];
      if (CanMerge(a, b)) return Mergeable();
      const auto before = [](const AxisRef& ref) {
        return std::make_pair(ref.axis, ref.is_whole() ? 0 : ref.pre_size());
      };
      if (before(b) < before(a)) {
        return lexer_.ErrorAt(start, lexer_.offset() - start,
                              "axes stand in the order of the mesh here");
      }
    }
    all_.insert(all_.end(), axes.begin(), axes.end());
    *list = std::move(axes);
    return true;
  }

  bool ReadReduction() {
    const auto* const found =
        std::find(std::begin(Sharding::kReductions),
                  std::end(Sharding::kReductions), lexer_.text());
    if (found == std::end(Sharding::kReductions)) return lexer_.Expected(kWhat);
    named_.reduction = found - std::begin(Sharding::kReductions);
    lexer_.Next();
    return true;
  }

  bool Check() {
    if (AxisUse(mesh_.mesh).Add(all_)) return true;
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
  MeshRead mesh_;
  Sharding::Named named_;
  AxisRefs all_;
};

std::string DimText(const Mesh& mesh, const Sharding::Dim& dim) {
  return absl::StrCat("{", AxesText(mesh, dim.axes, ", "),
                      dim.is_closed      ? ""
                      : dim.axes.empty() ? "?"
                                         : ", ?",
                      "}");
}

}  // namespace

bool ReadNamedSharding(Lexer* lexer, Sharding::Named* named) {
  return NamedReader(lexer).Read(named);
}

std::string NamedShardingText(const Sharding::Named& named, bool metadata) {
  const Mesh& mesh = named.mesh;
  const absl::string_view reduction =
      named.reduction > 0 && named.reduction < 3
          ? Sharding::kReductions[named.reduction]
          : "";
  std::string text = absl::StrCat("{", MeshText(mesh));
  const auto are_all = [&](const AxisRefs& axes) {
    return named.dims.empty() && !axes.empty() && mesh.AreAllAxes(axes);
  };
  if (mesh.is_maximal()) {
    // Nothing else is to be printed.
  } else if (named.dims.empty() && named.replicated.empty() &&
             named.unreduced.empty() && named.manual.empty()) {
    text += ", replicated";
  } else if (are_all(named.unreduced)) {
    absl::StrAppend(&text, ", unreduced", reduction.empty() ? "" : "=",
                    reduction);
  } else if (are_all(named.manual)) {
    text += ", manual";
  } else {
    text += ", [";
    for (size_t i = 0; i < named.dims.size(); ++i) {
      absl::StrAppend(&text, i > 0 ? ", " : "", DimText(mesh, named.dims[i]));
    }
    text += "]";
    const auto append = [&](absl::string_view name, const AxisRefs& axes) {
      if (axes.empty()) return;
      absl::StrAppend(&text, ", ", name, "{", AxesText(mesh, axes, ", "), "}");
    };
    append("replicated=", named.replicated);
    append(absl::StrCat("unreduced=", reduction), named.unreduced);
    append("manual=", named.manual);
  }
  if (metadata && !named.metadata.empty()) {
    absl::StrAppend(&text, ", metadata=", MetadataListText(named.metadata));
  }
  return text + "}";
}

}  // namespace indim
