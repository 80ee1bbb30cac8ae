// SPDX-License-Identifier: Apache-2.0
#include "indim/ir/module_builder.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "indim/ir/constant_bytes.h"
#include "indim/ir/link.h"
#include "indim/ir/module_access.h"
#include "indim/proto/codec/attribute_wire.h"
#include "indim/proto/codec/literal.h"

namespace indim {

ModuleBuilder::ModuleBuilder(std::string file)
    : data_(std::make_shared<ModuleData>()),
      pools_(data_->pools),
      file_(std::move(file)),
      has_places_(!file_.empty()) {}

ModuleBuilder::ModuleBuilder(const ModuleData& old)
    : data_(std::make_shared<ModuleData>()),
      pools_(old.pools),
      file_(old.places == nullptr ? "" : old.places->file()),
      has_places_(old.places != nullptr),
      old_(&old) {
  static_cast<ModuleProperties&>(*data_) = old;
  data_->pools = pools_;
  data_->entry = old.entry;
  data_->computations.reserve(old.computations.size());
  data_->instructions.reserve(old.instructions.size());
  data_->operands.reserve(old.operands.size());
  data_->ids.reserve(old.instructions.size());
}

// --- Computations ------------------------------------------------------------

void ModuleBuilder::Begin(absl::string_view name) {
  ComputationRecord record;
  record.name = pools_->AddName(name);
  Begin(record);
  frame().is_new = true;
}

void ModuleBuilder::Begin(const ComputationRecord& like) {
  Frame& f = open_.emplace_back();
  f.record = like;
  f.is_new = false;
  if (old_ == nullptr) return;
  f.first = static_cast<uint32_t>(data_->instructions.size());
  f.instructions.swap(data_->instructions);
  f.operands.swap(data_->operands);
}

uint32_t ModuleBuilder::End(Node root) {
  Frame f = std::move(open_.back());
  open_.pop_back();
  ModuleData& data = *data_;
  const uint32_t index = static_cast<uint32_t>(data.computations.size());
  f.record.root = root;
  if (f.is_new) f.record.id = int64_t{index} + 1;
  uint32_t first = f.first;
  if (old_ != nullptr) {
    data.instructions.swap(f.instructions);
    data.operands.swap(f.operands);
  } else {
    first = static_cast<uint32_t>(data.instructions.size());
    AppendRecords(std::move(f.instructions), std::move(f.operands),
                  &data.operands, &data.instructions);
  }
  f.record.first = first;
  f.record.count = static_cast<uint32_t>(data.instructions.size()) - first;
  data.computations.push_back(f.record);
  for (auto& [node, name] : f.opcode_names) {
    data.opcode_names.emplace_back(first + node, std::move(name));
  }
  places_.push_back(std::move(f.places));
  return index;
}

uint32_t ModuleBuilder::Declare(absl::string_view name,
                                const Signature& signature) {
  Begin(name);
  int64_t number = 0;
  for (const Shape& shape : signature.parameters) {
    Parameter(number++, shape, "");
  }
  return End(Add(Opcode::kInvalid, signature.result, NoAttributes(), {}));
}

void ModuleBuilder::TakeBack(uint32_t computation) {
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

Signature ModuleBuilder::SignatureOf(uint32_t computation) const {
  return internal::ComputationOf(data_.get(), computation).signature();
}

// --- Instructions ------------------------------------------------------------

void ModuleBuilder::KeepNames(const InstructionDetails& details) {
  Frame& f = frame();
  const Node node = count() - 1;
  if (!details.opcode_name.empty()) {
    f.opcode_names.emplace_back(node, std::string(details.opcode_name));
  }
  if (has_places_ && !details.text_name.empty()) {
    f.places.SetName(node, details.text_name);
  }
}

InstructionDetails ModuleBuilder::NewDetails() {
  InstructionDetails details;
  details.place = place_;
  if (old_ == nullptr) return details;
  if (last_low_id_ < 0) {
    last_low_id_ = 0;
    for (uint32_t i = 0; i < old_->instructions.size(); ++i) {
      last_low_id_ = std::max(last_low_id_, old_->InstructionId(i) & kLowHalf);
    }
  }
  details.id = high_half_ | ++last_low_id_;
  return details;
}

ModuleBuilder::Node ModuleBuilder::AddLike(const InstructionRecord& like,
                                           absl::Span<const Node> operands,
                                           absl::Span<const uint32_t> callees) {
  return AddLike(like, operands, callees, NewDetails());
}

ModuleBuilder::Node ModuleBuilder::Add(Opcode opcode, ShapeId shape,
                                       AttributeBytesId attribute_bytes,
                                       absl::Span<const Node> operands,
                                       absl::Span<const uint32_t> callees) {
  InstructionRecord record;
  record.opcode = opcode;
  record.shape = shape;
  record.attribute_bytes = attribute_bytes;
  record.metadata = metadata_;
  return AddLike(record, operands, callees);
}

ModuleBuilder::Node ModuleBuilder::Add(Opcode opcode, const Shape& shape,
                                       const Attributes& attributes,
                                       absl::Span<const Node> operands,
                                       absl::Span<const uint32_t> callees) {
  const AttributeBytesId bytes =
      std::holds_alternative<NoAttributes>(attributes)
          ? AttributeBytesId()
          : pools_->AddAttributeBytes(
                EncodeAttributes(opcode, attributes).view());
  return Add(opcode, pools_->shapes().Intern(shape), bytes, operands, callees);
}

ModuleBuilder::Node ModuleBuilder::Parameter(int64_t number, const Shape& shape,
                                             absl::string_view name) {
  const Node node =
      Add(Opcode::kParameter, shape, ParameterAttributes{number}, {});
  if (!name.empty()) SetName(node, name);
  return node;
}

ModuleBuilder::Node ModuleBuilder::Constant(const Literal& literal) {
  return Add(Opcode::kConstant, pools_->shapes().Intern(literal.shape()),
             AddConstant(literal, pools_.get()), {});
}

ModuleBuilder::Node ModuleBuilder::Tuple(absl::Span<const Node> elements,
                                         bool unless_one) {
  if (unless_one && elements.size() == 1) return elements[0];
  std::vector<Shape> shapes;
  shapes.reserve(elements.size());
  for (const Node element : elements) shapes.push_back(shape(element));
  return Add(Opcode::kTuple, Shape::Tuple(std::move(shapes)), NoAttributes(),
             elements);
}

ModuleBuilder::Node ModuleBuilder::Element(Node tuple, int64_t index) {
  const absl::Span<const Shape> elements = shape(tuple).elements();
  const Shape element = static_cast<size_t>(index) < elements.size()
                            ? elements[static_cast<size_t>(index)]
                            : Shape();
  return Add(Opcode::kGetTupleElement, element,
             GetTupleElementAttributes{index}, {tuple});
}

ModuleBuilder::Node ModuleBuilder::Inline(const Module& module,
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
    nodes.push_back(AddMapped(
        record, from.Operands(old), [&](uint32_t k) { return nodes[k]; },
        from.Callees(old), callee_of, NewDetails()));
  }
  return nodes[from.computations[entry].root];
}

// --- The module --------------------------------------------------------------

std::shared_ptr<ModuleData> ModuleBuilder::Take() {
  if (has_places_) {
    auto places = std::make_shared<TextPositions>(std::move(file_));
    for (const TextPositions& of : places_) places->Append(of);
    data_->places = std::move(places);
  }
  return std::move(data_);
}

Module ModuleBuilder::Finish(uint32_t entry, absl::string_view name) {
  data_->entry = entry;
  data_->name = std::string(name);
  return internal::ModuleOf(Take());
}

}  // namespace indim
