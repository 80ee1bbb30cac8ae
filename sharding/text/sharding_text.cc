// SPDX-License-Identifier: Apache-2.0
// Shardings, brought to the form in which they are written and printed as XLA
// does it: by HloSharding's factories, when it reads text and protos.

#include "indim/sharding/text/sharding_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/sharding/sharding.h"
#include "indim/sharding/text/mesh_text.h"
#include "indim/sharding/text/tile_assignment_text.h"
#include "indim/sharding/values/sharding_value.h"
#include "indim/text/base/metadata_text.h"

namespace indim {
namespace {

// The word for each type in text; empty: none.
constexpr absl::string_view kTypeWords[] = {
    "replicated", "maximal", "", "", "manual", "unknown", "unreduced"};

// --- Text -------------------------------------------------------------------

std::string TypesText(const DimIndices& types) {
  std::string text;
  for (const int64_t type : types) {
    const absl::string_view word =
        type >= 0 && type < Sharding::kTypeCount && type != Sharding::kUnknown
            ? kTypeWords[type]
            : "";
    absl::StrAppend(&text, text.empty() ? "" : ", ",
                    word.empty() ? "error_type." : word);
  }
  return absl::StrCat(" last_tile_dims={", text, "}");
}

// `tiles` is "[2,2]<=[4]", for type Sharding::kOther.
std::string LeafText(const Sharding& leaf, absl::string_view tiles,
                     bool metadata) {
  std::string text = "{";
  if (leaf.type == Sharding::kOther) {
    absl::StrAppend(&text, "devices=", tiles,
                    leaf.replicate_on_last ? " last_tile_dim_replicate" : "");
    if (!leaf.subgroup_types.empty()) text += TypesText(leaf.subgroup_types);
  } else if (leaf.type == Sharding::kMaximal) {
    absl::StrAppend(
        &text, "maximal device=", leaf.devices.empty() ? 0 : leaf.devices[0]);
  } else {
    absl::StrAppend(&text, kTypeWords[leaf.type]);
  }
  if (leaf.is_shard_group) {
    absl::StrAppend(&text, leaf.shard_like ? " shard_like " : " shard_as ",
                    leaf.shard_group);
  }
  if (metadata && leaf.metadata.size() == 1) {
    absl::StrAppend(&text, " metadata={", MetadataMembersText(leaf.metadata[0]),
                    "}");
  } else if (metadata && !leaf.metadata.empty()) {
    absl::StrAppend(&text, " metadata=", MetadataListText(leaf.metadata));
  }
  return text + "}";
}

// --- Reading ----------------------------------------------------------------

constexpr absl::string_view kLeafParts =
    "replicated, maximal, manual, unknown, unreduced, device=, devices=, "
    "last_tile_dims=, last_tile_dim_replicate, shard_as, shard_like, metadata= "
    "or \"}\"";

// Reads a leaf from after the "{" to after the "}".
class LeafReader {
 public:
  explicit LeafReader(Lexer* lexer) : lexer_(*lexer), start_(lexer->offset()) {}

  bool Read(Sharding* to) {
    while (lexer_.token() != Token::kRightBrace) {
      if (!(lexer_.token() == Token::kAttributeName ? ReadAttribute()
                                                    : ReadWord())) {
        return false;
      }
    }
    if (!Make()) return false;
    lexer_.Next();
    *to = std::move(leaf_);
    return true;
  }

 private:
  bool ReadWord() {
    if (lexer_.token() != Token::kWord) return lexer_.Expected(kLeafParts);
    if (lexer_.AcceptWord("last_tile_dim_replicate")) {
      replicate_ = true;
      return true;
    }
    const bool like = lexer_.text() == "shard_like";
    if (like || lexer_.text() == "shard_as") {
      lexer_.Next();
      // The last number counts, and shard_as takes precedence over shard_like.
      leaf_.shard_like = like && (!leaf_.is_shard_group || leaf_.shard_like);
      leaf_.is_shard_group = true;
      return lexer_.ReadInt(&leaf_.shard_group);
    }
    int64_t type = 0;
    if (!ReadType(&type)) return lexer_.Expected(kLeafParts);
    has_type_[static_cast<size_t>(type)] = true;
    return true;
  }

  bool ReadType(int64_t* type) {
    const auto* const found =
        std::find(std::begin(kTypeWords), std::end(kTypeWords), lexer_.text());
    if (lexer_.token() != Token::kWord || found == std::end(kTypeWords)) {
      return false;
    }
    *type = found - std::begin(kTypeWords);
    lexer_.Next();
    return true;
  }

  bool ReadAttribute() {
    const absl::string_view name = lexer_.text();
    if (name == "metadata") {
      lexer_.Next();
      return ReadMetadataList(&lexer_, &leaf_.metadata);
    }
    if (name == "device") {
      lexer_.Next();
      has_device_ = true;
      return lexer_.ReadInt(&device_);
    }
    if (name == "devices") {
      lexer_.Next();
      if (has_tiles_) return lexer_.Error("devices= is given twice");
      has_tiles_ = true;
      return ReadTileAssignment(&lexer_, /*list=*/true, &tiles_);
    }
    if (name != "last_tile_dims") return lexer_.Expected(kLeafParts);
    lexer_.Next();
    if (!lexer_.Expect(Token::kLeftBrace)) return false;
    while (lexer_.token() != Token::kRightBrace) {
      int64_t type = 0;
      if (!ReadType(&type) || type == Sharding::kUnknown) {
        return lexer_.Expected("replicated, maximal, manual or unreduced");
      }
      leaf_.subgroup_types.push_back(type);
      if (!lexer_.Accept(Token::kComma)) break;
    }
    return lexer_.Expect(Token::kRightBrace, "\",\" or \"}\"");
  }

  bool Error(absl::string_view what) {
    return lexer_.ErrorAt(start_, lexer_.offset() - start_, std::string(what));
  }

  // Makes the sharding of the words that were read. The first of several
  // counts, as in XLA.
  bool Make() {
    const bool lists = has_device_ || !tiles_.devices().empty();
    for (const int64_t type :
         {Sharding::kReplicated, Sharding::kMaximal, Sharding::kManual,
          Sharding::kUnknown, Sharding::kUnreduced}) {
      if (!has_type_[static_cast<size_t>(type)]) continue;
      if (type == Sharding::kMaximal) {
        if (!has_device_) {
          if (tiles_.devices().size() != 1) {
            return Error("a maximal sharding needs device=");
          }
          device_ = tiles_.devices()[0];
        }
      } else if (lists) {
        return Error(absl::StrCat("a sharding that is ", kTypeWords[type],
                                  " has no devices"));
      }
      leaf_.Become(type);
      if (type == Sharding::kMaximal) leaf_.devices = {device_};
      return true;
    }
    if (!has_tiles_ || has_device_) {
      return Error("a sharding needs devices=, or a word that says what it is");
    }
    if (!tiles_.is_iota() && tiles_.count() == 1) {
      return Error("a tiled sharding needs more than one device");
    }
    if (replicate_) {
      if (!leaf_.subgroup_types.empty()) {
        return Error(
            "last_tile_dim_replicate and last_tile_dims= exclude "
            "each other");
      }
      leaf_.subgroup_types.push_back(Sharding::kReplicated);
    }
    if (leaf_.subgroup_types.size() > tiles_.dims().size()) {
      return Error("there are fewer dims of tiles than subgroups");
    }
    return leaf_.SetTiles(tiles_) ||
           Error(absl::StrCat("these tiles need a list of more than ",
                              TileAssignment::kMaxListed, " devices"));
  }

  Lexer& lexer_;
  const size_t start_;
  Sharding leaf_;
  TileAssignment tiles_;
  int64_t device_ = 0;
  std::array<bool, Sharding::kTypeCount> has_type_{};
  bool has_device_ = false;
  bool has_tiles_ = false;
  bool replicate_ = false;
};

// Reads from after the "{".
bool ReadLeaf(Lexer* lexer, std::string* wire) {
  Sharding leaf;
  if (!(AtMesh(*lexer) ? ReadNamedSharding(lexer, &leaf.named.emplace())
                       : LeafReader(lexer).Read(&leaf))) {
    return false;
  }
  *wire = SerializeSharding(leaf);
  return true;
}

}  // namespace

bool ReadSharding(Lexer* lexer, std::string* wire) {
  if (!lexer->Expect(Token::kLeftBrace)) return false;
  if (lexer->token() != Token::kLeftBrace &&
      lexer->token() != Token::kRightBrace) {
    return ReadLeaf(lexer, wire);
  }
  std::vector<std::string> parts;
  if (lexer->token() == Token::kLeftBrace) {
    do {
      parts.emplace_back();
      if (!lexer->Expect(Token::kLeftBrace) ||
          !ReadLeaf(lexer, &parts.back())) {
        return false;
      }
    } while (lexer->Accept(Token::kComma));
  }
  *wire = TupleSharding(parts);
  return lexer->Expect(Token::kRightBrace, "\",\" or \"}\"");
}

std::string ShardingText(absl::string_view wire, bool metadata) {
  if (const auto parts = TupleParts(wire)) {
    std::string text = "{";
    for (size_t i = 0; i < parts->size(); ++i) {
      if (i > 0) text += ", ";
      if (i > 0 && i % 5 == 0) absl::StrAppend(&text, "/*index=", i, "*/");
      text += ShardingText((*parts)[i], metadata);
    }
    return text + "}";
  }
  const Sharding read = ParseSharding(wire);
  if (read.named) return NamedShardingText(*read.named, metadata);
  Sharding leaf = read;
  if (leaf.type < 0 || leaf.type >= Sharding::kTypeCount) {
    leaf.Become(Sharding::kUnknown);
  }
  if (leaf.type != Sharding::kOther) return LeafText(leaf, "", metadata);
  if (leaf.NormalizeTiles()) {
    const auto tiles = leaf.Tiles();
    return LeafText(leaf, tiles ? tiles->ToString() : "", metadata);
  }
  // XLA would refuse it; this prints it unchanged.
  const auto& [dims, order] = read.iota;
  return LeafText(
      read,
      absl::StrCat("[", absl::StrJoin(read.tile_dims, ","), "]",
                   dims.empty()
                       ? absl::StrJoin(read.devices, ",")
                       : absl::StrCat("<=[", absl::StrJoin(dims, ","), "]T(",
                                      absl::StrJoin(order, ","), ")")),
      metadata);
}

}  // namespace indim
