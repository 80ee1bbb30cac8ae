// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/proto/wire/wire_oracle.h"

#include <algorithm>
#include <map>

#include "google/protobuf/descriptor.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/stubs/logging.h"
#include "indim/proto/hlo.pb.h"
#include "indim/proto/hlo_config.pb.h"
#include "indim/proto/wire/wire.h"
#include "indim/proto/wire/wire_scalar.h"

namespace indim {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;
using google::protobuf::Message;
using google::protobuf::MessageFactory;
using google::protobuf::Reflection;

void AddDescriptors(const Descriptor* descriptor, const std::string& prefix,
                    std::map<std::string, const Descriptor*>* all) {
  const std::string name = prefix + descriptor->name();
  (*all)[name] = descriptor;
  for (int i = 0; i < descriptor->nested_type_count(); ++i) {
    AddDescriptors(descriptor->nested_type(i), name + "_", all);
  }
}

const std::map<std::string, const Descriptor*>& Descriptors() {
  static const auto* const all = [] {
    google::protobuf::SetLogHandler(
        nullptr);  // it reports every refused string
    auto* map = new std::map<std::string, const Descriptor*>;
    const FileDescriptor* config =
        proto::HloModuleConfigProto::descriptor()->file();
    const FileDescriptor* hlo = proto::HloModuleProto::descriptor()->file();
    const FileDescriptor* data = proto::ShapeProto::descriptor()->file();
    for (const FileDescriptor* file : {config, hlo, data}) {
      for (int i = 0; i < file->message_type_count(); ++i)
        AddDescriptors(file->message_type(i), "", map);
    }
    return map;
  }();
  return *all;
}

// Small, large and special values alike.
uint64_t RandomBits(Random* random) {
  switch (Below(4, random)) {
    case 0:
      return Below(3, random);
    case 1:
      return uint64_t{0} - Below(3, random);
    case 2:
      return (*random)() >> Below(64, random);
    default:
      return uint64_t{1} << Below(64, random);
  }
}

std::string RandomText(Random* random) {
  static constexpr const char* kParts[] = {"a",
                                           "%add.1",
                                           "\xC3\xA4",
                                           "\xE2\x82\xAC",
                                           "\xF0\x9F\x98\x80",
                                           "longer than eight"};
  std::string text;
  for (uint64_t i = Below(4, random); i > 0; --i)
    text += kParts[Below(6, random)];
  return text;
}

double RandomDouble(Random* random) {
  static constexpr double kValues[] = {0.0, -0.0, 1.5, -1e300};
  return kValues[Below(4, random)];
}

// Sets or adds one value.
void FillField(const FieldDescriptor* field, int levels, Random* random,
               Message* message) {
  const Reflection* r = message->GetReflection();
  const uint64_t bits = RandomBits(random);
#define INDIM_FILL(CPPTYPE, Suffix, value)                                  \
  case FieldDescriptor::CPPTYPE:                                            \
    if (field->is_repeated()) return r->Add##Suffix(message, field, value); \
    return r->Set##Suffix(message, field, value)
  switch (field->cpp_type()) {
    INDIM_FILL(CPPTYPE_INT32, Int32, static_cast<int32_t>(bits));
    INDIM_FILL(CPPTYPE_INT64, Int64, static_cast<int64_t>(bits));
    INDIM_FILL(CPPTYPE_UINT32, UInt32, static_cast<uint32_t>(bits));
    INDIM_FILL(CPPTYPE_UINT64, UInt64, bits);
    INDIM_FILL(CPPTYPE_BOOL, Bool, bits % 2 == 1);
    INDIM_FILL(CPPTYPE_ENUM, EnumValue, static_cast<int>(bits));
    INDIM_FILL(CPPTYPE_FLOAT, Float,
               static_cast<float>(RandomDouble(random) / 1e270));
    INDIM_FILL(CPPTYPE_DOUBLE, Double, RandomDouble(random));
    INDIM_FILL(CPPTYPE_STRING, String, RandomText(random));
    case FieldDescriptor::CPPTYPE_MESSAGE:
      break;
  }
#undef INDIM_FILL
  if (levels == 0) return;
  Message* inner = field->is_repeated() ? r->AddMessage(message, field)
                                        : r->MutableMessage(message, field);
  FillAtRandom(levels - 1, random, inner);
}

void AppendRandomUnknown(Random* random, std::string* out) {
  const uint32_t number = OneIn(4, random)
                              ? 536870911
                              : 300 + static_cast<uint32_t>(Below(20, random));
  switch (Below(5, random)) {
    case 0:
      AppendTag(number, WireType::kVarint, out);
      return AppendWideVarint(RandomBits(random),
                              static_cast<int>(Below(11, random)), out);
    case 1:
      AppendTag(number, WireType::kFixed64, out);
      return AppendFixed64((*random)(), out);
    case 2:
      AppendTag(number, WireType::kFixed32, out);
      return AppendFixed32(1, out);
    case 3:
      AppendTag(number, WireType::kLengthDelimited, out);
      return AppendLengthDelimited("\xFF\x01", out);
    default:
      AppendTag(number, WireType::kStartGroup, out);
      while (OneIn(2, random)) AppendRandomUnknown(random, out);
      return AppendTag(number, WireType::kEndGroup, out);
  }
}

// One field on its way through Scramble.
struct Part {
  uint32_t tag;
  std::string value;  // without a length
};

std::vector<Part> Split(absl::string_view bytes) {
  std::vector<Part> parts;
  WireReader reader(bytes);
  uint32_t tag;
  while (!reader.done() && reader.ReadTag(&tag)) {
    Part part{tag, ""};
    const char* start = reader.cursor();
    absl::string_view value;
    if (TagType(tag) == WireType::kLengthDelimited) {
      if (!reader.ReadLengthDelimited(&value)) break;
    } else {
      if (!reader.SkipValue(tag, kMaxWireDepth)) break;
      value = absl::string_view(start,
                                static_cast<size_t>(reader.cursor() - start));
    }
    part.value = std::string(value);
    parts.push_back(part);
  }
  return parts;
}

int RandomWidth(int most, Random* random) {
  return OneIn(8, random) ? static_cast<int>(Below(most + 1, random)) : 0;
}

std::string ScrambleVarint(WireKind kind, uint64_t value, Random* random) {
  // The high half of a 32-bit number doesn't count, nor which bits of a bool
  // are set.
  if (NormalizeVarint(kind, uint64_t{1} << 32) != uint64_t{1} << 32 &&
      OneIn(4, random)) {
    if (kind != WireKind::kBool) value ^= (*random)() << 32;
    if (kind == WireKind::kBool && value != 0)
      value = (*random)() << Below(64, random) | uint64_t{1} << 63;
  }
  std::string out;
  AppendWideVarint(value, RandomWidth(10, random), &out);
  return out;
}

// The elements of a packed field, each scrambled; packed or not, in one record
// or several.
void AppendScrambledList(const WireField& field, absl::string_view bytes,
                         Random* random, std::vector<Part>* parts) {
  const WireType type = ElementWireType(field.kind);
  WireReader reader(bytes);
  bool packed = !OneIn(4, random);
  Part record{MakeTag(field.number, packed ? WireType::kLengthDelimited : type),
              ""};
  while (!reader.done()) {
    const char* start = reader.cursor();
    WireScalar element;
    if (!ReadScalar(field.kind, &reader, &element)) return;
    std::string value(start, static_cast<size_t>(reader.cursor() - start));
    if (type == WireType::kVarint)
      value = ScrambleVarint(field.kind, element.bits, random);
    if (packed && !OneIn(8, random)) {
      record.value += value;
      continue;
    }
    if (packed) parts->push_back(record);
    parts->push_back({MakeTag(field.number, type), value});
    record.value.clear();
  }
  if (packed) parts->push_back(record);
}

void AppendScrambledField(const WireField& field, Part part, Random* random,
                          std::vector<Part>* parts) {
  if (field.label == WireLabel::kPacked &&
      TagType(part.tag) == field.wire_type) {
    return AppendScrambledList(field, part.value, random, parts);
  }
  if (ElementWireType(field.kind) == WireType::kVarint && OneIn(4, random)) {
    WireScalar scalar;
    WireReader reader(part.value);
    if (ReadScalar(field.kind, &reader, &scalar))
      part.value = ScrambleVarint(field.kind, scalar.bits, random);
  }
  if (field.submessage != nullptr) {
    if (field.kind == WireKind::kMessage && OneIn(6, random)) {
      // Two messages for one: merged again where the field is singular.
      const std::vector<Part> inner = Split(part.value);
      const size_t middle = Below(inner.size() + 1, random);
      std::string halves[2];
      for (size_t i = 0; i < inner.size(); ++i) {
        std::string& half = halves[i < middle ? 0 : 1];
        AppendVarint(inner[i].tag, &half);
        if (TagType(inner[i].tag) == WireType::kLengthDelimited)
          AppendVarint(inner[i].value.size(), &half);
        half += inner[i].value;
      }
      for (const std::string& half : halves)
        parts->push_back({part.tag, Scramble(*field.submessage, half, random)});
      return;
    }
    if (!OneIn(3, random))
      part.value = Scramble(*field.submessage, part.value, random);
  }
  parts->push_back(part);
}

}  // namespace

std::vector<WireMessage> MessagesToTest() {
  std::vector<WireMessage> messages;
  for (const WireMessageInfo& info : AllWireMessages()) {
    if (!info.is_map_entry()) messages.push_back(info.message());
  }
  return messages;
}

std::unique_ptr<Message> NewMessage(WireMessage message) {
  const auto found =
      Descriptors().find(std::string(GetWireMessageInfo(message).name()));
  if (found == Descriptors().end()) return nullptr;
  return std::unique_ptr<Message>(
      MessageFactory::generated_factory()->GetPrototype(found->second)->New());
}

std::string DeterministicBytes(const Message& message) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&coded);
  }
  return bytes;
}

std::optional<std::string> Judge(WireMessage message, absl::string_view bytes,
                                 int depth) {
  const std::unique_ptr<Message> parsed = NewMessage(message);
  bool valid;
  if (depth == 0) {
    valid = parsed->ParseFromString(std::string(bytes));
  } else {
    google::protobuf::io::CodedInputStream coded(
        reinterpret_cast<const uint8_t*>(bytes.data()),
        static_cast<int>(bytes.size()));
    coded.SetRecursionLimit(kMaxWireDepth - depth);
    valid =
        parsed->ParseFromCodedStream(&coded) && coded.ConsumedEntireMessage();
  }
  if (!valid) return std::nullopt;
  return DeterministicBytes(*parsed);
}

void FillAtRandom(int levels, Random* random, Message* message) {
  const Descriptor* descriptor = message->GetDescriptor();
  if (descriptor->field_count() == 0) return;
  const int fields = descriptor->field_count();
  for (uint64_t i = Below(2 + std::min(fields, 10), random); i > 0; --i) {
    const FieldDescriptor* field =
        descriptor->field(static_cast<int>(Below(fields, random)));
    for (uint64_t n = field->is_repeated() ? Below(4, random) : 1; n > 0; --n)
      FillField(field, levels, random, message);
  }
}

void AppendWideVarint(uint64_t value, int width, std::string* out) {
  std::string bytes;
  AppendVarint(value, &bytes);
  while (static_cast<int>(bytes.size()) < width) {
    bytes.back() = static_cast<char>(bytes.back() | 0x80);
    bytes.push_back('\0');
  }
  *out += bytes;
}

std::string Scramble(const WireMessageInfo& info, absl::string_view bytes,
                     Random* random) {
  std::vector<Part> parts;
  for (Part& part : Split(bytes)) {
    const WireField* field = info.Find(TagNumber(part.tag));
    if (OneIn(40, random)) continue;
    const int copies = OneIn(10, random) ? 2 : 1;
    for (int i = 0; i < copies; ++i) {
      if (field != nullptr && field->Accepts(TagType(part.tag))) {
        AppendScrambledField(*field, part, random, &parts);
      } else {
        parts.push_back(part);
      }
    }
    // The same number with another wire type is an unknown field.
    if (OneIn(30, random))
      parts.push_back(
          {MakeTag(TagNumber(part.tag), WireType::kFixed32), "1234"});
    if (OneIn(30, random))
      parts.push_back(
          {MakeTag(TagNumber(part.tag), WireType::kVarint), "\x01"});
  }
  if (OneIn(2, random)) std::shuffle(parts.begin(), parts.end(), *random);
  std::string out;
  for (const Part& part : parts) {
    if (OneIn(20, random)) AppendRandomUnknown(random, &out);
    AppendWideVarint(part.tag, RandomWidth(5, random), &out);
    if (TagType(part.tag) == WireType::kLengthDelimited) {
      AppendWideVarint(part.value.size(), RandomWidth(5, random), &out);
    }
    out += part.value;
  }
  if (OneIn(20, random)) AppendRandomUnknown(random, &out);
  return out;
}

std::string ChangeOneField(const WireMessageInfo& info, absl::string_view bytes,
                           FieldChange change, int* place) {
  std::string out;
  for (Part& part : Split(bytes)) {
    const bool is_it = (*place)-- == 0;
    const auto is = [&](FieldChange c) { return is_it && change == c; };
    const auto append = [&](uint64_t value, bool is_wide, std::string* to) {
      std::string minimal;
      AppendVarint(value, &minimal);
      const size_t width = minimal.size() + (is_wide ? 1 : 0);
      AppendWideVarint(value, static_cast<int>(width), to);
    };
    const WireType type = TagType(part.tag);
    const WireField* field = info.Find(TagNumber(part.tag));
    std::string one;
    if (is(FieldChange::kUnknownFirst)) one = "\xa0\x3f\x05";  // number 1012
    if (is(FieldChange::kOtherType)) {
      const bool is_varint = type == WireType::kVarint;
      AppendTag(TagNumber(part.tag),
                is_varint ? WireType::kFixed32 : WireType::kVarint, &one);
      one += is_varint ? "1234" : "\x01";
    }
    append(part.tag, is(FieldChange::kWideTag), &one);
    if (type == WireType::kLengthDelimited) {
      if (!is_it && field != nullptr && field->submessage != nullptr) {
        part.value =
            ChangeOneField(*field->submessage, part.value, change, place);
      }
      append(part.value.size(), is(FieldChange::kWideValue), &one);
    } else if (type == WireType::kVarint && is(FieldChange::kWideValue)) {
      if (part.value.size() < 10) {
        part.value.back() = static_cast<char>(part.value.back() | 0x80);
        part.value += '\0';
      }
    }
    one += part.value;
    if (is(FieldChange::kTwice)) one += one;
    out = is(FieldChange::kFirst) ? one + out : out + one;
  }
  return out;
}

std::string Damage(absl::string_view bytes, Random* random) {
  std::string out(bytes);
  for (uint64_t i = 1 + Below(3, random); i > 0 && !out.empty(); --i) {
    const size_t at = Below(out.size(), random);
    const size_t length =
        std::min<size_t>(out.size() - at, 1 + Below(8, random));
    switch (Below(5, random)) {
      case 0:
        out[at] = static_cast<char>(out[at] ^ 1 << Below(8, random));
        break;
      case 1:
        out[at] = static_cast<char>((*random)());
        break;
      case 2:
        out.erase(at, length);
        break;
      case 3:
        out.insert(Below(out.size(), random), out.substr(at, length));
        break;
      default:
        out.resize(at);
    }
  }
  return out;
}

}  // namespace indim
