// SPDX-License-Identifier: Apache-2.0
#include "indim/run/saved.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "indim/proto/wire/wire.h"
#include "indim/proto/wire/wire_fields.h"
#include "indim/shape/types/shape_parts.h"

namespace indim::pjrt {
namespace {

using wire_fields::AppendBytes;
using wire_fields::Unpack;

// A message of length-delimited fields, the magic first.
constexpr absl::string_view kMagic = "indim executable 1";
enum SavedField : uint32_t {
  kMagicField = 1,
  kMadeBy = 2,
  kParameter = 3,  // shapes as texts
  kResult = 4,
  kInputName = 5,
  kInputShape = 6,
  kOutputName = 7,
  kOutputShape = 8,
  kPartitions = 9,
  kBytes = 10,
  kInputTiles = 11,  // packed numbers of the port before, where it is cut
  kInputTileOf = 12,
  kOutputTiles = 13,
  kOutputTileOf = 14,
  kOutputOwner = 15,  // the device that has it whole, where it isn't the first
};

bool ReadShape(absl::string_view text, Shape* shape) {
  absl::StatusOr<Shape> read = ParseShape(text);
  if (!read.ok()) return false;
  *shape = *std::move(read);
  return true;
}

std::string Pack(absl::Span<const int64_t> numbers) {
  std::string packed;
  for (const int64_t number : numbers) {
    AppendVarint(static_cast<uint64_t>(number), &packed);
  }
  return packed;
}

bool AddPort(absl::string_view name, std::vector<Port>* ports) {
  ports->push_back({std::string(name), Shape(), {}});
  return true;
}

// A tiling that Cut and Assemble can use.
bool IsTilingOf(const Port& port, int64_t partitions) {
  const Tiling& tiling = port.tiling;
  if (tiling.owner < 0 || tiling.owner >= partitions) return false;
  if (tiling.is_whole()) return tiling.tile_of.empty();
  if (!port.shape.is_static() ||
      tiling.tiles.size() != static_cast<size_t>(port.shape.rank()) ||
      tiling.tile_of.size() != static_cast<size_t>(partitions)) {
    return false;
  }
  const std::optional<int64_t> tiles = ProductOfSizes(tiling.tiles);
  for (const int64_t tile : tiling.tile_of) {
    if (!tiles || tile < 0 || tile >= *tiles) return false;
  }
  return true;
}

// What belongs to the last port.
bool ReadOfPort(uint32_t field, absl::string_view text, Interface* interface) {
  const bool is_input =
      field == kInputShape || field == kInputTiles || field == kInputTileOf;
  std::vector<Port>& ports = is_input ? interface->inputs : interface->outputs;
  if (ports.empty()) return false;
  Port& port = ports.back();
  switch (field) {
    case kInputShape:
    case kOutputShape:
      return ReadShape(text, &port.shape);
    case kInputTiles:
    case kOutputTiles:
      return Unpack(text, &port.tiling.tiles);
    case kInputTileOf:
    case kOutputTileOf:
      return Unpack(text, &port.tiling.tile_of);
    case kOutputOwner:
      return absl::SimpleAtoi(text, &port.tiling.owner);
    default:
      return false;
  }
}

bool ReadField(uint32_t field, absl::string_view text, Saved* saved) {
  Interface& interface = saved->interface;
  switch (field) {
    case kMagicField:
      return text == kMagic;
    case kMadeBy:
      saved->made_by = std::string(text);
      return true;
    case kParameter:
      return ReadShape(text, &interface.parameters.emplace_back());
    case kResult:
      return ReadShape(text, &interface.result);
    case kInputName:
      return AddPort(text, &interface.inputs);
    case kOutputName:
      return AddPort(text, &interface.outputs);
    case kPartitions:
      return absl::SimpleAtoi(text, &saved->partitions);
    case kBytes:
      saved->bytes = text;
      return true;
    default:
      return ReadOfPort(field, text, &interface);
  }
}

// How many arrays a shape has.
size_t ArrayCount(const Shape& shape) {
  size_t count = 0;
  ForEachLeaf(shape,
              [&](const Shape& leaf) { count += leaf.is_token() ? 0 : 1; });
  return count;
}

bool FitTogether(const Saved& saved) {
  const Interface& interface = saved.interface;
  size_t inputs = 0;
  for (const Shape& shape : interface.parameters) inputs += ArrayCount(shape);
  const auto are_cut_well = [&saved](const std::vector<Port>& ports) {
    return std::all_of(ports.begin(), ports.end(), [&saved](const Port& port) {
      return IsTilingOf(port, saved.partitions);
    });
  };
  return !interface.result.is_none() && saved.partitions >= 1 &&
         inputs == interface.inputs.size() &&
         ArrayCount(interface.result) == interface.outputs.size() &&
         are_cut_well(interface.inputs) && are_cut_well(interface.outputs) &&
         !saved.bytes.empty();
}

}  // namespace

std::string WriteSaved(const Saved& saved) {
  const Interface& interface = saved.interface;
  std::string out;
  AppendBytes(kMagicField, kMagic, &out);
  AppendBytes(kMadeBy, saved.made_by, &out);
  for (const Shape& shape : interface.parameters) {
    AppendBytes(kParameter, shape.ToString(), &out);
  }
  AppendBytes(kResult, interface.result.ToString(), &out);
  for (const Port& port : interface.inputs) {
    AppendBytes(kInputName, port.name, &out);
    AppendBytes(kInputShape, port.shape.ToString(), &out);
    if (port.tiling.is_whole()) continue;
    AppendBytes(kInputTiles, Pack(port.tiling.tiles), &out);
    AppendBytes(kInputTileOf, Pack(port.tiling.tile_of), &out);
  }
  for (const Port& port : interface.outputs) {
    AppendBytes(kOutputName, port.name, &out);
    AppendBytes(kOutputShape, port.shape.ToString(), &out);
    if (port.tiling.owner != 0) {
      AppendBytes(kOutputOwner, absl::StrCat(port.tiling.owner), &out);
    }
    if (port.tiling.is_whole()) continue;
    AppendBytes(kOutputTiles, Pack(port.tiling.tiles), &out);
    AppendBytes(kOutputTileOf, Pack(port.tiling.tile_of), &out);
  }
  AppendBytes(kPartitions, absl::StrCat(saved.partitions), &out);
  AppendBytes(kBytes, saved.bytes, &out);
  return out;
}

bool ReadSaved(absl::string_view serialized, Saved* saved) {
  bool is_first = true;
  const bool read = wire_fields::AllRecords(
      serialized, [&](const wire_fields::Record& record) {
        const uint32_t number = TagNumber(record.tag);
        if (is_first && number != kMagicField) return false;
        is_first = false;
        return TagType(record.tag) == WireType::kLengthDelimited &&
               ReadField(number, record.value, saved);
      });
  return read && !is_first && FitTogether(*saved);
}

}  // namespace indim::pjrt
