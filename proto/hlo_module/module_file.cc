// SPDX-License-Identifier: Apache-2.0
#include "indim/proto/hlo_module/module_file.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/module_access.h"
#include "indim/ir/module_data.h"
#include "indim/ir/storage/byte_pieces.h"
#include "indim/ir/storage/checksum.h"
#include "indim/ir/storage/external_files.h"
#include "indim/ir/storage/file.h"
#include "indim/proto/codec/literal.h"
#include "indim/proto/codec/literal_wire.h"
#include "indim/proto/hlo_module/external_constants.h"
#include "indim/proto/hlo_module/module_serializer.h"
#include "indim/proto/hlo_module/wrapped_module.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"

namespace indim {
namespace {

using field::HloInstructionProto::kLiteral;
using field::LiteralProto::kExternal;
using field::LiteralProto::kSplat;

constexpr uint64_t kAlignment = 64;

std::string FileNameOf(absl::string_view path) {
  const std::string resolved = ResolvedPath(path);
  return resolved.substr(resolved.rfind('/') + 1);
}

// The single element that all elements of inline `values` equal, in the
// encoding of the values' field; empty: they differ, or there is only one.
absl::string_view CommonElement(const StoredValues& values) {
  const absl::string_view bytes = values.bytes;
  size_t unit = static_cast<size_t>(ElementBytes(values.shape.element_type()));
  if (HasVarints(*values.field)) {
    WireReader reader(bytes);
    uint64_t first;
    if (!reader.ReadVarint(&first)) return {};
    unit = bytes.size() - reader.remaining();
  }
  const int64_t count = values.shape.ElementCount().value_or(0);
  if (count < 2 || PayloadSize(count, unit) != bytes.size() ||
      bytes.substr(unit) != bytes.substr(0, bytes.size() - unit)) {
    return {};
  }
  return bytes.substr(0, unit);
}

// Writes the file of values.
class ValuesFile {
 public:
  // The values are those of the module in `path`.
  explicit ValuesFile(absl::string_view path) : path_(path) {}

  // Adds values, whose position Reference() then gives. `files` are the files
  // with the module's present external values.
  absl::Status Add(const StoredValues& values, const ExternalFiles* files);
  bool empty() const { return !file_.has_value(); }
  // Call it after the last Add.
  std::string Name() const;
  absl::Status Commit();

  // ExternalValues of each Add, in order.
  std::vector<std::string> References() const;

 private:
  struct Range {
    uint64_t offset;
    uint64_t size;
    uint64_t checksum;
  };
  absl::Status Write(absl::string_view bytes);

  const std::string path_;
  std::optional<FileWriter> file_;
  uint64_t size_ = 0;
  std::vector<Range> ranges_;
};

absl::Status ValuesFile::Write(absl::string_view bytes) {
  size_ += bytes.size();
  return file_->Write(bytes);
}

absl::Status ValuesFile::Add(const StoredValues& values,
                             const ExternalFiles* files) {
  if (!file_.has_value()) {
    absl::StatusOr<FileWriter> file =
        FileWriter::Open(absl::StrCat(ResolvedPath(path_), ".data"));
    if (!file.ok()) return file.status();
    file_.emplace(*std::move(file));
  }
  const uint64_t padding = (kAlignment - size_ % kAlignment) % kAlignment;
  absl::Status status = Write(std::string(static_cast<size_t>(padding), '\0'));
  if (!status.ok()) return status;
  Range& range = ranges_.emplace_back(Range{size_, values.size, 0});
  if (values.kind == StoredValues::Kind::kExternal) {
    const absl::StatusOr<CheckedRange> from = ExternalRange(values, files);
    if (!from.ok()) return from.status();
    range.checksum = from->checksum;
    return ForEachChunk(
        *from, [this](absl::string_view chunk) { return Write(chunk); });
  }
  Checksum checksum;
  checksum.Add(values.bytes);
  range.checksum = checksum.value();
  return Write(values.bytes);
}

std::string ValuesFile::Name() const {
  Checksum all;
  for (const Range& range : ranges_) {
    std::string text;
    AppendFixed64(range.size, &text);
    AppendFixed64(range.checksum, &text);
    all.Add(text);
  }
  return absl::StrCat(FileNameOf(path_), ".",
                      absl::Hex(all.value(), absl::kZeroPad16), ".data");
}

std::vector<std::string> ValuesFile::References() const {
  namespace of = field::ExternalValues;
  std::vector<std::string> references;
  const std::string name = Name();
  for (const Range& range : ranges_) {
    FieldList external(WireMessage::kExternalValues);
    external.SetText(of::kFile, name);
    external.SetNumber(of::kOffset, static_cast<int64_t>(range.offset));
    external.SetNumber(of::kSize, static_cast<int64_t>(range.size));
    external.SetNumber(of::kChecksum, static_cast<int64_t>(range.checksum));
    references.push_back(external.Serialize());
  }
  return references;
}

absl::Status ValuesFile::Commit() {
  return file_->CommitAs(absl::StrCat(internal::FolderOf(path_), Name()));
}

// Where a literal's values go.
enum class Destination : uint8_t { kAsTheyAre, kSplat, kOutside };
Destination DestinationOf(const StoredValues& values, uint64_t min_bytes) {
  switch (values.kind) {
    case StoredValues::Kind::kSplat:
      return Destination::kAsTheyAre;
    case StoredValues::Kind::kExternal:
      return Destination::kOutside;
    case StoredValues::Kind::kInline:
      break;
  }
  if (values.size < min_bytes) return Destination::kAsTheyAre;
  return CommonElement(values).empty() ? Destination::kOutside
                                       : Destination::kSplat;
}

// Makes the module with large literals in compact form.
class Externalizer {
 public:
  Externalizer(const Module& module, uint64_t min_bytes, ValuesFile* file)
      : module_(module),
        min_bytes_(min_bytes),
        files_(internal::DataOf(module).pools->external_files()),
        file_(*file) {}

  absl::StatusOr<Module> Run();

 private:
  absl::Status Collect();
  absl::StatusOr<std::string> Replaced(absl::string_view literal);

  const Module& module_;
  const uint64_t min_bytes_;
  const ExternalFiles* const files_;
  ValuesFile& file_;
  // The literals that may change, in the order of their first instructions.
  std::vector<AttributeBytesId> attribute_bytes_;
  std::vector<std::string> references_;
  size_t next_reference_ = 0;
};

// Writes the external values.
absl::Status Externalizer::Collect() {
  const ModuleData& data = internal::DataOf(module_);
  std::vector<bool> seen(data.pools->attribute_bytes_count());
  for (const InstructionRecord& record : data.instructions) {
    if (seen[record.attribute_bytes.value]) continue;
    seen[record.attribute_bytes.value] = true;
    const absl::string_view literal = AttributeBytesField(
        data.pools->attribute_bytes(record.attribute_bytes), kLiteral);
    if (literal.empty() ||
        (literal.size() < min_bytes_ && !IsCompactLiteral(literal))) {
      continue;
    }
    attribute_bytes_.push_back(record.attribute_bytes);
    if (PlainLiteralSize(literal) < min_bytes_) continue;
    absl::Status status;
    ForEachValues(literal, [&](const StoredValues& values) {
      if (DestinationOf(values, min_bytes_) == Destination::kOutside) {
        status = file_.Add(values, files_);
      }
      return status.ok();
    });
    if (!status.ok())
      return internal::AtAttributeBytes(module_, record.attribute_bytes,
                                        status);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> Externalizer::Replaced(absl::string_view literal) {
  if (PlainLiteralSize(literal) < min_bytes_) {
    return PlainLiteral(literal, files_);
  }
  return ReplaceValues(
      literal,
      [&](const StoredValues& values) -> absl::StatusOr<ReplacedValues> {
        switch (DestinationOf(values, min_bytes_)) {
          case Destination::kSplat:
            return ReplacedValues{kSplat, std::string(CommonElement(values))};
          case Destination::kOutside:
            return ReplacedValues{kExternal, references_[next_reference_++]};
          case Destination::kAsTheyAre:
            break;
        }
        return ReplacedValues{};
      });
}

absl::StatusOr<Module> Externalizer::Run() {
  absl::Status status = Collect();
  if (!status.ok()) return status;
  references_ = file_.References();
  std::shared_ptr<ModuleData> data = internal::TakeData(module_);
  Pools& pools = data->MutablePools();
  absl::flat_hash_map<uint32_t, AttributeBytesId> changed;
  for (const AttributeBytesId attribute_bytes : attribute_bytes_) {
    const AttributeBytesView view = pools.attribute_bytes(attribute_bytes);
    absl::StatusOr<std::string> literal =
        Replaced(AttributeBytesField(view, kLiteral));
    if (!literal.ok())
      return internal::AtAttributeBytes(module_, attribute_bytes,
                                        literal.status());
    changed[attribute_bytes.value] =
        pools.AddAttributeBytes(WithField(view, kLiteral, *literal).view());
  }
  for (InstructionRecord& record : data->instructions) {
    const auto found = changed.find(record.attribute_bytes.value);
    if (found != changed.end()) record.attribute_bytes = found->second;
  }
  return internal::ModuleOf(std::move(data));
}

absl::Status WriteWithValuesOutside(const Module& module,
                                    const ModuleWrapper& wrapper,
                                    absl::string_view path,
                                    const ProtoFileOptions& options) {
  if (path == "-") {
    return absl::InvalidArgumentError(
        "constants can't be kept beside standard output");
  }
  ValuesFile values(path);
  // Opens the module's file first, so that nothing is left beside a path that
  // can't be written.
  absl::StatusOr<FileWriter> file = FileWriter::Open(path);
  if (!file.ok()) return file.status();
  const absl::StatusOr<Module> changed =
      Externalizer(module, *options.external_min_bytes, &values).Run();
  if (!changed.ok()) return changed.status();
  SerializeOptions serialize;
  serialize.allow_over_2gib = options.allow_over_2gib;
  serialize.keep_compact = true;
  const absl::StatusOr<BytePieces> pieces =
      SerializeWrappedInPieces(*changed, wrapper, serialize);
  if (!pieces.ok()) return pieces.status();
  absl::Status status = pieces->ForEach(
      [&](absl::string_view chunk) { return file->Write(chunk); });
  // Commits the values first: a module must never refer to missing ones.
  if (status.ok() && !values.empty()) status = values.Commit();
  if (status.ok()) status = file->Commit();
  return status;
}

}  // namespace

absl::Status WriteProtoFile(const Module& module, const ModuleWrapper& wrapper,
                            absl::string_view path,
                            const ProtoFileOptions& options) {
  if (options.external_min_bytes.has_value()) {
    return WriteWithValuesOutside(module, wrapper, path, options);
  }
  SerializeOptions serialize;
  serialize.allow_over_2gib = options.allow_over_2gib;
  const absl::StatusOr<BytePieces> pieces =
      SerializeWrappedInPieces(module, wrapper, serialize);
  if (!pieces.ok()) return pieces.status();
  return WritePieces(path, *pieces);
}

}  // namespace indim
