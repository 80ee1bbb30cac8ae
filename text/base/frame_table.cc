// SPDX-License-Identifier: Apache-2.0
#include "indim/text/base/frame_table.h"

#include <array>
#include <initializer_list>
#include <type_traits>
#include <utility>

#include "indim/ir/storage/byte_hash.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire.h"
#include "indim/proto/wire/wire_fields.h"
#include "indim/text/base/escaped_text.h"

namespace indim {
namespace {

using field::HloModuleProto::kStackFrameIndex;

// States of a frame that was read, instead of its printed number.
enum : int64_t { kNew = -1, kOnPath = -2, kBroken = -3 };

// Element `i` (from 1); null: there is none.
template <typename T>
const T* At(const std::vector<T>& list, int64_t i) {
  return i < 1 || i > static_cast<int64_t>(list.size())
             ? nullptr
             : &list[static_cast<size_t>(i - 1)];
}

// The bytes by which values of a list differ.
absl::string_view BytesOf(const absl::string_view& text) { return text; }
template <typename T>
absl::string_view BytesOf(const T& numbers) {
  static_assert(std::has_unique_object_representations_v<T>);
  return absl::string_view(reinterpret_cast<const char*>(&numbers),
                           sizeof numbers);
}

// The number (from 1) of `value` in `list`; appends it if it is missing in the
// list's index.
template <typename T>
int64_t Intern(const T& value, InternIndex* index, std::vector<T>* list) {
  const absl::string_view bytes = BytesOf(value);
  const uint64_t hash = HashBytes(bytes);
  const auto known = index->Find(
      hash, [&](uint32_t i) { return SameBytes(BytesOf((*list)[i]), bytes); });
  if (known) return int64_t{*known} + 1;
  index->Insert(hash, static_cast<uint32_t>(list->size()));
  list->push_back(value);
  return static_cast<int64_t>(list->size());
}

// Reads the varint fields 1 to N of canonical bytes, faster than FieldList:
// there are thousands of them.
template <size_t N>
std::array<int64_t, N> ReadNumbers(absl::string_view wire) {
  std::array<int64_t, N> numbers{};
  wire_fields::AllRecords(wire, [&](const wire_fields::Record& record) {
    const uint32_t number = TagNumber(record.tag);
    if (number <= N && record.tag == wire_fields::Varint(number)) {
      numbers[number - 1] = static_cast<int64_t>(record.number);
    }
    return true;
  });
  return numbers;
}

void AppendNames(absl::string_view title,
                 const std::vector<absl::string_view>& names, TextBuffer* out) {
  out->Append(title);
  int64_t number = 0;
  for (const absl::string_view name : names) {
    out->AppendNumber(++number);
    out->Append(" \"");
    AppendEscaped(name, out);
    out->Append("\"\n");
  }
}

// Appends a row of a table of numbers: "1 {file_location_id=2
// parent_frame_id=1}" and a newline.
void AppendRow(
    int64_t number,
    std::initializer_list<std::pair<absl::string_view, int64_t>> fields,
    TextBuffer* out) {
  out->AppendNumber(number);
  for (const auto& [name, value] : fields) {
    out->Append(name);
    out->AppendNumber(value);
  }
  out->Append("}\n");
}

}  // namespace

FrameTable::FrameTable(const ModuleData& data) {
  FieldList module(WireMessage::kHloModuleProto, data.other_fields);
  Read(module.Text(kStackFrameIndex));
  printed_frame_.assign(read_.frames.size(), kNew);
  printed_location_.assign(read_.locations.size(), 0);
}

// Names are views of the module's bytes.
void FrameTable::Read(absl::string_view index) {
  wire_fields::AllRecords(index, [this](const wire_fields::Record& record) {
    const absl::string_view bytes = record.value;
    switch (record.tag) {
      case wire_fields::Bytes(field::StackFrameIndexProto::kFileNames):
        read_.files.push_back(bytes);
        break;
      case wire_fields::Bytes(field::StackFrameIndexProto::kFunctionNames):
        read_.functions.push_back(bytes);
        break;
      case wire_fields::Bytes(field::StackFrameIndexProto::kFileLocations): {
        const auto n = ReadNumbers<6>(bytes);
        read_.locations.push_back({n[0], n[1], n[2], n[3], n[4], n[5]});
        break;
      }
      case wire_fields::Bytes(field::StackFrameIndexProto::kStackFrames): {
        const auto n = ReadNumbers<2>(bytes);
        read_.frames.push_back({n[0], n[1]});
        break;
      }
      default:
        break;
    }
    return true;
  });
}

int64_t FrameTable::Add(int64_t frame) {
  // The frame and its callers, up to one that is known already.
  std::vector<size_t>& path = path_;
  path.clear();
  int64_t printed = 0;
  bool broken = false;
  for (int64_t at = frame; at != 0;) {
    const Frame* read = At(read_.frames, at);
    const size_t i = static_cast<size_t>(at - 1);
    if (read == nullptr || printed_frame_[i] == kBroken ||
        printed_frame_[i] == kOnPath) {
      broken = true;
      break;
    }
    if (printed_frame_[i] >= 0) {
      printed = printed_frame_[i];
      break;
    }
    printed_frame_[i] = kOnPath;
    path.push_back(i);
    at = read->parent;
  }
  for (size_t i : path) printed_frame_[i] = kBroken;
  if (broken) return 0;
  for (; !path.empty(); path.pop_back()) {
    printed = AddOne(read_.frames[path.back()], printed);
    if (printed == 0) return 0;
    printed_frame_[path.back()] = printed;
  }
  return printed;
}

void FrameTable::AddAll() {
  const int64_t count = static_cast<int64_t>(read_.frames.size());
  for (int64_t frame = 1; frame <= count; ++frame) Add(frame);
}

int64_t FrameTable::AddOne(const Frame& frame, int64_t parent) {
  const Location* read = At(read_.locations, frame.location);
  if (read == nullptr) return 0;
  // Nearly always several frames share a location.
  int64_t& location =
      printed_location_[static_cast<size_t>(frame.location - 1)];
  if (location == 0) {
    const absl::string_view* file = At(read_.files, read->file);
    const absl::string_view* function = At(read_.functions, read->function);
    if (file == nullptr || function == nullptr) return 0;
    Location place = *read;
    place.file = Intern(*file, &files_, &printed_.files);
    place.function = Intern(*function, &functions_, &printed_.functions);
    location = Intern(place, &locations_, &printed_.locations);
  }
  return Intern(Frame{location, parent}, &frames_, &printed_.frames);
}

FrameTable::Place FrameTable::PlaceOf(int64_t printed_frame) const {
  const Frame* frame = At(printed_.frames, printed_frame);
  if (frame == nullptr) return {};
  const Location& place = *At(printed_.locations, frame->location);
  return {*At(printed_.files, place.file), place.line, place.column};
}

void FrameTable::AppendText(TextBuffer* out) const {
  if (printed_.frames.empty()) return;
  AppendNames("\n\nFileNames\n", printed_.files, out);
  AppendNames("\nFunctionNames\n", printed_.functions, out);
  out->Append("\nFileLocations\n");
  int64_t number = 0;
  for (const Location& l : printed_.locations) {
    AppendRow(++number,
              {{" {file_name_id=", l.file},
               {" function_name_id=", l.function},
               {" line=", l.line},
               {" end_line=", l.end_line},
               {" column=", l.column},
               {" end_column=", l.end_column}},
              out);
  }
  out->Append("\nStackFrames\n");
  number = 0;
  for (const Frame& frame : printed_.frames) {
    AppendRow(++number,
              {{" {file_location_id=", frame.location},
               {" parent_frame_id=", frame.parent + 1}},
              out);
  }
}

std::string FrameTable::ToWire() const {
  namespace of = field::StackFrameIndexProto;
  using wire_fields::AppendBytes;
  using wire_fields::AppendInt;
  using wire_fields::AppendNested;
  std::string wire;
  for (const absl::string_view file : printed_.files) {
    AppendBytes(of::kFileNames, file, &wire);
  }
  for (const absl::string_view function : printed_.functions) {
    AppendBytes(of::kFunctionNames, function, &wire);
  }
  for (const Location& l : printed_.locations) {
    AppendNested(of::kFileLocations, &wire, [&] {
      uint32_t field = 0;
      for (int64_t value :
           {l.file, l.function, l.line, l.column, l.end_line, l.end_column}) {
        AppendInt(++field, value, &wire);
      }
    });
  }
  for (const Frame& f : printed_.frames) {
    AppendNested(of::kStackFrames, &wire, [&] {
      AppendInt(field::StackFrameIndexProto_StackFrame::kFileLocationId,
                f.location, &wire);
      AppendInt(field::StackFrameIndexProto_StackFrame::kParentFrameId,
                f.parent, &wire);
    });
  }
  return wire;
}

}  // namespace indim
