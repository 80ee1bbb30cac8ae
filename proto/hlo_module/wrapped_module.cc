// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/hlo_module/wrapped_module.h"

#include <cstddef>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "indim/proto/codec/literal_proto.h"
#include "indim/proto/hlo_module/module_reader.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/proto/wire/canonical.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/printable.h"
#include "indim/proto/wire/wire.h"
#include "indim/proto/wire/wire_fields.h"
#include "indim/proto/wire/wire_table.h"

namespace indim {
namespace {

using wire_fields::AllRecords;
using wire_fields::Record;

// Field 1 of every wrapper: the module, or the message around it.
constexpr uint32_t kInner = MakeTag(1, WireType::kLengthDelimited);
constexpr uint32_t kComputationsTag =
    MakeTag(field::HloModuleProto::kComputations, WireType::kLengthDelimited);
constexpr uint32_t kInstructionsTag = MakeTag(
    field::HloComputationProto::kInstructions, WireType::kLengthDelimited);
// Field 2: HloModuleProtoWithConfig.config, HloUnoptimizedSnapshot.partitions.
constexpr uint32_t kSecond = MakeTag(2, WireType::kLengthDelimited);
constexpr uint32_t kVersion = MakeTag(3, WireType::kVarint);

constexpr uint64_t kTwoGib = uint64_t{1} << 31;

bool HasInstructions(absl::string_view computation) {
  bool found = false;
  const auto any = [](const Record&) { return true; };
  return AllRecords(computation,
                    [&](const Record& record) {
                      if (record.tag != kInstructionsTag) return true;
                      found = true;
                      return AllRecords(record.value, any);
                    }) &&
         found;
}

// Whether `bytes` are a module with instructions. It looks only at the first
// computation: other bytes fail there, and reading checks the whole module.
bool HasComputations(absl::string_view bytes) {
  bool found = false;
  bool good = true;
  const bool fields = AllRecords(bytes, [&](const Record& record) {
    if (TagNumber(record.tag) <= 3 &&
        TagType(record.tag) != WireType::kLengthDelimited) {
      return false;
    }
    if (record.tag == kComputationsTag && !found) {
      found = true;
      good = HasInstructions(record.value);
    }
    return good;
  });
  return fields && found;
}

// The only field 1 of a message; nullopt: there is none or several, or it has
// no length.
std::optional<absl::string_view> Inner(absl::string_view bytes) {
  std::optional<absl::string_view> inner;
  bool one = true;
  const bool fields = AllRecords(bytes, [&](const Record& record) {
    if (TagNumber(record.tag) != 1) return true;
    one = record.tag == kInner && !inner.has_value();
    inner = record.value;
    return one;
  });
  if (!fields || !one) return std::nullopt;
  return inner;
}

// The message with its module in field 1, determined by its other fields.
WrapperKind DirectWrapper(absl::string_view bytes) {
  int seconds = 0;
  bool version = false;
  AllRecords(bytes, [&](const Record& record) {
    seconds += record.tag == kSecond ? 1 : 0;
    version = version || record.tag == kVersion;
    return true;
  });
  if (version || seconds > 1) return WrapperKind::kUnoptimizedSnapshot;
  return seconds == 1 ? WrapperKind::kWithConfig : WrapperKind::kHloProto;
}

WireMessage MessageOf(WrapperKind kind) {
  switch (kind) {
    case WrapperKind::kHloProto:
      return WireMessage::kHloProto;
    case WrapperKind::kWithConfig:
      return WireMessage::kHloModuleProtoWithConfig;
    case WrapperKind::kSnapshot:
      return WireMessage::kHloSnapshot;
    case WrapperKind::kUnoptimizedSnapshot:
      return WireMessage::kHloUnoptimizedSnapshot;
    default:
      return WireMessage::kNone;
  }
}

// The wrapper's fields except the module.
FieldList FieldsOf(const ModuleWrapper& wrapper, std::string* kept) {
  // Canonical, as when the wrapper was read.
  *kept = Canonicalize(MessageOf(wrapper.kind()), wrapper.WrapMessage(""))
              .value_or("");
  FieldList fields(MessageOf(wrapper.kind()));
  fields.Append(*kept);
  return fields;
}

std::string Counted(size_t count, absl::string_view what) {
  return absl::StrCat(count, " ", what, count == 1 ? "" : "s");
}

}  // namespace

// Removes wrappers.
class WrapperReader {
 public:
  static absl::StatusOr<UnwrappedBytes> Read(absl::string_view bytes) {
    UnwrappedBytes result;
    result.module = bytes;
    ModuleWrapper& wrapper = result.wrapper;
    const absl::string_view file = bytes;
    const std::optional<absl::string_view> delimited = Delimited(bytes);
    if (delimited.has_value()) bytes = *delimited;
    const std::optional<absl::string_view> inner = Inner(bytes);
    if (!inner.has_value()) return result;
    const std::optional<absl::string_view> innermost = Inner(*inner);
    if (innermost.has_value() && HasComputations(*innermost)) {
      wrapper.kind_ = WrapperKind::kSnapshot;
      wrapper.levels_ = {Around(*inner, *innermost), Around(bytes, *inner)};
      result.module = *innermost;
    } else if (HasComputations(*inner)) {
      wrapper.kind_ = delimited.has_value() ? WrapperKind::kUnoptimizedSnapshot
                                            : DirectWrapper(bytes);
      wrapper.levels_ = {Around(bytes, *inner)};
      result.module = *inner;
    }
    const WireMessage message = MessageOf(wrapper.kind_);
    if (message == WireMessage::kNone) return result;
    // Checks the wrapper with an empty module in it.
    const absl::StatusOr<std::string> rest =
        Canonicalize(message, wrapper.Wrap(""));
    if (!rest.ok()) return rest.status();
    if (delimited.has_value()) {
      wrapper.delimited_ = true;
      wrapper.tail_.assign(bytes.data() + bytes.size(),
                           file.data() + file.size());
    }
    if (wrapper.kind_ == WrapperKind::kWithConfig) {
      ReadCounts(*rest, &wrapper);
    }
    return result;
  }

 private:
  // The message in XLA's special form of an HloUnoptimizedSnapshot; nullopt:
  // `bytes` aren't one, or are a message that doesn't need it.
  static std::optional<absl::string_view> Delimited(absl::string_view bytes) {
    WireReader reader(bytes);
    absl::string_view message;
    if (!reader.ReadLengthDelimited(&message)) return std::nullopt;
    const std::optional<absl::string_view> inner = Inner(message);
    if (!inner.has_value() || !HasComputations(*inner)) return std::nullopt;
    if (DirectWrapper(message) == WrapperKind::kHloProto) return std::nullopt;
    return HasComputations(bytes) ? std::nullopt : std::make_optional(message);
  }

  // Sets the device counts; `canonical` is an HloModuleProtoWithConfig.
  static void ReadCounts(absl::string_view canonical, ModuleWrapper* wrapper) {
    FieldList fields(WireMessage::kHloModuleProtoWithConfig, canonical);
    wrapper->devices_ =
        ReadDeviceCounts(fields.Text(field::HloModuleProtoWithConfig::kConfig));
  }

  // The bytes before and after the field that holds `inner`.
  static ModuleWrapper::Level Around(absl::string_view bytes,
                                     absl::string_view inner) {
    // Finds field 1 again, for the position of its tag.
    const char* start = bytes.data();
    AllRecords(bytes, [&](const Record& record) {
      start = record.bytes.data();
      return TagNumber(record.tag) != 1;
    });
    ModuleWrapper::Level level;
    level.before.assign(bytes.data(), start);
    level.after.assign(inner.data() + inner.size(),
                       bytes.data() + bytes.size());
    return level;
  }
};

absl::string_view Name(WrapperKind kind) {
  switch (kind) {
    case WrapperKind::kNone:
      return "HloModuleProto";
    case WrapperKind::kHloProto:
      return "HloProto";
    case WrapperKind::kWithConfig:
      return "HloModuleProtoWithConfig";
    case WrapperKind::kSnapshot:
      return "HloSnapshot";
    case WrapperKind::kUnoptimizedSnapshot:
      return "HloUnoptimizedSnapshot";
  }
  return "";
}

ModuleWrapper::Around ModuleWrapper::AroundModule(uint64_t size) const {
  Around around;
  for (const Level& level : levels_) {
    std::string before = level.before;
    AppendVarint(kInner, &before);
    AppendVarint(size, &before);
    size += before.size() + level.after.size();
    around.before.insert(0, before);
    around.after += level.after;
  }
  if (delimited_) {
    std::string length;
    AppendVarint(size, &length);
    around.before.insert(0, length);
    around.after += tail_;
  }
  return around;
}

std::string ModuleWrapper::Wrap(absl::string_view module) const {
  const Around around = AroundModule(module.size());
  return absl::StrCat(around.before, module, around.after);
}

std::string ModuleWrapper::WrapMessage(absl::string_view module) const {
  ModuleWrapper message = *this;
  message.delimited_ = false;
  message.tail_.clear();
  return message.Wrap(module);
}

std::vector<std::string> PartsBesideModule(const ModuleWrapper& wrapper) {
  std::vector<std::string> parts;
  if (wrapper.kind() == WrapperKind::kNone) return parts;
  std::string kept;
  const FieldList fields = FieldsOf(wrapper, &kept);
  switch (wrapper.kind()) {
    case WrapperKind::kHloProto:
      if (fields.has(field::HloProto::kBufferAssignment)) {
        parts.push_back("the assignment of buffers");
      }
      break;
    case WrapperKind::kWithConfig:
      if (fields.has(field::HloModuleProtoWithConfig::kConfig)) {
        parts.push_back("the configuration");
      }
      break;
    case WrapperKind::kSnapshot: {
      namespace of = field::HloSnapshot;
      const size_t arguments = fields.Texts(of::kArguments).size();
      if (arguments > 0) parts.push_back(Counted(arguments, "argument"));
      if (fields.has(of::kResult)) parts.push_back("the result");
      if (fields.has(of::kExecutionPlatform)) {
        parts.push_back(
            absl::StrCat("the platform \"",
                         Printable(fields.Text(of::kExecutionPlatform)), "\""));
      }
      break;
    }
    case WrapperKind::kUnoptimizedSnapshot: {
      const size_t partitions =
          fields.Texts(field::HloUnoptimizedSnapshot::kPartitions).size();
      if (partitions > 0) {
        parts.push_back(absl::StrCat("the arguments of ",
                                     Counted(partitions, "partition")));
      }
      break;
    }
    case WrapperKind::kNone:
      break;
  }
  return parts;
}

absl::StatusOr<RecordedRun> ReadRecordedRun(const ModuleWrapper& wrapper) {
  RecordedRun run;
  if (!wrapper.tail().empty()) {
    return absl::UnimplementedError(
        "the arguments that follow an HloUnoptimizedSnapshot aren't read");
  }
  const bool is_snapshot = wrapper.kind() == WrapperKind::kSnapshot;
  if (!is_snapshot && wrapper.kind() != WrapperKind::kUnoptimizedSnapshot) {
    return run;
  }
  std::string kept;
  const FieldList fields = FieldsOf(wrapper, &kept);
  FieldList partition(WireMessage::kHloInputs);
  if (!is_snapshot) {
    partition.Append(fields.Text(field::HloUnoptimizedSnapshot::kPartitions));
  }
  for (const absl::string_view wire :
       is_snapshot ? fields.Texts(field::HloSnapshot::kArguments)
                   : partition.Texts(field::HloInputs::kArguments)) {
    absl::StatusOr<Literal> argument = ParseLiteralProto(wire);
    if (!argument.ok()) return argument.status();
    run.arguments.push_back(*std::move(argument));
  }
  if (is_snapshot && fields.has(field::HloSnapshot::kResult)) {
    absl::StatusOr<Literal> result =
        ParseLiteralProto(fields.Text(field::HloSnapshot::kResult));
    if (!result.ok()) return result.status();
    run.result = *std::move(result);
  }
  return run;
}

absl::StatusOr<UnwrappedBytes> UnwrapModuleProto(absl::string_view bytes) {
  return WrapperReader::Read(bytes);
}

absl::StatusOr<WrappedModule> ReadAnyModuleProto(absl::string_view bytes) {
  auto copy = std::make_shared<const std::string>(bytes);
  const absl::string_view view = *copy;
  return ReadAnyModuleProto(view, std::move(copy));
}

absl::StatusOr<WrappedModule> ReadAnyModuleProto(
    absl::string_view bytes, std::shared_ptr<const void> owner) {
  absl::StatusOr<UnwrappedBytes> unwrapped = UnwrapModuleProto(bytes);
  if (!unwrapped.ok()) return unwrapped.status();
  absl::StatusOr<Module> module =
      ReadHloModuleProto(unwrapped->module, std::move(owner));
  if (!module.ok()) {
    if (unwrapped->wrapper.kind() == WrapperKind::kNone) return module.status();
    return absl::Status(module.status().code(),
                        absl::StrCat("in its ", Name(unwrapped->wrapper.kind()),
                                     ": ", module.status().message()));
  }
  return WrappedModule{*std::move(module), std::move(unwrapped->wrapper)};
}

absl::StatusOr<std::string> SerializeWrapped(const Module& module,
                                             const ModuleWrapper& wrapper,
                                             bool allow_over_2gib) {
  SerializeOptions options;
  options.allow_over_2gib = allow_over_2gib;
  if (wrapper.kind() == WrapperKind::kNone) {
    return SerializeModule(module, options);
  }
  const absl::StatusOr<BytePieces> pieces =
      SerializeWrappedInPieces(module, wrapper, options);
  if (!pieces.ok()) return pieces.status();
  return pieces->ToString();
}

absl::StatusOr<BytePieces> SerializeWrappedInPieces(
    const Module& module, const ModuleWrapper& wrapper,
    const SerializeOptions& options) {
  absl::StatusOr<BytePieces> inner = SerializeInPieces(module, options);
  if (!inner.ok() || wrapper.kind() == WrapperKind::kNone) return inner;
  ModuleWrapper::Around around = wrapper.AroundModule(inner->size());
  BytePieces file;
  file.AppendOwned(std::move(around.before));
  file.AppendAll(*inner);
  file.AppendOwned(std::move(around.after));
  if (file.size() >= kTwoGib && !options.allow_over_2gib) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the ", Name(wrapper.kind()), " takes ", file.size(),
                     " bytes; protobuf reads less than 2 GiB"));
  }
  return file;
}

}  // namespace indim
