// Shardings, brought to the form in which they are written and printed as XLA
// does it: by HloSharding's factories, when it reads text and protos.

#include "indim/sharding/text/sharding_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/sharding/array_sharding.h"
#include "indim/sharding/sharding.h"
#include "indim/sharding/text/mesh_text.h"
#include "indim/sharding/text/tile_assignment_text.h"
#include "indim/sharding/tile_assignment.h"
#include "indim/text/base/metadata_text.h"
#include "indim/wire/field_list.h"
#include "indim/wire/field_numbers.h"

namespace indim {
namespace {

namespace of_sharding = field::OpSharding;

using sharding_type::kManual;
using sharding_type::kMaximal;
using sharding_type::kOther;
using sharding_type::kReplicated;
using sharding_type::kTuple;
using sharding_type::kUnknown;
using sharding_type::kUnreduced;
constexpr int64_t kTypeCount = sharding_type::kCount;

// The word for each type in text; empty: none.
constexpr absl::string_view kTypeWords[] = {
    "replicated", "maximal", "", "", "manual", "unknown", "unreduced"};

// --- Text -------------------------------------------------------------------

std::string TypesText(const DimIndices& types) {
  std::string text;
  for (const int64_t type : types) {
    const absl::string_view word =
        type >= 0 && type < kTypeCount && type != kUnknown ? kTypeWords[type]
                                                           : "";
    absl::StrAppend(&text, text.empty() ? "" : ", ",
                    word.empty() ? "error_type." : word);
  }
  return absl::StrCat(" last_tile_dims={", text, "}");
}

// `tiles` is "[2,2]<=[4]", for type kOther.
std::string LeafText(const ArraySharding& leaf, absl::string_view tiles,
                     bool metadata) {
  std::string text = "{";
  if (leaf.type == kOther) {
    absl::StrAppend(&text, "devices=", tiles,
                    leaf.replicate_on_last ? " last_tile_dim_replicate" : "");
    if (!leaf.subgroup_types.empty()) text += TypesText(leaf.subgroup_types);
  } else if (leaf.type == kMaximal) {
    absl::StrAppend(&text, "maximal device=", leaf.device);
  } else {
    absl::StrAppend(&text, kTypeWords[leaf.type]);
  }
  if (leaf.shard_group) {
    absl::StrAppend(&text, leaf.shard_like ? " shard_like " : " shard_as ",
                    *leaf.shard_group);
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

  bool Read(std::string* wire) {
    while (lexer_.token() != Token::kRightBrace) {
      if (!(lexer_.token() == Token::kAttributeName ? ReadAttribute()
                                                    : ReadWord())) {
        return false;
      }
    }
    if (!Make()) return false;
    lexer_.Next();
    *wire = leaf_.ToWire();
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
      leaf_.shard_like = like && (!leaf_.shard_group || leaf_.shard_like);
      int64_t id = 0;
      if (!lexer_.ReadInt(&id)) return false;
      leaf_.shard_group = id;
      return true;
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
      return lexer_.ReadInt(&leaf_.device);
    }
    if (name == "devices") {
      lexer_.Next();
      if (has_tiles_) return lexer_.Error("devices= is given twice");
      has_tiles_ = true;
      return ReadTileAssignment(&lexer_, /*list=*/true, &leaf_.tiles);
    }
    if (name != "last_tile_dims") return lexer_.Expected(kLeafParts);
    lexer_.Next();
    if (!lexer_.Expect(Token::kLeftBrace)) return false;
    while (lexer_.token() != Token::kRightBrace) {
      int64_t type = 0;
      if (!ReadType(&type) || type == kUnknown) {
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
    const bool lists = has_device_ || !leaf_.tiles.devices().empty();
    for (const int64_t type :
         {kReplicated, kMaximal, kManual, kUnknown, kUnreduced}) {
      if (!has_type_[static_cast<size_t>(type)]) continue;
      if (type == kMaximal) {
        if (!has_device_) {
          if (leaf_.tiles.devices().size() != 1) {
            return Error("a maximal sharding needs device=");
          }
          leaf_.device = leaf_.tiles.devices()[0];
        }
      } else if (lists) {
        return Error(absl::StrCat("a sharding that is ", kTypeWords[type],
                                  " has no devices"));
      }
      leaf_.Become(type);
      return true;
    }
    if (!has_tiles_ || has_device_) {
      return Error("a sharding needs devices=, or a word that says what it is");
    }
    leaf_.type = kOther;
    if (!leaf_.tiles.is_iota() && leaf_.tiles.count() == 1) {
      return Error("a tiled sharding needs more than one device");
    }
    if (replicate_) {
      if (!leaf_.subgroup_types.empty()) {
        return Error(
            "last_tile_dim_replicate and last_tile_dims= exclude "
            "each other");
      }
      leaf_.subgroup_types.push_back(kReplicated);
    }
    if (leaf_.subgroup_types.size() > leaf_.tiles.dims().size()) {
      return Error("there are fewer dims of tiles than subgroups");
    }
    return leaf_.MergeSubgroups() ||
           Error(absl::StrCat("these tiles need a list of more than ",
                              TileAssignment::kMaxListed, " devices"));
  }

  Lexer& lexer_;
  const size_t start_;
  ArraySharding leaf_;
  std::array<bool, kTypeCount> has_type_{};
  bool has_device_ = false;
  bool has_tiles_ = false;
  bool replicate_ = false;
};

// Reads from after the "{".
bool ReadLeaf(Lexer* lexer, std::string* wire) {
  if (!AtMesh(*lexer)) return LeafReader(lexer).Read(wire);
  std::string named;
  if (!ReadNamedSharding(lexer, &named)) return false;
  FieldList to(WireMessage::kOpSharding);
  to.SetText(of_sharding::kNamedSharding, named);
  *wire = to.Serialize();
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
  FieldList from(WireMessage::kOpSharding);
  from.Append(wire);
  if (from.has(of_sharding::kNamedSharding)) {
    return NamedShardingText(from.Text(of_sharding::kNamedSharding), metadata);
  }
  ArraySharding leaf;
  leaf.type = from.Number(of_sharding::kType);
  if (leaf.type == kTuple) {
    const auto parts = from.Texts(of_sharding::kTupleShardings);
    std::string text = "{";
    for (size_t i = 0; i < parts.size(); ++i) {
      if (i > 0) text += ", ";
      if (i > 0 && i % 5 == 0) absl::StrAppend(&text, "/*index=", i, "*/");
      text += ShardingText(parts[i], metadata);
    }
    return text + "}";
  }
  for (absl::string_view message : from.Texts(of_sharding::kMetadata)) {
    leaf.metadata.emplace_back(message);
  }
  if (from.Number(of_sharding::kIsShardGroup) != 0) {
    leaf.shard_group = from.Number(of_sharding::kShardGroupId);
    leaf.shard_like = from.Number(of_sharding::kShardGroupType) != 0;
  }
  if (leaf.type < 0 || leaf.type >= kTypeCount) leaf.Become(kUnknown);
  const DimIndices devices = from.Numbers(of_sharding::kTileAssignmentDevices);
  if (leaf.type == kMaximal && !devices.empty()) leaf.device = devices[0];
  if (leaf.type != kOther) return LeafText(leaf, "", metadata);
  if (leaf.ReadTiles(from)) {
    return LeafText(leaf, leaf.tiles.ToString(), metadata);
  }
  // XLA would refuse it; this prints it unchanged.
  leaf.type = kOther;
  leaf.subgroup_types = from.Numbers(of_sharding::kLastTileDims);
  leaf.replicate_on_last =
      from.Number(of_sharding::kReplicateOnLastTileDim) != 0;
  const auto list = [&](uint32_t field) {
    return absl::StrJoin(from.Numbers(field), ",");
  };
  return LeafText(
      leaf,
      absl::StrCat(
          "[", list(of_sharding::kTileAssignmentDimensions), "]",
          from.has(of_sharding::kIotaReshapeDims)
              ? absl::StrCat("<=[", list(of_sharding::kIotaReshapeDims), "]T(",
                             list(of_sharding::kIotaTransposePerm), ")")
              : list(of_sharding::kTileAssignmentDevices)),
      metadata);
}

}  // namespace indim
