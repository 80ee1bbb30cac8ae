// SPDX-License-Identifier: Apache-2.0
#include "indim/text/parse/hlo_header.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire_fields.h"
#include "indim/text/attributes/attribute_text.h"
#include "indim/text/base/braced_members.h"

namespace indim {
namespace {

// ReadAttribute takes the index in this list.
constexpr absl::string_view kAttributes[] = {
    "is_scheduled",
    "replica_count",
    "num_partitions",
    "input_output_alias",
    "buffer_donor",
    "alias_passthrough_params",
    "entry_computation_layout",
    "frontend_attributes",
    "allow_spmd_sharding_propagation_to_parameters",
    "allow_spmd_sharding_propagation_to_output",
    "origin_recovery_table",
    "debug_attributes",
    "backend_config",
    "recorded"};

using wire_fields::AppendBytes;
using wire_fields::AppendInt;
using wire_fields::AppendPacked;

// Reads an index into a value: "{0,1}". Only here, as in XLA, a comma may
// follow the last number.
bool ReadShapeIndex(Lexer* lexer, ShapeIndex* index) {
  return ReadList(lexer,
                  [&] { return lexer->ReadInt(&index->emplace_back()); });
}

// OriginalArrayProto: {"name" {0}}, {"name"}, {}.
struct OriginalArray {
  std::string name;
  ShapeIndex index;

  std::string ToWire() const {
    std::string wire;
    if (!name.empty()) {
      AppendBytes(field::OriginalArrayProto::kInstructionName, name, &wire);
    }
    AppendPacked(field::OriginalArrayProto::kShapeIndex, index, &wire);
    return wire;
  }
  friend bool operator<(const OriginalArray& a, const OriginalArray& b) {
    return std::tie(a.name, a.index) < std::tie(b.name, b.index);
  }
};

bool ReadOriginalArray(Lexer* lexer, OriginalArray* to) {
  if (!lexer->Expect(Token::kLeftBrace)) return false;
  if (lexer->token() == Token::kString) {
    if (!ReadUtf8(lexer, &to->name)) return false;
    if (lexer->token() == Token::kLeftBrace &&
        !ReadShapeIndex(lexer, &to->index)) {
      return false;
    }
  }
  return lexer->Expect(Token::kRightBrace);
}

class HeaderReader {
 public:
  HeaderReader(Lexer* lexer, const HeaderOptions& options, ModuleHeader* to)
      : lexer_(*lexer), options_(options), to_(*to) {}

  bool Read();

 private:
  bool ReadModuleName();
  bool ReadAttribute(size_t attribute);
  bool ReadRecorded();
  bool ReadFlags(std::vector<int64_t>* flags);
  bool ReadAliases();
  bool ReadAlias();
  bool ReadDonors();
  bool ReadEntryLayout();
  bool ReadRecoveryTable();
  bool ReadDebugAttributes();
  bool ReadDebugValue(std::string* wire);
  void MakeConfig();

  Lexer& lexer_;
  const HeaderOptions& options_;
  ModuleHeader& to_;

  int64_t replica_count_ = 1;
  int64_t num_partitions_ = 1;
  bool alias_passthrough_ = false;
  std::vector<int64_t> to_output_;
  std::vector<int64_t> to_parameters_;
};

// As in XLA, a colon may follow it.
bool HeaderReader::ReadModuleName() {
  if (lexer_.token() != Token::kSignatureName) {
    return lexer_.ReadName(&to_.name);
  }
  to_.name = lexer_.text();
  lexer_.Next();
  return true;
}

bool HeaderReader::Read() {
  if (!lexer_.ExpectWord("HloModule") || !ReadModuleName()) return false;
  uint64_t given = 0;
  while (lexer_.Accept(Token::kComma)) {
    if (lexer_.token() != Token::kAttributeName) {
      return lexer_.Expected("an attribute of the module");
    }
    const absl::string_view name = lexer_.text();
    const size_t offset = lexer_.offset();
    const auto* found =
        std::find(std::begin(kAttributes), std::end(kAttributes), name);
    if (found == std::end(kAttributes)) {
      return UnknownName(&lexer_, offset, name, "attribute of a module",
                         kAttributes);
    }
    const size_t attribute = static_cast<size_t>(found - kAttributes);
    if ((given >> attribute & 1) != 0) {
      return lexer_.ErrorAt(offset, name.size(),
                            absl::StrCat(name, " is given twice"));
    }
    given |= uint64_t{1} << attribute;
    lexer_.Next();
    if (!ReadAttribute(attribute)) return false;
  }
  MakeConfig();
  return true;
}

bool HeaderReader::ReadAttribute(size_t attribute) {
  switch (attribute) {
    case 0:
      return lexer_.ReadBool(&to_.is_scheduled);
    case 1:
      return lexer_.ReadInt(&replica_count_);
    case 2:
      return lexer_.ReadInt(&num_partitions_);
    case 3:
      return ReadAliases();
    case 4:
      return ReadDonors();
    case 5:
      return lexer_.ReadBool(&alias_passthrough_);
    case 6:
      return ReadEntryLayout();
    case 7:
      return ReadFrontendAttributes(&lexer_, &to_.frontend_attributes);
    case 8:
      return ReadFlags(&to_parameters_);
    case 9:
      return ReadFlags(&to_output_);
    case 10:
      return ReadRecoveryTable();
    case 11:
      return ReadDebugAttributes();
    case 12:
      return ReadJsonOrText(&lexer_, &to_.backend_config);
    default:
      return ReadRecorded();
  }
}

// Reads true, or the mark of another writer: {version=1 producer="..."}.
bool HeaderReader::ReadRecorded() {
  if (lexer_.token() != Token::kLeftBrace) {
    return lexer_.ReadBool(&to_.recorded);
  }
  constexpr absl::string_view kNames[] = {"version", "producer"};
  int64_t version = 0;
  std::string producer;
  const auto read = [&](size_t i) {
    return i == 0 ? lexer_.ReadInt(&version) : ReadUtf8(&lexer_, &producer);
  };
  if (!ReadMembers(&lexer_, "member of recorded", kNames, read)) return false;
  to_.recorded = true;
  to_.recorded_mark.emplace();
  AppendInt(field::RecordedModule::kVersion, version, &*to_.recorded_mark);
  if (!producer.empty()) {
    AppendBytes(field::RecordedModule::kProducer, producer,
                &*to_.recorded_mark);
  }
  return true;
}

// Reads true, or {true,false}.
bool HeaderReader::ReadFlags(std::vector<int64_t>* flags) {
  bool flag = false;
  if (!lexer_.Accept(Token::kLeftBrace)) {
    if (!lexer_.ReadBool(&flag)) return false;
    flags->push_back(flag);
    return true;
  }
  if (lexer_.Accept(Token::kRightBrace)) return true;
  do {
    if (!lexer_.ReadBool(&flag)) return false;
    flags->push_back(flag);
  } while (lexer_.Accept(Token::kComma));
  return lexer_.Expect(Token::kRightBrace);
}

// {output index}: (parameter, {index}[, may-alias|must-alias])
bool HeaderReader::ReadAlias() {
  AliasText alias;
  alias.offset = lexer_.offset();
  if (!ReadShapeIndex(&lexer_, &alias.output) ||
      !lexer_.Expect(Token::kColon) || !lexer_.Expect(Token::kLeftParen)) {
    return false;
  }
  const size_t at = lexer_.offset();
  if (!lexer_.ReadInt(&alias.parameter)) return false;
  if (alias.parameter < 0) {
    return lexer_.ErrorAt(at, 1, "parameters are numbered from 0");
  }
  if (!lexer_.Expect(Token::kComma) ||
      !ReadShapeIndex(&lexer_, &alias.parameter_index)) {
    return false;
  }
  if (lexer_.Accept(Token::kComma)) {
    if (lexer_.AcceptWord("must-alias")) {
      alias.must = true;
    } else if (!lexer_.AcceptWord("may-alias")) {
      return lexer_.Expected("may-alias or must-alias");
    }
  }
  to_.aliases.push_back(std::move(alias));
  return lexer_.Expect(Token::kRightParen);
}

bool HeaderReader::ReadAliases() {
  if (!ReadList(&lexer_, [this] { return ReadAlias(); })) return false;
  auto& aliases = to_.aliases;
  std::stable_sort(aliases.begin(), aliases.end(),
                   [](const AliasText& a, const AliasText& b) {
                     return a.output < b.output;
                   });
  aliases.erase(std::unique(aliases.begin(), aliases.end(),
                            [](const AliasText& a, const AliasText& b) {
                              return a.output == b.output;
                            }),
                aliases.end());
  return true;
}

bool HeaderReader::ReadDonors() {
  std::vector<std::pair<int64_t, ShapeIndex>> donors;
  const auto read = [&] {
    donors.emplace_back();
    if (!lexer_.Expect(Token::kLeftParen)) return false;
    const size_t at = lexer_.offset();
    if (!lexer_.ReadInt(&donors.back().first)) return false;
    if (donors.back().first < 0) {
      return lexer_.ErrorAt(at, 1, "parameters are numbered from 0");
    }
    return lexer_.Expect(Token::kComma) &&
           ReadShapeIndex(&lexer_, &donors.back().second) &&
           lexer_.Expect(Token::kRightParen);
  };
  if (!ReadList(&lexer_, read)) return false;
  std::sort(donors.begin(), donors.end());
  donors.erase(std::unique(donors.begin(), donors.end()), donors.end());
  for (const auto& [parameter, index] : donors) {
    std::string entry;
    AppendInt(
        field::HloBufferDonorProto_BufferDonorEntryProto::kParameterNumber,
        parameter, &entry);
    AppendPacked(
        field::HloBufferDonorProto_BufferDonorEntryProto::kParameterShapeIndex,
        index, &entry);
    AppendBytes(field::HloBufferDonorProto::kEntries, entry, &to_.buffer_donor);
  }
  return true;
}

// {(shape, ...)->shape}
bool HeaderReader::ReadEntryLayout() {
  ModuleHeader::Layout layout;
  if (!lexer_.Expect(Token::kLeftBrace) || !lexer_.Expect(Token::kLeftParen)) {
    return false;
  }
  while (lexer_.token() != Token::kRightParen) {
    layout.parameters.emplace_back();
    if (!options_.shapes->Read(&lexer_, &layout.parameters.back())) {
      return false;
    }
    if (lexer_.token() == Token::kRightParen) break;
    if (!lexer_.Expect(Token::kComma)) return false;
  }
  if (!lexer_.Expect(Token::kRightParen) || !lexer_.Expect(Token::kArrow) ||
      !options_.shapes->Read(&lexer_, &layout.result)) {
    return false;
  }
  to_.entry_layout = std::move(layout);
  return lexer_.Expect(Token::kRightBrace);
}

// {original: original[, "module"] ...}
bool HeaderReader::ReadRecoveryTable() {
  if (!lexer_.Expect(Token::kLeftBrace)) return false;
  std::map<OriginalArray, std::string> entries;
  while (lexer_.token() != Token::kRightBrace) {
    OriginalArray replaced, replacing;
    if (!ReadOriginalArray(&lexer_, &replaced) ||
        !lexer_.Expect(Token::kColon) ||
        !ReadOriginalArray(&lexer_, &replacing)) {
      return false;
    }
    std::string entry;
    AppendBytes(field::OriginalValueRecoveryTableProto_Entry::kOldOriginalArray,
                replaced.ToWire(), &entry);
    AppendBytes(field::OriginalValueRecoveryTableProto_Entry::kNewOriginalArray,
                replacing.ToWire(), &entry);
    if (lexer_.Accept(Token::kComma)) {
      const size_t at = lexer_.offset();
      std::string text, module, error;
      if (!lexer_.ReadString(&text)) return false;
      if (!options_.read_module(text, &module, &error)) {
        return lexer_.ErrorAt(at, 1, "in this module: " + error);
      }
      AppendBytes(field::OriginalValueRecoveryTableProto_Entry::kRecoveryModule,
                  module, &entry);
    }
    entries.emplace(std::move(replaced), std::move(entry));
  }
  for (const auto& entry : entries) {
    AppendBytes(field::OriginalValueRecoveryTableProto::kEntries, entry.second,
                &to_.recovery_table);
  }
  return lexer_.Expect(Token::kRightBrace);
}

// {log_mode=default, callback_id=1, op_id=2, partitioned=true} to
// DebugAttributesProto.
bool HeaderReader::ReadDebugValue(std::string* wire) {
  constexpr absl::string_view kNames[] = {"log_mode", "callback_id", "op_id",
                                          "partitioned"};
  int64_t values[4] = {0, 0, 0, 0};
  uint64_t given = 0;
  const auto read = [&](size_t i) {
    if (i == 0) {
      if (lexer_.AcceptWord("default")) {
        values[0] = 1;
      } else if (lexer_.AcceptWord("fusion_debugger")) {
        values[0] = 2;
      } else {
        return lexer_.Expected("default or fusion_debugger");
      }
      return true;
    }
    if (i < 3) return lexer_.ReadInt(&values[i]);
    bool flag = false;
    if (!lexer_.ReadBool(&flag)) return false;
    values[3] = flag;
    return true;
  };
  if (!ReadMembers(&lexer_, "debug attribute", kNames, read, &given)) {
    return false;
  }
  for (uint32_t i = 0; i < 4; ++i) AppendInt(i + 1, values[i], wire);
  return true;
}

// {original: {...}, original: ({...}, {...})}
bool HeaderReader::ReadDebugAttributes() {
  if (!lexer_.Expect(Token::kLeftBrace)) return false;
  if (lexer_.Accept(Token::kRightBrace)) return true;
  std::map<OriginalArray, std::string> entries;
  do {
    OriginalArray array;
    if (!ReadOriginalArray(&lexer_, &array) || !lexer_.Expect(Token::kColon)) {
      return false;
    }
    std::string values;
    const bool is_list = lexer_.Accept(Token::kLeftParen);
    if (!is_list || lexer_.token() != Token::kRightParen) {
      do {
        std::string value;
        if (!ReadDebugValue(&value)) return false;
        AppendBytes(field::DebugAttributeTableEntryProto::kDebugAttributes,
                    value, &values);
      } while (is_list && lexer_.Accept(Token::kComma));
    }
    if (is_list && !lexer_.Expect(Token::kRightParen)) return false;
    entries[std::move(array)] = std::move(values);
  } while (lexer_.Accept(Token::kComma));
  for (const auto& [array, values] : entries) {
    if (values.empty()) continue;
    std::string entry;
    AppendBytes(field::DebugAttributeTableEntryProto::kOriginalArray,
                array.ToWire(), &entry);
    to_.debug_attributes.push_back(absl::StrCat(entry, values));
  }
  return lexer_.Expect(Token::kRightBrace);
}

// Makes the HloModuleConfig properties. num_partitions implies the flag that
// the module is partitioned.
void HeaderReader::MakeConfig() {
  namespace of = field::HloModuleConfigProto;
  if (replica_count_ != 1) {
    AppendInt(of::kReplicaCount, replica_count_, &to_.config);
  }
  if (num_partitions_ != 1) {
    AppendInt(of::kNumPartitions, num_partitions_, &to_.config);
    AppendInt(of::kUseSpmdPartitioning, 1, &to_.config);
  }
  AppendInt(of::kAliasPassthroughParams, alias_passthrough_, &to_.config);
  AppendPacked(of::kAllowSpmdShardingPropagationToOutput, to_output_,
               &to_.config);
  AppendPacked(of::kAllowSpmdShardingPropagationToParameters, to_parameters_,
               &to_.config);
}

}  // namespace

bool ReadModuleHeader(Lexer* lexer, const HeaderOptions& options,
                      ModuleHeader* to) {
  return HeaderReader(lexer, options, to).Read();
}

}  // namespace indim
