// Prints shapes; each is formatted once, as is a tuple's element that is also a
// shape by itself.

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "indim/codec/shape_wire.h"
#include "indim/hlo_proto/module_writer.h"
#include "indim/ir/final_names.h"
#include "indim/ir/shape_table.h"
#include "indim/text/base/text_colors.h"
#include "indim/text/print/hlo_printer.h"
#include "indim/wire/wire.h"

namespace indim {
namespace {

constexpr uint32_t MessageTag(uint32_t number) {
  return MakeTag(number, WireType::kLengthDelimited);
}
constexpr uint32_t kTupleShapes = MessageTag(4);  // ShapeProto
constexpr uint32_t kParameters = MessageTag(1);   // ProgramShapeProto
constexpr uint32_t kResult = MessageTag(2);
constexpr uint32_t kParameterNames = MessageTag(3);

// Finds the shapes of `wire`, a canonical ProgramShapeProto, if all are in the
// table. False: it must be decoded.
bool FindProgramShape(absl::string_view wire, const ShapeTable& shapes,
                      std::vector<ShapeId>* parameters, ShapeId* result) {
  size_t names = 0;
  WireReader reader(wire);
  uint32_t tag;
  while (!reader.done() && reader.ReadTag(&tag)) {
    absl::string_view bytes;
    if (TagType(tag) != WireType::kLengthDelimited ||
        !reader.ReadLengthDelimited(&bytes)) {
      return false;
    }
    if (tag == kParameterNames) ++names;
    if (tag != kParameters && tag != kResult) continue;
    const ShapeId id = shapes.FindWire(bytes);
    if (shapes.shape(id).is_none()) return false;
    if (tag == kResult) {
      *result = id;
    } else {
      parameters->push_back(id);
    }
  }
  return reader.done() && *result && names == parameters->size();
}

}  // namespace

void HloPrinter::PrintShape(ShapeId shape, bool layouts) {
  if (!options_.color) {
    PrintPlainShape(shape, layouts);
    return;
  }
  Color(kColorShape);
  PrintPlainShape(shape, layouts);
  Color(kColorEnd);
}

void HloPrinter::PrintOneShape(const Shape& shape, bool layouts) {
  out_.AppendWith(
      [&](std::string* to) { AppendPrintedShape(shape, layouts, to); });
}

void HloPrinter::PrintPlainShape(ShapeId id, bool layouts) {
  Print(&shapes_[layouts ? 1 : 0][id.value], [&] {
    const Shape& shape = data_.pools->shapes().shape(id);
    if (shape.is_tuple()) {
      PrintTupleShape(id, layouts);
    } else {
      PrintOneShape(shape, layouts);
    }
  });
}

void HloPrinter::PrintTupleShape(ShapeId id, bool layouts) {
  const ShapeTable& shapes = data_.pools->shapes();
  // Walks the elements on the wire and those of the shape in parallel.
  WireReader reader(shapes.wire(id));
  int64_t i = 0;
  Append('(');
  for (const Shape& element : shapes.shape(id).elements()) {
    PrintSeparator(i++, kShapeInterval);
    absl::string_view wire;
    uint32_t tag = 0;
    while (tag != kTupleShapes && reader.ReadTag(&tag)) {
      if (tag == kTupleShapes ? !reader.ReadLengthDelimited(&wire)
                              : !reader.SkipValue(tag, kMaxWireDepth)) {
        break;
      }
    }
    const ShapeId known = shapes.FindWire(wire);
    if (known && shapes.shape(known) == element) {
      PrintPlainShape(known, layouts);
    } else {
      PrintOneShape(element, layouts);
    }
  }
  Append(')');
}

bool HloPrinter::HasProgramShape(uint32_t computation) const {
  const ComputationRecord& record = data_.computations[computation];
  for (uint32_t i : data_.Parameters(computation)) {
    if (i < record.count && !IsPrinted(Record(computation, i).shape)) {
      return false;
    }
  }
  return record.root >= record.count ||
         IsPrinted(Record(computation, record.root).shape);
}

void HloPrinter::PrintProgramShape(uint32_t computation) {
  const ComputationRecord& record = data_.computations[computation];
  Append('(');
  bool first = true;
  for (uint32_t i : data_.Parameters(computation)) {
    if (i >= record.count) continue;
    if (!first) Append(", ");
    first = false;
    const absl::string_view name = names_.instruction(record.first + i);
    Append(options_.ids ? name : name.substr(0, name.find('.')));
    Append(": ");
    PrintShape(Record(computation, i).shape, /*layouts=*/false);
  }
  Append(") -> ");
  if (record.root < record.count) {
    PrintShape(Record(computation, record.root).shape, /*layouts=*/false);
  }
  Append(' ');
}

template <typename Parts, typename Part, typename F>
void HloPrinter::PrintEntryLayoutOf(const Parts& parameters, const Part& result,
                                    F print) {
  Append(", entry_computation_layout={(");
  int64_t i = 0;
  for (const auto& parameter : parameters) {
    PrintSeparator(i++, kShapeInterval);
    print(parameter);
  }
  Append(")->");
  print(result);
  Append('}');
}

// Whether a writer would make the same program shape.
bool HloPrinter::IsProgramShapeMade() const {
  return data_.host_program_shape.empty() ||
         data_.host_program_shape ==
             MakeHostProgramShape(data_, FinalNames(data_));
}

// The layout that the module records, or the entry's.
void HloPrinter::PrintEntryLayout() {
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
          [this](const Shape& part) { PrintOneShape(part, /*layouts=*/true); });
      return;
    }
    const ComputationRecord& entry = data_.computations[data_.entry];
    parameters.clear();
    for (uint32_t i : data_.Parameters(data_.entry)) {
      if (i < entry.count) parameters.push_back(Record(data_.entry, i).shape);
    }
    result = Record(data_.entry, entry.root).shape;
  }
  PrintEntryLayoutOf(parameters, result, [this](ShapeId part) {
    PrintPlainShape(part, /*layouts=*/true);
  });
}

}  // namespace indim
