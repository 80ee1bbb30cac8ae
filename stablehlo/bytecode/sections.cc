// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/bytecode/sections.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace indim::mlir {
namespace {

constexpr uint8_t kPadding = 0xCB;

// Lengths stand in reverse order, then the strings, each with a zero behind.
absl::Status ReadStrings(Cursor in, std::vector<absl::string_view>* strings) {
  std::vector<uint64_t> sizes(in.Count());
  for (size_t i = sizes.size(); i > 0; --i) sizes[i - 1] = in.Varint();
  strings->reserve(sizes.size());
  for (const uint64_t size : sizes) {
    const absl::string_view text = in.Bytes(size);
    if (in.ok() && (text.empty() || text.back() != '\0')) {
      in.Fail("a string of the string section doesn't end with a zero byte");
    }
    if (!in.ok()) break;
    strings->push_back(text.substr(0, text.size() - 1));
  }
  if (in.ok() && !in.AtEnd()) in.Fail("bytes follow the last string");
  return in.status();
}

void ReadDialect(uint64_t format, Sections* sections, Cursor* in) {
  const std::vector<absl::string_view>& strings = sections->sources.strings;
  uint64_t number = in->Varint();
  if (format >= kDialectVersions) {
    const bool has_version = (number & 1) != 0;
    number >>= 1;
    Cursor version;
    if (has_version) ReadSection(in, &version);
  }
  if (number >= strings.size()) {
    in->Fail("a dialect's name isn't among the strings", Code::kArtifactIndex);
    return;
  }
  sections->sources.dialects.push_back(strings[static_cast<size_t>(number)]);
}

// The dialects, then operations' names in groups of one dialect.
absl::Status ReadDialects(Sections* sections) {
  Cursor& in = sections->cursors[kDialectSection];
  const uint64_t format = sections->format;
  const std::vector<absl::string_view>& strings = sections->sources.strings;
  for (size_t left = in.Count(); left > 0 && in.ok(); --left) {
    ReadDialect(format, sections, &in);
  }
  if (format >= kShortBlockArguments) in.Varint();  // the number of names
  while (in.ok() && !in.AtEnd()) {
    OpNameEntry entry;
    entry.dialect = in.Index(sections->sources.dialects.size(), "dialect");
    for (size_t left = in.Count(); left > 0 && in.ok(); --left) {
      uint64_t number = in.Varint();
      if (format >= kProperties) number >>= 1;  // a bit for "registered"
      if (number >= strings.size()) {
        in.Fail("an operation's name isn't among the strings",
                Code::kArtifactIndex);
        break;
      }
      entry.name = strings[static_cast<size_t>(number)];
      sections->op_names.push_back(entry);
    }
  }
  return in.status();
}

absl::Status ReadProperties(Sections* sections) {
  Cursor& in = sections->cursors[kPropertySection];
  if (in.AtEnd()) return in.status();
  for (size_t left = in.Count(); left > 0 && in.ok(); --left) {
    const uint64_t size = in.Varint();
    const size_t offset = in.offset();
    sections->properties.emplace_back(in.Bytes(size), offset);
  }
  return in.status();
}

absl::Status ReadHeader(absl::string_view bytes, Cursor* in,
                        Sections* sections) {
  if (!absl::StartsWith(bytes, kBytecodeMagic)) {
    return BytecodeError(0, "it isn't MLIR bytecode");
  }
  in->Bytes(kBytecodeMagic.size());
  sections->format = in->Varint();
  if (in->ok() && sections->format > kNewestFormat) {
    in->Fail(absl::StrCat("its format is version ", sections->format,
                          " of MLIR's bytecode; Indim reads versions up to ",
                          kNewestFormat),
             Code::kArtifactRelease);
  }
  sections->producer = in->ZeroTerminated();
  return in->status();
}

}  // namespace

uint8_t ReadSection(Cursor* in, Cursor* contents) {
  const uint8_t id = in->Byte();
  const uint64_t size = in->Varint();
  if ((id & 0x80) != 0) {
    const uint64_t alignment = in->Varint();
    if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
      in->Fail("a section's alignment isn't a power of two");
    }
    while (in->ok() && in->offset() % alignment != 0) {
      if (in->Byte() != kPadding) in->Fail("a byte of padding isn't 0xCB");
    }
  }
  const size_t offset = in->offset();
  *contents = Cursor(in->Bytes(size), offset);
  return id & 0x7F;
}

absl::StatusOr<Sections> ReadSections(absl::string_view bytes) {
  Sections sections;
  Cursor in(bytes, 0);
  absl::Status status = ReadHeader(bytes, &in, &sections);
  if (!status.ok()) return status;
  bool seen[kSectionCount] = {};
  while (!in.AtEnd() && in.ok()) {
    const size_t offset = in.offset();
    Cursor contents;
    const uint8_t id = ReadSection(&in, &contents);
    if (!in.ok()) break;
    if (id >= kSectionCount || seen[id]) {
      return BytecodeError(offset, absl::StrCat("section ", int{id},
                                                " is unknown or there twice"));
    }
    seen[id] = true;
    sections.cursors[id] = contents;
  }
  if (!in.ok()) return in.status();
  for (const SectionId id : {kStringSection, kDialectSection, kEntrySection,
                             kEntrySizeSection, kIrSection}) {
    if (!seen[id]) {
      return BytecodeError(bytes.size(),
                           absl::StrCat("section ", int{id}, " is missing"),
                           Code::kArtifactTruncated);
    }
  }
  status =
      ReadStrings(sections.cursors[kStringSection], &sections.sources.strings);
  if (status.ok()) status = ReadDialects(&sections);
  if (status.ok()) status = ReadProperties(&sections);
  if (!status.ok()) return status;
  return sections;
}

}  // namespace indim::mlir
