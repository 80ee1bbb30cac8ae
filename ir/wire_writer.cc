#include "indim/ir/wire_writer.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/ir/attribute_wire.h"
#include "indim/ir/final_names.h"
#include "indim/ir/instruction_encoder.h"
#include "indim/ir/module_data.h"
#include "indim/ir/pools.h"
#include "indim/ir/shape_wire.h"
#include "indim/ir/wire.h"
#include "indim/ir/wire_sink.h"
#include "indim/ir/wire_table.h"

namespace indim {
namespace {

constexpr uint64_t kLargestForXla = std::numeric_limits<int32_t>::max();

// HloModuleProto.recorded.
constexpr uint32_t kRecorded = 1000;
// HloModuleProto.text_config.
constexpr uint32_t kConfig = 1001;
// A size that 32 bits don't hold.
constexpr uint64_t kHuge = std::numeric_limits<uint32_t>::max();
// HloInstructionProto.literal.
constexpr uint32_t kLiteral = 8;

// `pairs` are sorted by position.
template <typename Value>
const Value* Find(const std::vector<std::pair<uint32_t, Value>>& pairs,
                  uint32_t position) {
  if (pairs.empty()) return nullptr;
  auto it = std::lower_bound(
      pairs.begin(), pairs.end(), position,
      [](const auto& pair, uint32_t p) { return pair.first < p; });
  return it != pairs.end() && it->first == position ? &it->second : nullptr;
}

bool SameLowBits(int64_t a, int64_t b) {
  return static_cast<uint32_t>(a) == static_cast<uint32_t>(b);
}

using wire_sink::BufferSink;
using wire_sink::Header;
using wire_sink::Message;
using wire_sink::Number;
using wire_sink::SizeSink;
using wire_sink::Text;

class ModuleWriter {
 public:
  explicit ModuleWriter(const ModuleData& data)
      : data_(data),
        names_(data, FinalNames::Keep::kGiven),
        encoder_(data_, names_) {
    MakeProgramShapes();
    SplitOtherFields();
    MeasureComputations();
  }

  uint64_t size() {
    SizeSink sink;
    WriteModule(&sink);
    return sink.size();
  }
  std::string Write(uint64_t size) {
    std::string result(size, '\0');
    limit_ = result.data() + size;
    BufferSink sink(&result[0]);
    WriteModule(&sink);
    return result;
  }

 private:
  void MakeProgramShapes();
  std::string MakeProgramShape(uint32_t computation, bool with_layout) const;
  void SplitOtherFields();
  void MeasureComputations();

  template <typename Sink>
  void WriteModule(Sink* sink);
  void WriteInstructions(const ComputationRecord& computation,
                         BufferSink* sink);
  // Without the instructions.
  template <typename Sink>
  void WriteComputationEnd(uint32_t computation, Sink* sink) const;
  int64_t RootId(uint32_t computation) const;

  const ModuleData& data_;
  const FinalNames names_;
  InstructionEncoder encoder_;
  // By computation; empty where the record has one or none is to be written.
  std::vector<std::string> program_shapes_;
  std::string host_program_shape_;
  std::string module_name_;
  absl::string_view known_fields_, unknown_fields_;
  std::vector<uint64_t> computation_sizes_;
  // kHuge: to be asked again.
  std::vector<uint32_t> instruction_sizes_;
  const char* limit_ = nullptr;  // end of what is written
};

// --- What is made ------------------------------------------------------------

std::string ModuleWriter::MakeProgramShape(uint32_t computation,
                                           bool with_layout) const {
  const ComputationRecord& record = data_.computations[computation];
  std::vector<Shape> shapes;
  std::vector<std::string> names;
  const auto shape_of = [&](uint32_t i) {
    if (i >= record.count) return Shape();
    const Shape& shape =
        data_.pools->shapes().shape(data_.instructions[record.first + i].shape);
    return with_layout ? shape.WithDefaultLayout() : shape;
  };
  for (uint32_t i : data_.Parameters(computation)) {
    shapes.push_back(shape_of(i));
    names.emplace_back(i < record.count ? names_.instruction(record.first + i)
                                        : absl::string_view());
  }
  std::vector<const Shape*> parameters;
  for (const Shape& shape : shapes) parameters.push_back(&shape);
  return SerializeProgramShapeProto(parameters, names, shape_of(record.root));
}

void ModuleWriter::MakeProgramShapes() {
  program_shapes_.resize(data_.computations.size());
  for (uint32_t i = 0; i < program_shapes_.size(); ++i) {
    const ComputationRecord& record = data_.computations[i];
    if (record.program_shape.empty() &&
        record.program_shape_when_empty == WhenEmpty::kMake) {
      program_shapes_[i] = MakeProgramShape(i, /*with_layout=*/false);
    }
  }
  if (data_.entry < data_.computations.size() &&
      data_.host_program_shape.empty() &&
      data_.host_program_shape_when_empty == WhenEmpty::kMake) {
    host_program_shape_ = MakeProgramShape(data_.entry, /*with_layout=*/true);
  }
}

// Our mark stands between the known fields and the unknown ones.
void ModuleWriter::SplitOtherFields() {
  module_name_ = data_.names_as_read ? data_.name : ToUtf8(data_.name);
  const WireMessageInfo& info =
      GetWireMessageInfo(WireMessage::kHloModuleProto);
  WireReader reader(data_.other_fields);
  size_t known = data_.other_fields.size();
  while (!reader.done()) {
    const size_t start = data_.other_fields.size() - reader.remaining();
    uint32_t tag;
    if (!reader.ReadTag(&tag)) break;
    const WireField* field = info.Find(TagNumber(tag));
    if (field == nullptr || !field->Accepts(TagType(tag))) {
      known = start;
      break;
    }
    if (!reader.SkipValue(tag, kMaxWireDepth)) break;
  }
  known_fields_ = absl::string_view(data_.other_fields).substr(0, known);
  unknown_fields_ = absl::string_view(data_.other_fields).substr(known);
}

// --- Sizes -------------------------------------------------------------------

void ModuleWriter::MeasureComputations() {
  instruction_sizes_.resize(data_.instructions.size());
  computation_sizes_.reserve(data_.computations.size());
  for (uint32_t c = 0; c < data_.computations.size(); ++c) {
    const ComputationRecord& record = data_.computations[c];
    SizeSink computation;
    Text(1, names_.computation(c), &computation);
    uint64_t instructions = 0;
    for (uint32_t i = 0; i < record.count; ++i) {
      const uint64_t size = encoder_.Size(record, record.first + i);
      instruction_sizes_[record.first + i] =
          static_cast<uint32_t>(std::min<uint64_t>(size, kHuge));
      Header(2, size, &computation);
      instructions += size;
    }
    WriteComputationEnd(c, &computation);
    computation_sizes_.push_back(computation.size() + instructions);
  }
}

// --- Bytes -------------------------------------------------------------------

template <typename Sink>
void WriteProgramShape(absl::string_view as_read, WhenEmpty when_empty,
                       absl::string_view made, Sink* sink) {
  if (!as_read.empty()) {
    Message(4, as_read, sink);
  } else if (when_empty != WhenEmpty::kLeaveOut) {
    Message(4, made, sink);
  }
}

template <typename Sink>
void ModuleWriter::WriteModule(Sink* sink) {
  constexpr bool kMeasuring = std::is_same_v<Sink, SizeSink>;
  const bool has_entry = data_.entry < data_.computations.size();
  Text(1, module_name_, sink);
  if (!data_.entry_name.empty()) {
    Text(2, data_.entry_name, sink);
  } else if (data_.entry_name_when_empty == WhenEmpty::kMake && has_entry) {
    Text(2, names_.computation(data_.entry), sink);
  }
  uint64_t measured = 0;
  for (uint32_t c = 0; c < data_.computations.size(); ++c) {
    Header(3, computation_sizes_[c], sink);
    if (kMeasuring) {
      measured += computation_sizes_[c];
      continue;
    }
    const ComputationRecord& record = data_.computations[c];
    Text(1, names_.computation(c), sink);
    if constexpr (!kMeasuring) WriteInstructions(record, sink);
    WriteComputationEnd(c, sink);
  }
  if (has_entry) {
    WriteProgramShape(data_.host_program_shape,
                      data_.host_program_shape_when_empty, host_program_shape_,
                      sink);
  }
  Number(5, data_.id, sink);
  if (has_entry) Number(6, data_.computations[data_.entry].id, sink);
  sink->Raw(known_fields_);
  if (data_.recorded) {
    // Version 1 is what we write.
    const absl::string_view kOurMark("\x08\x01", 2);
    Message(kRecorded,
            data_.recorded_mark.has_value()
                ? absl::string_view(*data_.recorded_mark)
                : kOurMark,
            sink);
  }
  Text(kConfig, data_.config, sink);
  sink->Raw(unknown_fields_);
  if constexpr (kMeasuring) sink->Add(measured);
}

void ModuleWriter::WriteInstructions(const ComputationRecord& computation,
                                     BufferSink* sink) {
  const uint32_t end = computation.first + computation.count;
  for (uint32_t i = computation.first; i < end; ++i) {
    uint64_t size = instruction_sizes_[i];
    if (size == kHuge) size = encoder_.Size(computation, i);
    Header(2, size, sink);
    *sink =
        BufferSink(encoder_.Write(computation, i, size, sink->end(), limit_));
  }
}

template <typename Sink>
void ModuleWriter::WriteComputationEnd(uint32_t computation, Sink* sink) const {
  const ComputationRecord& record = data_.computations[computation];
  WriteProgramShape(record.program_shape, record.program_shape_when_empty,
                    program_shapes_[computation], sink);
  Number(5, record.id, sink);
  Number(6, RootId(computation), sink);
  sink->Raw(record.other_fields);
}

int64_t ModuleWriter::RootId(uint32_t computation) const {
  const ComputationRecord& record = data_.computations[computation];
  if (record.count == 0) return 0;
  const int64_t id = data_.InstructionId(record.first + record.root);
  const int64_t* as_read = Find(data_.root_spellings, computation);
  return as_read != nullptr && SameLowBits(*as_read, id) ? *as_read : id;
}

// --- Over 2 GiB
// ----------------------------------------------------------------

uint64_t LiteralSize(BlobView blob) {
  WireReader reader(blob.before_id);
  uint32_t tag;
  absl::string_view literal;
  return reader.ReadTag(&tag) && TagNumber(tag) == kLiteral &&
                 reader.ReadLengthDelimited(&literal)
             ? literal.size()
             : 0;
}

absl::Status TooLarge(const Module& module, uint64_t size) {
  std::vector<std::pair<uint64_t, std::string>> largest;
  for (Computation computation : module.computations()) {
    for (Instruction instruction : computation.instructions()) {
      const uint64_t bytes = LiteralSize(instruction.blob());
      if (bytes == 0 || (largest.size() == 3 && bytes <= largest[2].first)) {
        continue;
      }
      if (largest.size() == 3) largest.pop_back();
      largest.emplace_back(bytes, instruction.name());
      std::stable_sort(
          largest.begin(), largest.end(),
          [](const auto& a, const auto& b) { return a.first > b.first; });
    }
  }
  std::string message =
      absl::StrCat("the module takes ", size,
                   " bytes; XLA's protobuf reads at most ", kLargestForXla);
  if (!largest.empty()) {
    absl::StrAppend(
        &message, "; the largest literals are ",
        absl::StrJoin(largest, ", ", [](std::string* out, const auto& entry) {
          absl::StrAppend(out, entry.second, " (", entry.first, " bytes)");
        }));
  }
  return absl::ResourceExhaustedError(message);
}

}  // namespace

uint64_t SerializedSize(const Module& module) {
  return ModuleWriter(module.data()).size();
}

absl::StatusOr<std::string> SerializeModule(const Module& module,
                                            bool allow_over_2gib) {
  ModuleWriter writer(module.data());
  const uint64_t size = writer.size();
  if (size > kLargestForXla && !allow_over_2gib) return TooLarge(module, size);
  return writer.Write(size);
}

}  // namespace indim
