#include "indim/stablehlo/import/graph_writer.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "indim/builder/link.h"
#include "indim/codec/attribute_wire.h"
#include "indim/codec/literal_proto.h"
#include "indim/ir/module_access.h"
#include "indim/ir/splat.h"
#include "indim/wire/field_numbers.h"

namespace indim::mlir {

GraphWriter::GraphWriter(std::string file)
    : data_(std::make_shared<ModuleData>()),
      pools_(data_->pools),
      file_(std::move(file)) {}

void GraphWriter::Begin(absl::string_view name) {
  open_.emplace_back();
  open_.back().name = std::string(name);
}

uint32_t GraphWriter::End(Node root) {
  Frame& f = frame();
  ModuleData& data = *data_;
  const uint32_t index = static_cast<uint32_t>(data.computations.size());
  ComputationRecord computation;
  computation.first = static_cast<uint32_t>(data.instructions.size());
  computation.count = static_cast<uint32_t>(f.instructions.size());
  computation.root = root;
  computation.name = pools_->AddName(f.name);
  computation.id = int64_t{index} + 1;
  const uint32_t base = static_cast<uint32_t>(data.operands.size());
  for (InstructionRecord record : f.instructions) {
    record.first_operand += base;
    data.instructions.push_back(record);
  }
  data.operands.insert(data.operands.end(), f.operands.begin(),
                       f.operands.end());
  data.computations.push_back(computation);
  places_.push_back(std::move(f.places));
  open_.pop_back();
  return index;
}

void GraphWriter::TakeBack(uint32_t computation) {
  ModuleData& data = *data_;
  if (computation + 1 != data.computations.size()) return;
  size_t operands = data.operands.size();
  for (const InstructionRecord& r : data.Instructions(computation)) {
    operands = std::min(operands, static_cast<size_t>(r.first_operand));
  }
  data.operands.resize(operands);
  data.instructions.resize(data.computations.back().first);
  data.computations.pop_back();
  places_.pop_back();
}

Node GraphWriter::Push(InstructionRecord record,
                       absl::Span<const Node> operands,
                       absl::Span<const uint32_t> callees) {
  Frame& f = frame();
  record.first_operand = static_cast<uint32_t>(f.operands.size());
  record.operand_count = static_cast<uint32_t>(operands.size());
  record.SetCalleeCount(callees.size());
  f.operands.insert(f.operands.end(), operands.begin(), operands.end());
  f.operands.insert(f.operands.end(), callees.begin(), callees.end());
  f.instructions.push_back(record);
  f.places.Add(place_);
  return static_cast<Node>(f.instructions.size() - 1);
}

Node GraphWriter::Add(Opcode opcode, ShapeId shape,
                      AttributeBytesId attribute_bytes,
                      absl::Span<const Node> operands,
                      absl::Span<const uint32_t> callees) {
  InstructionRecord record;
  record.opcode = opcode;
  record.shape = shape;
  record.attribute_bytes = attribute_bytes;
  record.metadata = metadata_;
  return Push(record, operands, callees);
}

Node GraphWriter::Add(Opcode opcode, const Shape& shape,
                      const indim::Attributes& attributes,
                      absl::Span<const Node> operands,
                      absl::Span<const uint32_t> callees) {
  const AttributeBytesId bytes =
      std::holds_alternative<NoAttributes>(attributes)
          ? AttributeBytesId()
          : pools_->AddAttributeBytes(
                EncodeAttributes(opcode, attributes).view());
  return Add(opcode, pools_->shapes().Intern(shape), bytes, operands, callees);
}

Node GraphWriter::Parameter(int64_t number, const Shape& shape,
                            absl::string_view name) {
  const Node node =
      Add(Opcode::kParameter, shape, ParameterAttributes{number}, {});
  if (!name.empty()) {
    frame().instructions[node].name = pools_->AddName(name);
  }
  return node;
}

Node GraphWriter::Constant(const Literal& literal) {
  if (!literal.has_equal_elements()) return WholeConstant(literal);
  const Shape& shape = literal.shape();
  const Shape scalar = Shape::Scalar(shape.element_type());
  const absl::StatusOr<Literal> element = Literal::FromBytes(
      scalar, literal.bytes().substr(
                  0, static_cast<size_t>(ElementBytes(shape.element_type()))));
  const Node node = Add(Opcode::kBroadcast, shape, DimensionsAttributes(),
                        {WholeConstant(*element)});
  frame().instructions[node].name = SplatName();
  return node;
}

NameId GraphWriter::SplatName() {
  return pools_->AddName(absl::StrCat(kSplatName, "_", ++splats_));
}

bool GraphWriter::IsSplat(Node node) const {
  const InstructionRecord& record = frame().instructions[node];
  return record.opcode == Opcode::kBroadcast &&
         IsSplatName(pools_->name(record.name));
}

Node GraphWriter::WholeConstant(const Literal& literal) {
  const auto bytes = std::make_shared<const OwnedAttributeBytes>(WithField(
      EncodeAttributes(Opcode::kConstant, ConstantAttributes()).view(),
      field::HloInstructionProto::kLiteral, SerializeLiteralProto(literal)));
  AttributeBytesId id;
  if (bytes->view().size() > Pools::kManyAttributeBytes) {
    id = pools_->AddAttributeBytesView(bytes->view());
    pools_->KeepAlive(bytes);
  } else {
    id = pools_->AddAttributeBytes(bytes->view());
  }
  return Add(Opcode::kConstant, pools_->shapes().Intern(literal.shape()), id,
             {});
}

Node GraphWriter::Tuple(absl::Span<const Node> elements, bool unless_one) {
  if (unless_one && elements.size() == 1) return elements[0];
  std::vector<Shape> shapes;
  shapes.reserve(elements.size());
  for (const Node element : elements) shapes.push_back(shape(element));
  return Add(Opcode::kTuple, Shape::Tuple(std::move(shapes)), NoAttributes(),
             elements);
}

Node GraphWriter::Element(Node tuple, int64_t index) {
  const absl::Span<const Shape> elements = shape(tuple).elements();
  const Shape element = static_cast<size_t>(index) < elements.size()
                            ? elements[static_cast<size_t>(index)]
                            : Shape();
  return Add(Opcode::kGetTupleElement, element,
             GetTupleElementAttributes{index}, {tuple});
}

void GraphWriter::SetAttributeBytes(Node node, AttributeBytesView bytes) {
  frame().instructions[node].attribute_bytes = pools_->AddAttributeBytes(bytes);
}

AttributeBytesView GraphWriter::attribute_bytes(Node node) const {
  return pools_->attribute_bytes(frame().instructions[node].attribute_bytes);
}

absl::Span<const Node> GraphWriter::operands(Node node) const {
  const InstructionRecord& record = frame().instructions[node];
  return absl::MakeConstSpan(frame().operands)
      .subspan(record.first_operand, record.operand_count);
}

std::vector<uint32_t> GraphWriter::callees(Node node) const {
  const InstructionRecord& record = frame().instructions[node];
  const absl::Span<const uint32_t> found =
      absl::MakeConstSpan(frame().operands)
          .subspan(record.first_operand + record.operand_count,
                   record.callee_count);
  return {found.begin(), found.end()};
}

absl::Span<const Node> GraphWriter::outer_operands(Node outer) const {
  const Frame& f = open_[open_.size() - 2];
  const InstructionRecord& record = f.instructions[outer];
  return absl::MakeConstSpan(f.operands)
      .subspan(record.first_operand, record.operand_count);
}

Node GraphWriter::Copy(Node outer, absl::Span<const Node> operands) {
  InstructionRecord record = outer_record(outer);
  if (record.name) record.name = SplatName();  // nothing else has a name
  return Push(record, operands, {});
}

Node GraphWriter::Inline(const Module& module,
                         absl::Span<const Node> arguments) {
  const ModuleData& from = internal::DataOf(module);
  internal::IdMap map(from.pools, pools_.get());
  const uint32_t entry = from.entry;
  // The called computations first; `from` lists callees before callers.
  absl::flat_hash_map<uint32_t, uint32_t> computations;
  const auto callee_of = [&](uint32_t c) { return computations.at(c); };
  for (const uint32_t c : internal::Reachable(from, {entry})) {
    if (c == entry) continue;
    const uint32_t index = internal::AppendComputation(
        from, c, internal::ControlForm::kPositions,
        internal::ControlForm::kPositions, callee_of, &map, data_.get());
    computations.emplace(c, index);
    TextPositions& places = places_.emplace_back();
    for (uint32_t i = 0; i < from.computations[c].count; ++i) {
      places.Add(place_);
    }
  }
  std::vector<Node> nodes;
  std::vector<Node> operands;
  std::vector<uint32_t> callees;
  for (const InstructionRecord& old : from.Instructions(entry)) {
    if (old.opcode == Opcode::kParameter) {
      const auto number = static_cast<size_t>(from.ParameterNumber(old));
      nodes.push_back(number < arguments.size() ? arguments[number] : 0);
      continue;
    }
    InstructionRecord record = old;
    record.shape = map.Map(old.shape);
    record.attribute_bytes = map.Map(old.attribute_bytes);
    record.name = NameId();
    record.metadata = metadata_;
    operands.clear();
    for (const uint32_t operand : from.Operands(old)) {
      operands.push_back(nodes[operand]);
    }
    callees.clear();
    for (const uint32_t callee : from.Callees(old)) {
      callees.push_back(callee_of(callee));
    }
    nodes.push_back(Push(record, operands, callees));
  }
  return nodes[from.computations[entry].root];
}

Signature GraphWriter::SignatureOf(uint32_t computation) const {
  Signature signature;
  const ComputationRecord& record = data_->computations[computation];
  const ShapeTable& shapes = pools_->shapes();
  for (const uint32_t i : data_->Parameters(computation)) {
    if (i < record.count) {
      signature.parameters.push_back(
          shapes.shape(data_->Record(computation, i).shape));
    }
  }
  signature.result =
      shapes.shape(data_->Record(computation, record.root).shape);
  return signature;
}

void GraphWriter::LayOut() {
  ShapeTable& shapes = pools_->shapes();
  std::vector<ShapeId> laid_out(shapes.size());
  for (InstructionRecord& record : data_->instructions) {
    ShapeId& with_layout = laid_out[record.shape.value];
    if (!with_layout) {
      with_layout =
          shapes.Intern(shapes.shape(record.shape).WithDefaultLayout());
    }
    record.shape = with_layout;
  }
}

Module GraphWriter::Finish(uint32_t entry, absl::string_view name) {
  LayOut();
  data_->entry = entry;
  data_->name = std::string(name);
  if (!file_.empty()) {
    auto places = std::make_shared<TextPositions>(file_);
    for (const TextPositions& of : places_) places->Append(of);
    data_->places = std::move(places);
  }
  return internal::ModuleOf(std::move(data_));
}

}  // namespace indim::mlir
