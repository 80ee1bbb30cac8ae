#include "indim/pjrt/saved.h"

#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "indim/wire/wire.h"

namespace indim {
namespace pjrt {
namespace {

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
  kDeviceInput = 9,  // shapes of what is given to a device
  kBytes = 10,
};

void Append(uint32_t field, absl::string_view bytes, std::string* out) {
  AppendTag(field, WireType::kLengthDelimited, out);
  AppendLengthDelimited(bytes, out);
}

bool ReadShape(absl::string_view text, Shape* shape) {
  absl::StatusOr<Shape> read = ParseShape(text);
  if (!read.ok()) return false;
  *shape = *std::move(read);
  return true;
}

// The next port's name, or the shape of the last one.
bool ReadPort(bool is_name, absl::string_view text, std::vector<Port>* ports) {
  if (is_name) {
    ports->push_back({std::string(text), Shape()});
    return true;
  }
  return !ports->empty() && ReadShape(text, &ports->back().shape);
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
    case kInputShape:
      return ReadPort(field == kInputName, text, &interface.inputs);
    case kOutputName:
    case kOutputShape:
      return ReadPort(field == kOutputName, text, &interface.outputs);
    case kDeviceInput:
      return ReadShape(text, &saved->device_inputs.emplace_back());
    case kBytes:
      saved->bytes = text;
      return true;
    default:
      return false;
  }
}

// How many arrays a shape has.
size_t LeafCount(const Shape& shape) {
  if (!shape.is_tuple()) return 1;
  size_t count = 0;
  for (const Shape& element : shape.elements()) count += LeafCount(element);
  return count;
}

bool FitTogether(const Saved& saved) {
  const Interface& interface = saved.interface;
  size_t inputs = 0;
  for (const Shape& shape : interface.parameters) inputs += LeafCount(shape);
  return !interface.result.is_none() && inputs == interface.inputs.size() &&
         LeafCount(interface.result) == interface.outputs.size() &&
         (saved.device_inputs.empty() ||
          saved.device_inputs.size() == inputs) &&
         !saved.bytes.empty();
}

}  // namespace

std::string WriteSaved(const Saved& saved) {
  const Interface& interface = saved.interface;
  std::string out;
  Append(kMagicField, kMagic, &out);
  Append(kMadeBy, saved.made_by, &out);
  for (const Shape& shape : interface.parameters) {
    Append(kParameter, shape.ToString(), &out);
  }
  Append(kResult, interface.result.ToString(), &out);
  for (const Port& port : interface.inputs) {
    Append(kInputName, port.name, &out);
    Append(kInputShape, port.shape.ToString(), &out);
  }
  for (const Port& port : interface.outputs) {
    Append(kOutputName, port.name, &out);
    Append(kOutputShape, port.shape.ToString(), &out);
  }
  for (const Shape& shape : saved.device_inputs) {
    Append(kDeviceInput, shape.ToString(), &out);
  }
  Append(kBytes, saved.bytes, &out);
  return out;
}

bool ReadSaved(absl::string_view serialized, Saved* saved) {
  WireReader reader(serialized);
  bool is_first = true;
  while (!reader.done()) {
    uint32_t tag = 0;
    absl::string_view text;
    if (!reader.ReadTag(&tag) || TagType(tag) != WireType::kLengthDelimited ||
        (is_first && TagNumber(tag) != kMagicField) ||
        !reader.ReadLengthDelimited(&text) ||
        !ReadField(TagNumber(tag), text, saved)) {
      return false;
    }
    is_first = false;
  }
  return !is_first && FitTogether(*saved);
}

}  // namespace pjrt
}  // namespace indim
