#include "indim/ir/instruction_encoder.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/ir/pools.h"
#include "indim/ir/wire.h"
#include "indim/ir/wire_sink.h"

namespace indim {
namespace {

using wire_sink::BufferSink;
using wire_sink::Header;
using wire_sink::Ids;
using wire_sink::Message;
using wire_sink::Number;
using wire_sink::SizeSink;
using wire_sink::Text;

// Fields of HloInstructionProto.
constexpr uint32_t kName = 1;
constexpr uint32_t kOpcode = 2;
constexpr uint32_t kShape = 3;
constexpr uint32_t kMetadata = 7;
constexpr uint32_t kId = 35;
constexpr uint32_t kOperandIds = 36;
constexpr uint32_t kCalledComputationIds = 38;

constexpr uint64_t kOperandsTagSize = 2;

constexpr int kMostDigits = 20;

bool SameLowBits(int64_t a, int64_t b) {
  return static_cast<uint32_t>(a) == static_cast<uint32_t>(b);
}

// How long `id` is as text.
uint64_t DigitCount(int64_t id) {
  if (id < 0) {
    char digits[kMostDigits];
    return static_cast<uint64_t>(
        std::to_chars(digits, digits + kMostDigits, id).ptr - digits);
  }
  uint64_t count = 1;
  for (uint64_t bound = 10; static_cast<uint64_t>(id) >= bound; bound *= 10) {
    if (++count == 19) break;
  }
  return count;
}

}  // namespace

InstructionEncoder::InstructionEncoder(const ModuleData& data,
                                       const FinalNames& names)
    : data_(data), names_(names) {
  size_t size = 2;
  while (size < kLargestTable && size < data.instructions.size()) size *= 2;
  table_.resize(size);
}

// --- What instructions have in common ----------------------------------------

const InstructionEncoder::Common* InstructionEncoder::Find(
    const InstructionRecord& record) {
  uint64_t hash = (uint64_t{record.shape.value} << 32 | record.metadata.value) ^
                  (static_cast<uint64_t>(record.opcode) << 24);
  hash = (hash ^ (hash >> 29)) * 0x9e3779b97f4a7c15;
  hash = (hash ^ record.blob.value) * 0x9e3779b97f4a7c15;
  const size_t at = (hash >> 40) & (table_.size() - 1);
  for (const size_t place : {at, at ^ 1}) {
    Common& common = table_[place];
    if (common.state == Common::State::kEmpty || common.shape != record.shape ||
        common.metadata != record.metadata || common.blob != record.blob ||
        common.opcode != record.opcode) {
      continue;
    }
    if (common.state == Common::State::kSeenOnce) Keep(record, &common);
    return &common;
  }
  if ((record.flags & InstructionRecord::kUnknownOpcode) != 0 ||
      data_.pools->blob(record.blob).size() > kLargestKept) {
    return nullptr;
  }
  // What was seen only once goes first.
  const bool second = table_[at].state == Common::State::kKept &&
                      table_[at ^ 1].state != Common::State::kKept;
  Common& common = table_[second ? at ^ 1 : at];
  common.state = Common::State::kSeenOnce;
  common.opcode = record.opcode;
  common.shape = record.shape;
  common.metadata = record.metadata;
  common.blob = record.blob;
  return nullptr;
}

void InstructionEncoder::Keep(const InstructionRecord& record,
                              Common* common) const {
  const Pools& pools = *data_.pools;
  common->rest = pools.blob(record.blob);
  const auto write = [&](auto* sink) {
    Text(kOpcode, Name(record.opcode), sink);
    if (record.shape) Message(kShape, pools.shapes().wire(record.shape), sink);
    if (record.metadata) {
      Message(kMetadata, pools.metadata(record.metadata), sink);
    }
    sink->Raw(common->rest.before_id);
  };
  SizeSink size;
  write(&size);
  common->fields.assign(size.size() + kSlack, '\0');
  common->fields_size = size.size();
  BufferSink sink(&common->fields[0]);
  write(&sink);
  common->name = absl::StrCat(FinalNames::BaseOf(Name(record.opcode)), ".");
  common->name_size = common->name.size();
  common->name.append(kSlack, '\0');
  common->state = Common::State::kKept;
}

// `roomy`: kSlack bytes more may be written.
void InstructionEncoder::Copy(const std::string& from, uint64_t size,
                              bool roomy, char** out) {
  if (!roomy) {
    std::memcpy(*out, from.data(), size);
  } else {
    const char* in = from.data();
    for (uint64_t done = 0; done < size; done += kSlack) {
      std::memcpy(*out + done, in + done, kSlack);
    }
  }
  *out += size;
}

// --- One instruction ---------------------------------------------------------

absl::string_view InstructionEncoder::NameAt(uint32_t position) {
  if (!names_.is_made(position)) return names_.instruction(position);
  made_.clear();
  absl::StrAppend(&made_, FinalNames::BaseOf(data_.OpcodeName(position)), ".",
                  data_.InstructionId(position));
  return made_;
}

uint64_t InstructionEncoder::Size(const ComputationRecord& computation,
                                  uint32_t position) {
  const InstructionRecord& record = data_.instructions[position];
  SizeSink size;
  const Common* common = Find(record);
  if (common == nullptr) {
    WriteAll(computation, position, &size);
    return size.size();
  }
  if (names_.is_made(position)) {
    size.Add(1 +
             LengthDelimitedSize(common->name_size +
                                 DigitCount(data_.InstructionId(position))));
  } else {
    Text(kName, names_.instruction(position), &size);
  }
  size.Add(common->fields_size);
  WriteEnd(computation, position, common->rest, &size);
  return size.size();
}

char* InstructionEncoder::Write(const ComputationRecord& computation,
                                uint32_t position, uint64_t size, char* out,
                                const char* limit) {
  const InstructionRecord& record = data_.instructions[position];
  const Common* common = Find(record);
  if (common == nullptr) {
    BufferSink sink(out);
    WriteAll(computation, position, &sink);
    return out + size;
  }
  const bool roomy = static_cast<uint64_t>(limit - out) >= size + kSlack;
  if (names_.is_made(position)) {
    const int64_t id = data_.InstructionId(position);
    BufferSink sink(out);
    Header(kName, common->name_size + DigitCount(id), &sink);
    out = sink.end();
    Copy(common->name, common->name_size, roomy, &out);
    out = std::to_chars(out, out + kMostDigits, id).ptr;
  } else {
    BufferSink sink(out);
    Text(kName, names_.instruction(position), &sink);
    out = sink.end();
  }
  Copy(common->fields, common->fields_size, roomy, &out);
  BufferSink sink(out);
  WriteEnd(computation, position, common->rest, &sink);
  return sink.end();
}

template <typename Sink>
void InstructionEncoder::WriteAll(const ComputationRecord& computation,
                                  uint32_t position, Sink* sink) {
  const InstructionRecord& record = data_.instructions[position];
  const Pools& pools = *data_.pools;
  const BlobView blob = pools.blob(record.blob);
  Text(kName, NameAt(position), sink);
  Text(kOpcode, data_.OpcodeName(position), sink);
  if (record.shape) Message(kShape, pools.shapes().wire(record.shape), sink);
  if (record.metadata) {
    Message(kMetadata, pools.metadata(record.metadata), sink);
  }
  sink->Raw(blob.before_id);
  WriteEnd(computation, position, blob, sink);
}

template <typename Sink>
void InstructionEncoder::WriteEnd(const ComputationRecord& computation,
                                  uint32_t position, const BlobView& blob,
                                  Sink* sink) const {
  const InstructionRecord& record = data_.instructions[position];
  Number(kId, data_.InstructionId(position), sink);
  if (!WriteFewOperands(computation, record, sink)) {
    WriteOperands(computation, position, sink);
  }
  sink->Raw(blob.control);
  if (record.callee_count != 0) {
    Ids(
        kCalledComputationIds, data_.Callees(record),
        [this](uint32_t callee) {
          return static_cast<uint64_t>(data_.computations[callee].id);
        },
        sink);
  }
  sink->Raw(blob.after_callees);
}

bool InstructionEncoder::WriteFewOperands(const ComputationRecord& computation,
                                          const InstructionRecord& record,
                                          SizeSink* sink) const {
  if (record.operand_count > kFewOperands || !data_.operand_spellings.empty()) {
    return false;
  }
  if (record.operand_count == 0) return true;
  uint64_t size = 0;
  for (const uint32_t operand : data_.Operands(record)) {
    size += VarintSize(static_cast<uint64_t>(
        data_.InstructionId(computation.first + operand)));
  }
  sink->Add(kOperandsTagSize + 1 + size);
  return true;
}

bool InstructionEncoder::WriteFewOperands(const ComputationRecord& computation,
                                          const InstructionRecord& record,
                                          BufferSink* sink) const {
  if (record.operand_count > kFewOperands || !data_.operand_spellings.empty()) {
    return false;
  }
  if (record.operand_count == 0) return true;
  sink->Varint(MakeTag(kOperandIds, WireType::kLengthDelimited));
  char* const size = sink->end();
  char* out = size + 1;
  for (const uint32_t operand : data_.Operands(record)) {
    out = WriteVarint(
        static_cast<uint64_t>(data_.InstructionId(computation.first + operand)),
        out);
  }
  *size = static_cast<char>(out - size - 1);
  *sink = BufferSink(out);
  return true;
}

template <typename Sink>
void InstructionEncoder::WriteOperands(const ComputationRecord& computation,
                                       uint32_t position, Sink* sink) const {
  const std::string* as_read = OperandSpelling(computation, position);
  if (as_read != nullptr) {
    Text(kOperandIds, *as_read, sink);
    return;
  }
  Ids(
      kOperandIds, data_.Operands(data_.instructions[position]),
      [&](uint32_t operand) {
        return static_cast<uint64_t>(
            data_.InstructionId(computation.first + operand));
      },
      sink);
}

const std::string* InstructionEncoder::OperandSpelling(
    const ComputationRecord& computation, uint32_t position) const {
  const auto& spellings = data_.operand_spellings;
  if (spellings.empty()) return nullptr;
  const auto payload = std::lower_bound(
      spellings.begin(), spellings.end(), position,
      [](const auto& pair, uint32_t p) { return pair.first < p; });
  if (payload == spellings.end() || payload->first != position) return nullptr;
  // A pass may have given the instruction other operands.
  WireReader reader(payload->second);
  for (uint32_t operand : data_.Operands(data_.instructions[position])) {
    uint64_t id;
    if (!reader.ReadVarint(&id) ||
        !SameLowBits(static_cast<int64_t>(id),
                     data_.InstructionId(computation.first + operand))) {
      return nullptr;
    }
  }
  return reader.done() ? &payload->second : nullptr;
}

}  // namespace indim
