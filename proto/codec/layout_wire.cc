// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/codec/layout_wire.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire.h"
#include "indim/proto/wire/wire_fields.h"

namespace indim {
namespace {

using wire_fields::AppendInt;
using wire_fields::AppendNested;
using wire_fields::AppendPacked;
using wire_fields::Bytes;
using wire_fields::ForEachField;
using wire_fields::Malformed;
using wire_fields::ReadInt;
using wire_fields::ReadPacked;
using wire_fields::Varint;

absl::StatusOr<Layout::Tile> ParseTile(absl::string_view wire) {
  Layout::Tile tile;
  absl::Status status = ForEachField(
      "TileProto", wire,
      [&](uint32_t tag, WireReader* reader) -> absl::StatusOr<bool> {
        if (tag != Bytes(field::TileProto::kDimensions)) return false;
        if (!ReadPacked(reader, &tile)) return Malformed("TileProto");
        return true;
      });
  if (!status.ok()) return status;
  for (int64_t size : tile) {
    if (size <= 0 && size != Layout::kCombine) {
      return absl::InvalidArgumentError(
          absl::StrCat("a tile of a layout has the size ", size));
    }
  }
  return tile;
}

absl::StatusOr<Layout::Split> ParseSplit(absl::string_view wire) {
  namespace of = field::SplitConfigProto;
  Layout::Split split;
  absl::Status status = ForEachField(
      "SplitConfigProto", wire,
      [&](uint32_t tag, WireReader* reader) -> absl::StatusOr<bool> {
        const bool read = tag == Varint(of::kDimension)
                              ? ReadInt(reader, &split.dimension)
                          : tag == Bytes(of::kSplitIndices)
                              ? ReadPacked(reader, &split.indices)
                              : false;
        if (!read && (tag == Varint(of::kDimension) ||
                      tag == Bytes(of::kSplitIndices))) {
          return Malformed("SplitConfigProto");
        }
        return read;
      });
  if (!status.ok()) return status;
  return split;
}

absl::Status CheckPermutation(const Layout& layout, int rank) {
  absl::InlinedVector<bool, 8> seen(static_cast<size_t>(rank), false);
  bool valid = layout.minor_to_major.size() == seen.size();
  for (int64_t dim : layout.minor_to_major) {
    if (!valid || dim < 0 || dim >= rank || seen[static_cast<size_t>(dim)]) {
      valid = false;
      break;
    }
    seen[static_cast<size_t>(dim)] = true;
  }
  if (valid) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "minor_to_major of a layout is not a permutation of the shape's ", rank,
      " dimensions"));
}

absl::Status ParseLayoutField(uint32_t tag, WireReader* reader, Layout* layout,
                              bool* known) {
  namespace of = field::LayoutProto;
  *known = true;
  bool read = true;
  absl::string_view bytes;
  int64_t number = 0;
  switch (tag) {
    case Bytes(of::kMinorToMajor):
      read = ReadPacked(reader, &layout->minor_to_major);
      break;
    case Bytes(of::kTiles): {
      if (!reader->ReadLengthDelimited(&bytes)) return Malformed("LayoutProto");
      absl::StatusOr<Layout::Tile> tile = ParseTile(bytes);
      if (!tile.ok()) return tile.status();
      layout->tiles.push_back(*std::move(tile));
      break;
    }
    case Varint(of::kElementSizeInBits):
      read = ReadInt(reader, &layout->element_size_in_bits);
      break;
    case Varint(of::kMemorySpace):
      read = ReadInt(reader, &layout->memory_space);
      break;
    case Bytes(of::kPhysicalShape):
      return absl::InvalidArgumentError("a layout has a physical shape");
    case Varint(of::kIndexPrimitiveType):
    case Varint(of::kPointerPrimitiveType):
      read = ReadInt(reader, &number);
      if (read && number != 0) {
        return absl::InvalidArgumentError(
            "a layout has an index or pointer type");
      }
      break;
    case Varint(of::kDynamicShapeMetadataPrefixBytes):
      read = ReadInt(reader, &layout->dynamic_shape_metadata_prefix_bytes);
      break;
    case Varint(of::kTailPaddingAlignmentInElements):
      read = ReadInt(reader, &layout->tail_padding_alignment_in_elements);
      break;
    case Bytes(of::kSplitConfigs): {
      if (!reader->ReadLengthDelimited(&bytes)) return Malformed("LayoutProto");
      absl::StatusOr<Layout::Split> split = ParseSplit(bytes);
      if (!split.ok()) return split.status();
      layout->splits.push_back(*std::move(split));
      break;
    }
    default:
      *known = false;
  }
  return read ? absl::OkStatus() : Malformed("LayoutProto");
}

}  // namespace

absl::StatusOr<Layout> ParseLayoutProto(absl::string_view wire, int rank) {
  Layout layout;
  layout.tail_padding_alignment_in_elements = 0;
  absl::Status status = ForEachField(
      "LayoutProto", wire,
      [&](uint32_t tag, WireReader* reader) -> absl::StatusOr<bool> {
        bool known;
        absl::Status field = ParseLayoutField(tag, reader, &layout, &known);
        if (!field.ok()) return field;
        return known;
      });
  if (!status.ok()) return status;
  if (layout.tail_padding_alignment_in_elements == 0) {
    layout.tail_padding_alignment_in_elements = 1;
  }
  status = CheckPermutation(layout, rank);
  if (!status.ok()) return status;
  return layout;
}

void AppendLayoutProto(const Layout& layout, std::string* out) {
  namespace of = field::LayoutProto;
  AppendPacked(of::kMinorToMajor, layout.minor_to_major, out);
  for (const Layout::Tile& tile : layout.tiles) {
    AppendNested(of::kTiles, out, [&] {
      AppendPacked(field::TileProto::kDimensions, tile, out);
    });
  }
  AppendInt(of::kElementSizeInBits, layout.element_size_in_bits, out);
  AppendInt(of::kMemorySpace, layout.memory_space, out);
  AppendInt(of::kDynamicShapeMetadataPrefixBytes,
            layout.dynamic_shape_metadata_prefix_bytes, out);
  AppendInt(of::kTailPaddingAlignmentInElements,
            layout.tail_padding_alignment_in_elements, out);
  for (const Layout::Split& split : layout.splits) {
    AppendNested(of::kSplitConfigs, out, [&] {
      AppendInt(field::SplitConfigProto::kDimension, split.dimension, out);
      AppendPacked(field::SplitConfigProto::kSplitIndices, split.indices, out);
    });
  }
}

}  // namespace indim
