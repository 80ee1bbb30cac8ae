// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/export/location_writer.h"

#include <utility>

#include "indim/ir/module_access.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"

namespace indim::stablehlo_export {
namespace {

// Element `i`, counted from 1; null: there is none.
template <typename T>
T* At(std::vector<T>* list, int64_t i) {
  return i < 1 || i > static_cast<int64_t>(list->size())
             ? nullptr
             : &(*list)[static_cast<size_t>(i - 1)];
}

absl::string_view TextAt(std::vector<absl::string_view>* list, int64_t i) {
  const absl::string_view* text = At(list, i);
  return text == nullptr ? absl::string_view() : *text;
}

}  // namespace

LocationWriter::LocationWriter(const ModuleData& data, bool enabled, Ir* ir)
    : data_(data), enabled_(enabled), ir_(*ir) {
  if (enabled_) ReadFrames();
}

void LocationWriter::ReadFrames() {
  namespace tables = field::StackFrameIndexProto;
  namespace place = field::StackFrameIndexProto_FileLocation;
  namespace frame = field::StackFrameIndexProto_StackFrame;
  FieldList module(WireMessage::kHloModuleProto, data_.other_fields);
  FieldList index(WireMessage::kStackFrameIndexProto,
                  module.Text(field::HloModuleProto::kStackFrameIndex));
  std::vector<absl::string_view> files = index.Texts(tables::kFileNames);
  std::vector<absl::string_view> functions =
      index.Texts(tables::kFunctionNames);
  for (const absl::string_view wire : index.Texts(tables::kFileLocations)) {
    FieldList fields(WireMessage::kStackFrameIndexProto_FileLocation, wire);
    locations_.push_back(
        {TextAt(&files, fields.Number(place::kFileNameId)),
         TextAt(&functions, fields.Number(place::kFunctionNameId)),
         fields.Number(place::kLine), fields.Number(place::kColumn)});
  }
  for (const absl::string_view wire : index.Texts(tables::kStackFrames)) {
    FieldList fields(WireMessage::kStackFrameIndexProto_StackFrame, wire);
    Frame f;
    f.location = fields.Number(frame::kFileLocationId);
    f.parent = fields.Number(frame::kParentFrameId);
    frames_.push_back(f);
  }
}

AttrId LocationWriter::FileLoc(absl::string_view file, int64_t line,
                               int64_t column) {
  mlir::Attribute loc(AttrKind::kFileLoc);
  loc.text = std::string(file);
  loc.integer = line;
  loc.column = column;
  return ir_.Intern(std::move(loc));
}

AttrId LocationWriter::NameLoc(absl::string_view name, AttrId child) {
  if (!enabled_) return {};
  mlir::Attribute loc(AttrKind::kNameLoc);
  loc.text = std::string(name);
  if (child.valid()) loc.elements.push_back(child);
  return ir_.Intern(std::move(loc));
}

AttrId LocationWriter::Place(const Frame& frame) {
  const FileLocation* at = At(&locations_, frame.location);
  if (at == nullptr) return {};
  const AttrId file = FileLoc(at->file, at->line, at->column);
  return at->function.empty() ? file : NameLoc(at->function, file);
}

AttrId LocationWriter::Stack(int64_t number) {
  std::vector<Frame*> path;  // from the inner frame outwards
  AttrId caller;
  for (Frame* frame = At(&frames_, number); frame != nullptr;
       frame = At(&frames_, frame->parent)) {
    if (frame->on_path) break;  // a file may hold a cycle
    if (frame->text.valid()) {
      caller = frame->text;
      break;
    }
    frame->on_path = true;
    path.push_back(frame);
  }
  for (; !path.empty(); path.pop_back()) {
    Frame& frame = *path.back();
    frame.on_path = false;
    const AttrId place = Place(frame);
    if (place.valid() && caller.valid()) {
      mlir::Attribute call(AttrKind::kCallSiteLoc);
      call.elements = {place, caller};
      frame.text = ir_.Intern(std::move(call));
    } else {
      frame.text = place.valid() ? place : caller;
    }
    caller = frame.text;
  }
  return caller;
}

AttrId LocationWriter::OfMetadata(absl::string_view metadata) {
  namespace op = field::OpMetadata;
  FieldList fields(WireMessage::kOpMetadata, metadata);
  const absl::string_view name = fields.Text(op::kOpName);
  const AttrId stack = Stack(fields.Number(op::kStackFrameId));
  if (stack.valid()) return name.empty() ? stack : NameLoc(name, stack);
  const absl::string_view file = fields.Text(op::kSourceFile);
  if (file.empty()) return name.empty() ? AttrId() : NameLoc(name);
  const AttrId place = FileLoc(file, fields.Number(op::kSourceLine),
                               fields.Number(op::kSourceColumn));
  if (name.empty()) return place;
  mlir::Attribute fused(AttrKind::kFusedLoc);
  fused.elements = {NameLoc(name), place};
  return ir_.Intern(std::move(fused));
}

AttrId LocationWriter::Of(const Instruction& instruction) {
  if (!enabled_) return {};
  const uint32_t id = internal::RecordOf(instruction).metadata.value;
  const auto [it, inserted] = by_metadata_.try_emplace(id);
  if (inserted) it->second = OfMetadata(instruction.metadata());
  return it->second.valid() ? it->second : NameLoc(instruction.name());
}

}  // namespace indim::stablehlo_export
