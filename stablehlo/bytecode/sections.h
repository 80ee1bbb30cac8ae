// SPDX-License-Identifier: Apache-2.0
// The outer structure of MLIR's bytecode: a header and sections, of which the
// tables of strings, dialects and operations' names are read here.

#ifndef INDIM_STABLEHLO_BYTECODE_SECTIONS_H_
#define INDIM_STABLEHLO_BYTECODE_SECTIONS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "indim/stablehlo/bytecode/cursor.h"
#include "indim/stablehlo/bytecode/entry_reader.h"
#include "indim/stablehlo/ops/op_table.h"

namespace indim::mlir {

// "ML\xEFR".
inline constexpr absl::string_view kBytecodeMagic = "ML\xEFR";
// Before the release, in the name of an artifact's producer.
inline constexpr absl::string_view kProducer = "StableHLO_v";

enum SectionId : uint8_t {
  kStringSection,
  kDialectSection,
  kEntrySection,
  kEntrySizeSection,
  kIrSection,
  kResourceSection,
  kResourceSizeSection,
  kDialectVersionSection,
  kPropertySection,
  kSectionCount
};

// The first version of the format with ...
inline constexpr uint64_t kDialectVersions = 1;
inline constexpr uint64_t kRegionSections = 2;
inline constexpr uint64_t kUseListOrders = 3;
inline constexpr uint64_t kShortBlockArguments = 4;
inline constexpr uint64_t kProperties = 5;
inline constexpr uint64_t kNewestFormat = 6;

// The parts of an encoded operation.
enum OpMask : uint8_t {
  kHasAttributes = 1,
  kHasResults = 2,
  kHasOperands = 4,
  kHasSuccessors = 8,
  kHasRegions = 16,
  kHasUseListOrders = 32,
  kHasProperties = 64
};

struct OpNameEntry {
  size_t dialect = 0;      // its number
  absl::string_view name;  // without the dialect
};

// The tables and the sections that are still to be read.
struct Sections {
  uint64_t format = 0;
  absl::string_view producer;
  EntrySources sources;
  std::vector<OpNameEntry> op_names;
  std::vector<Cursor> properties;  // each operation's, version 5 on
  std::array<Cursor, kSectionCount> cursors;
};

// Reads the head of a section: its id and contents.
uint8_t ReadSection(Cursor* in, Cursor* contents);

// Errors: it is no bytecode of a version that MLIR promises to read, or a table
// is malformed.
absl::StatusOr<Sections> ReadSections(absl::string_view bytes);

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_BYTECODE_SECTIONS_H_
