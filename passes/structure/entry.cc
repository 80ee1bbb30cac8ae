// SPDX-License-Identifier: Apache-2.0
// Checks the outside view of a module's entry and computations: program shapes,
// aliasing, donors (XLA: HloModule::CreateFromProto, HloInputOutputAliasConfig,
// HloBufferDonorConfig).

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/storage/byte_hash.h"
#include "indim/passes/structure/checks.h"
#include "indim/proto/codec/shape_wire.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire_fields.h"
#include "indim/shape/types/shape_parts.h"

namespace indim::structure {
namespace {

using field::HloModuleProto::kBufferDonor;
using field::HloModuleProto::kInputOutputAlias;
using wire_fields::AllRecords;
using wire_fields::Bytes;
using wire_fields::Record;
using wire_fields::Unpack;
using wire_fields::Varint;

// A value of AliasEntryProto.kind. XLA treats every other value as MUST_ALIAS.
constexpr int64_t kMayAlias = 1;

// An AliasEntryProto or BufferDonorEntryProto.
struct AliasEntry {
  DimIndices output_index;
  int64_t parameter = 0;
  DimIndices parameter_index;
  int64_t kind = 0;
};

// The field numbers of an AliasEntry's members in a message; 0: no such field.
struct AliasFields {
  uint32_t output_index, parameter, parameter_index, kind;
};
constexpr AliasFields kAliasFields = {1, 2, 3, 4};
constexpr AliasFields kDonorFields = {0, 1, 2, 0};

// Record by record, because a large model's entry has hundreds of aliases.
AliasEntry ReadAliasEntry(absl::string_view canonical, AliasFields fields) {
  AliasEntry entry;
  AllRecords(canonical, [&](const Record& record) {
    const int64_t value = static_cast<int64_t>(record.number);
    if (record.tag == Bytes(fields.output_index)) {
      Unpack(record.value, &entry.output_index);
    }
    if (record.tag == Bytes(fields.parameter_index)) {
      Unpack(record.value, &entry.parameter_index);
    }
    if (record.tag == Varint(fields.parameter)) entry.parameter = value;
    if (record.tag == Varint(fields.kind)) entry.kind = value;
    return true;
  });
  return entry;
}

// A shape that is not inferred yet fits any shape.
bool Fits(const Shape& real, const Shape& declared) {
  return real.is_none() || Compatible(real, declared);
}

// A fast path: whether `wire` gives the shapes of parameters and root in the
// bytes from which the module's shapes were read. It makes no shape. Layouts
// may differ, unless `with_layouts`.
bool SaysWhatIsThere(const ModuleData& data, uint32_t c,
                     absl::Span<const uint32_t> parameters,
                     absl::string_view wire, bool with_layouts) {
  const ShapeTable& shapes = data.pools->shapes();
  const auto instructions = data.Instructions(c);
  const auto same = [&](absl::string_view shape_wire, uint32_t position) {
    if (position >= instructions.size()) return false;
    const ShapeId shape = instructions[position].shape;
    const StructureId real = shapes.structure(shape);
    if (real && SameBytes(shape_wire, shapes.wire(shape))) return true;
    const ShapeId id = shapes.FindWire(shape_wire);
    if (with_layouts) return id && id == shape;
    return id && real && shapes.structure(id) == real;
  };
  size_t count = 0;
  size_t names = 0;
  bool result = false;
  const bool all_there = AllRecords(wire, [&](const Record& record) {
    switch (record.tag) {
      case Bytes(field::ProgramShapeProto::kParameters):
        return count < parameters.size() &&
               same(record.value, parameters[count++]);
      case Bytes(field::ProgramShapeProto::kResult):
        if (result || !same(record.value, data.computations[c].root)) {
          return false;
        }
        return result = true;
      case Bytes(field::ProgramShapeProto::kParameterNames):
        ++names;
        return true;
      default:
        return false;
    }
  });
  return all_there && result && count == parameters.size() && names == count;
}

// Checks `wire`, the field `what` of computation `c`, against its parameters
// and root.
void CheckProgramShape(Context* context, uint32_t c, absl::string_view what,
                       absl::string_view wire) {
  const ModuleData& data = context->data;
  const absl::Span<const uint32_t> parameters = context->parameters.Of(c);
  if (SaysWhatIsThere(data, c, parameters, wire, /*with_layouts=*/false)) {
    return;
  }
  const std::string name = context->ComputationName(c);
  const absl::StatusOr<ProgramShape> declared = ParseProgramShapeProto(wire);
  if (!declared.ok()) {
    context->Add(Code::kProgramShapeUnreadable, c, kNowhere, what, name,
                 declared.status().message());
    return;
  }
  if (parameters.size() != declared->parameters.size()) {
    context->Add(Code::kProgramShapeCount, c, kNowhere, what, name,
                 static_cast<int64_t>(declared->parameters.size()),
                 static_cast<int64_t>(parameters.size()));
  } else {
    for (size_t k = 0; k < parameters.size(); ++k) {
      if (parameters[k] >= data.computations[c].count) continue;  // missing
      const Shape& real = context->At(c, parameters[k]).shape();
      if (Fits(real, declared->parameters[k])) continue;
      context->Add(Code::kProgramShapeParameter, c, parameters[k],
                   static_cast<int64_t>(k), what, name,
                   declared->parameters[k]);
    }
  }
  const uint32_t root = data.computations[c].root;
  if (!Fits(context->At(c, root).shape(), declared->result)) {
    context->Add(Code::kProgramShapeResult, c, root, name, what,
                 declared->result);
  }
}

// The difference between a computation's program_shape, which XLA reads only
// for the entry's layout, and its real shapes; "": none.
std::string ProgramShapeDifference(const Context& context, uint32_t c,
                                   absl::string_view wire) {
  const ModuleData& data = context.data;
  const absl::Span<const uint32_t> parameters = context.parameters.Of(c);
  if (SaysWhatIsThere(data, c, parameters, wire, /*with_layouts=*/false)) {
    return "";
  }
  const absl::StatusOr<ProgramShape> declared = ParseProgramShapeProto(wire);
  if (!declared.ok()) {
    return absl::StrCat("can't be read: ", declared.status().message());
  }
  if (parameters.size() != declared->parameters.size()) {
    return absl::StrCat("has ", declared->parameters.size(),
                        " parameters, not ", parameters.size());
  }
  for (size_t k = 0; k < parameters.size(); ++k) {
    if (parameters[k] >= data.computations[c].count) continue;  // missing
    const Shape& real = context.At(c, parameters[k]).shape();
    if (Fits(real, declared->parameters[k])) continue;
    return absl::StrCat("says ", declared->parameters[k].ToString(),
                        " of parameter ", k, ", which is ", real.ToString());
  }
  const Shape& result = context.At(c, data.computations[c].root).shape();
  if (Fits(result, declared->result)) return "";
  return absl::StrCat("says ", declared->result.ToString(),
                      " of the root, which is ", result.ToString());
}

// The shapes of the entry's layout, as the file gives them or as an export will
// write them.
class EntryLayout {
 public:
  explicit EntryLayout(const Context& context) {
    const ModuleData& data = context.data;
    const absl::Span<const uint32_t> parameters =
        context.parameters.Of(data.entry);
    if (!data.host_program_shape.empty() &&
        !SaysWhatIsThere(data, data.entry, parameters, data.host_program_shape,
                         /*with_layouts=*/true)) {
      parsed_ = ParseProgramShapeProto(data.host_program_shape);
      if (parsed_.ok()) {
        result_ = &parsed_->result;
        for (const Shape& shape : parsed_->parameters) {
          parameters_.push_back(&shape);
        }
        return;
      }
    }
    const auto instructions = data.Instructions(data.entry);
    const auto shape_at = [&](uint32_t position) {
      const ShapeId id = position < instructions.size()
                             ? instructions[position].shape
                             : ShapeId();
      return &data.pools->shapes().shape(id);
    };
    result_ = shape_at(data.computations[data.entry].root);
    parameters_.reserve(parameters.size());
    for (const uint32_t position : parameters) {
      parameters_.push_back(shape_at(position));
    }
  }
  EntryLayout(const EntryLayout&) = delete;
  EntryLayout& operator=(const EntryLayout&) = delete;

  const std::vector<const Shape*>& parameters() const { return parameters_; }
  const Shape& result() const { return *result_; }

 private:
  absl::StatusOr<ProgramShape> parsed_;
  std::vector<const Shape*> parameters_;
  const Shape* result_;
};

// Checks aliases and donors against the entry's layout.
class AliasChecker {
 public:
  explicit AliasChecker(Context* context)
      : context_(context),
        layout_(*context),
        whole_(layout_.parameters().size() + 1),
        result_element_(layout_.result().elements().size()) {}

  void CheckAliases(absl::string_view wire) {
    what_ = "input_output_alias";
    FieldList list(WireMessage::kHloInputOutputAliasProto, wire);
    entry_ = 0;
    for (absl::string_view entry :
         list.Texts(field::HloInputOutputAliasProto::kEntries)) {
      CheckAlias(ReadAliasEntry(entry, kAliasFields));
      ++entry_;
    }
  }

  void CheckDonors(absl::string_view wire) {
    what_ = "buffer_donor";
    FieldList list(WireMessage::kHloBufferDonorProto, wire);
    entry_ = 0;
    for (absl::string_view text :
         list.Texts(field::HloBufferDonorProto::kEntries)) {
      const AliasEntry entry = ReadAliasEntry(text, kDonorFields);
      Parameter(entry.parameter, entry.parameter_index);
      ++entry_;
    }
  }

 private:
  static constexpr int64_t kResult = -1;  // as a parameter number

  void CheckAlias(const AliasEntry& entry) {
    const Shape* in = Parameter(entry.parameter, entry.parameter_index);
    const Shape* out = Part(kResult, layout_.result(), entry.output_index);
    if (in == nullptr || out == nullptr) return;
    if (entry.kind != kMayAlias &&
        (!SameStructure(*in, *out) || LayoutOf(*in) != LayoutOf(*out))) {
      context_->Add(Code::kAliasMustShape, kNowhere, kNowhere, what_, entry_,
                    in->ToString(), out->ToString());
    }
  }

  static Layout LayoutOf(const Shape& array) {
    if (array.layout() != nullptr) return *array.layout();
    return array.has_rank() ? Layout::RowMajor(array.rank()) : Layout();
  }

  static std::string NameOf(int64_t number) {
    return number == kResult ? "the result"
                             : absl::StrCat("parameter ", number);
  }

  const Shape* Parameter(int64_t number, const DimIndices& index) {
    if (number < 0 ||
        number >= static_cast<int64_t>(layout_.parameters().size())) {
      context_->Add(Code::kAliasIndex, kNowhere, kNowhere, what_, entry_,
                    "the entry", absl::StrCat("parameter ", number));
      return nullptr;
    }
    return Part(number, *layout_.parameters()[static_cast<size_t>(number)],
                index);
  }

  // The array at `index` of `whole`; null after an error, also where an earlier
  // entry took it.
  const Shape* Part(int64_t number, const Shape& whole,
                    const DimIndices& index) {
    const Shape* part = PartOf(whole, index);
    if (part == nullptr) {
      context_->Add(Code::kAliasIndex, kNowhere, kNowhere, what_, entry_,
                    NameOf(number), IndexText(index));
      return nullptr;
    }
    if (!part->is_array()) {
      context_->Add(Code::kAliasNotArray, kNowhere, kNowhere, what_, entry_,
                    NameOf(number), IndexText(index), *part);
      return nullptr;
    }
    if (!Take(number, index)) {
      context_->Add(Code::kAliasTwice, kNowhere, kNowhere, what_, entry_,
                    NameOf(number), IndexText(index));
    }
    return part;
  }

  // Marks an existing part as taken. Returns false when it was taken before.
  bool Take(int64_t number, const DimIndices& index) {
    // A fast path for whole parameters and elements of the result.
    std::vector<bool>* known = nullptr;
    size_t at = 0;
    if (index.empty()) {
      known = &whole_;
      at = static_cast<size_t>(number - kResult);
    } else if (number == kResult && index.size() == 1) {
      known = &result_element_;
      at = static_cast<size_t>(index[0]);
    } else {
      return taken_.emplace(number, index).second;
    }
    const bool is_new = !(*known)[at];
    (*known)[at] = true;
    return is_new;
  }

  Context* context_;
  const EntryLayout layout_;
  // The parts taken so far: the whole result and whole parameters, by number +
  // 1; elements of the result; other parts, as (number, index).
  std::vector<bool> whole_;
  std::vector<bool> result_element_;
  absl::flat_hash_set<std::pair<int64_t, DimIndices>> taken_;
  absl::string_view what_;
  int64_t entry_ = 0;
};

}  // namespace

void CheckProgramShapes(Context* context) {
  const ModuleData& data = context->data;
  for (uint32_t c = 0; c < data.computations.size(); ++c) {
    const ComputationRecord& r = data.computations[c];
    if (!r.program_shape.empty() ||
        r.program_shape_when_empty == WhenEmpty::kWritePresent) {
      const std::string difference =
          ProgramShapeDifference(*context, c, r.program_shape);
      if (difference.empty()) continue;
      context->Add(Code::kProgramShapeOdd, c, kNowhere,
                   context->ComputationName(c), difference);
    }
  }
  if (!data.host_program_shape.empty() ||
      data.host_program_shape_when_empty == WhenEmpty::kWritePresent) {
    CheckProgramShape(context, data.entry, "host_program_shape",
                      data.host_program_shape);
  } else if (data.host_program_shape_when_empty == WhenEmpty::kLeaveOut &&
             !data.recorded) {  // an export for XLA adds one to a recorded
                                // module
    context->Add(Code::kEntryLayoutMissing, kNowhere, kNowhere);
  }
}

void CheckAliases(Context* context) {
  FieldList fields(WireMessage::kHloModuleProto, context->data.other_fields);
  const absl::string_view aliases = fields.Text(kInputOutputAlias);
  const absl::string_view donors = fields.Text(kBufferDonor);
  if (aliases.empty() && donors.empty()) return;
  AliasChecker checker(context);
  checker.CheckAliases(aliases);
  checker.CheckDonors(donors);
}

}  // namespace indim::structure
