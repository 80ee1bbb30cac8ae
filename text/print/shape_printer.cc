// SPDX-License-Identifier: Apache-2.0
#include "indim/text/print/shape_printer.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "indim/ir/final_names.h"
#include "indim/ir/shape_table.h"
#include "indim/proto/codec/shape_wire.h"
#include "indim/proto/hlo_module/module_writer.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire_fields.h"
#include "indim/text/base/text_colors.h"
#include "indim/text/print/printed_shape.h"

namespace indim {
namespace {

using wire_fields::AllRecords;
using wire_fields::Record;

namespace of = field::ProgramShapeProto;
constexpr uint32_t kParameters = wire_fields::Bytes(of::kParameters);
constexpr uint32_t kResult = wire_fields::Bytes(of::kResult);
constexpr uint32_t kParameterNames = wire_fields::Bytes(of::kParameterNames);

// Finds the shapes of `wire`, a canonical ProgramShapeProto, if all are in the
// table. False: it must be decoded.
bool FindProgramShape(absl::string_view wire, const ShapeTable& shapes,
                      std::vector<ShapeId>* parameters, ShapeId* result) {
  size_t names = 0;
  const bool found = AllRecords(wire, [&](const Record& record) {
    if (record.tag == kParameterNames) ++names;
    if (record.tag != kParameters && record.tag != kResult) {
      return TagType(record.tag) == WireType::kLengthDelimited;
    }
    const ShapeId id = shapes.FindWire(record.value);
    if (record.tag == kResult) {
      *result = id;
    } else {
      parameters->push_back(id);
    }
    return !shapes.shape(id).is_none();
  });
  return found && *result && names == parameters->size();
}

}  // namespace

ShapePrinter::ShapePrinter(const ModuleData& data, const PrintOptions& options,
                           const PrintedNames& names, TextBuffer* out)
    : data_(data), options_(options), names_(names), out_(*out) {
  for (auto& pieces : shapes_) pieces.resize(data.pools->shapes().size());
}

void ShapePrinter::Forget() {
  for (auto& pieces : shapes_) {
    std::fill(pieces.begin(), pieces.end(), TextBuffer::Piece());
  }
}

void ShapePrinter::Print(ShapeId shape, bool layouts) {
  if (options_.color) out_.Append(kColorShape);
  PrintPlain(shape, layouts);
  if (options_.color) out_.Append(kColorEnd);
}

void ShapePrinter::PrintOne(const Shape& shape, bool layouts) {
  out_.AppendWith(
      [&](std::string* to) { AppendPrintedShape(shape, layouts, to); });
}

void ShapePrinter::PrintPlain(ShapeId id, bool layouts) {
  out_.AppendOnce(&shapes_[layouts ? 1 : 0][id.value],
                  [&] { PrintOne(data_.pools->shapes().shape(id), layouts); });
}

bool ShapePrinter::HasSignature(uint32_t computation) const {
  if (!data_.recorded) return true;  // all are printed
  const ComputationRecord& record = data_.computations[computation];
  for (uint32_t i : data_.Parameters(computation)) {
    if (i < record.count && !IsPrinted(ShapeOf(computation, i))) {
      return false;
    }
  }
  return record.root >= record.count ||
         IsPrinted(ShapeOf(computation, record.root));
}

void ShapePrinter::PrintSignature(uint32_t computation) {
  if (!HasSignature(computation)) return;
  const ComputationRecord& record = data_.computations[computation];
  out_.Append('(');
  bool first = true;
  for (uint32_t i : data_.Parameters(computation)) {
    if (i >= record.count) continue;
    if (!first) out_.Append(", ");
    first = false;
    const absl::string_view name = names_.instruction(record.first + i);
    out_.Append(options_.ids ? name : name.substr(0, name.find('.')));
    out_.Append(": ");
    Print(ShapeOf(computation, i), /*layouts=*/false);
  }
  out_.Append(") -> ");
  if (record.root < record.count) {
    Print(ShapeOf(computation, record.root), /*layouts=*/false);
  }
  out_.Append(' ');
}

template <typename Parts, typename Result, typename F>
void ShapePrinter::PrintEntryLayoutOf(const Parts& parameters,
                                      const Result& result, F print) {
  out_.Append(", entry_computation_layout={(");
  int64_t i = 0;
  for (const auto& parameter : parameters) {
    AppendListSeparator(i++, kShapeInterval, &out_);
    print(parameter);
  }
  out_.Append(")->");
  print(result);
  out_.Append('}');
}

// Whether a writer would make the same program shape.
bool ShapePrinter::IsProgramShapeMade() const {
  return data_.host_program_shape.empty() ||
         data_.host_program_shape ==
             MakeHostProgramShape(data_, FinalNames(data_));
}

// The layout that the module records, or the entry's.
void ShapePrinter::PrintEntryLayout() {
  const absl::string_view recorded = data_.host_program_shape;
  if (data_.recorded && IsProgramShapeMade()) return;
  std::vector<ShapeId> parameters;
  ShapeId result;
  if (!FindProgramShape(recorded, data_.pools->shapes(), &parameters,
                        &result)) {
    absl::StatusOr<ProgramShape> shape = ParseProgramShapeProto(recorded);
    if (!recorded.empty() && shape.ok()) {
      PrintEntryLayoutOf(
          shape->parameters, shape->result,
          [this](const Shape& part) { PrintOne(part, /*layouts=*/true); });
      return;
    }
    const ComputationRecord& entry = data_.computations[data_.entry];
    parameters.clear();
    for (uint32_t i : data_.Parameters(data_.entry)) {
      if (i < entry.count) parameters.push_back(ShapeOf(data_.entry, i));
    }
    result = ShapeOf(data_.entry, entry.root);
  }
  PrintEntryLayoutOf(parameters, result, [this](ShapeId part) {
    PrintPlain(part, /*layouts=*/true);
  });
}

}  // namespace indim
