// SPDX-License-Identifier: Apache-2.0
// ModuleBuilder: makes a module, computation by computation. Open computations
// nest; each is appended to the module when it ends, so callees precede their
// callers. It checks and infers nothing: the verifier judges the result.
//
//   ModuleBuilder builder;
//   builder.Begin("main");
//   const uint32_t x = builder.Parameter(0, shape, "x");
//   const uint32_t y =
//       builder.Add(Opcode::kNegate, shape, NoAttributes(), {x});
//   const uint32_t main = builder.End(y);
//   Module module = builder.Finish(main, "m");
//
// Passes that make a module again give it the old one, and add the instructions
// that stay with AddLike.

#ifndef INDIM_IR_MODULE_BUILDER_H_
#define INDIM_IR_MODULE_BUILDER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/ir/append_record.h"
#include "indim/ir/ids.h"
#include "indim/ir/module.h"
#include "indim/ir/module_data.h"
#include "indim/ir/pools.h"
#include "indim/ir/storage/column.h"
#include "indim/ir/text_positions.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/shape/infer/signature.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/shape.h"

namespace indim {

class Literal;

// What a module keeps of an instruction beside its record.
struct InstructionDetails {
  int64_t id = 0;
  TextPlace place;
  absl::string_view opcode_name;  // of an opcode that the table lacks
  absl::string_view text_name;    // TextPositions::name
};
inline InstructionDetails DetailsOf(const ModuleData& data, uint32_t position) {
  InstructionDetails details;
  details.id = data.InstructionId(position);
  if (data.instructions[position].unknown_opcode) {
    details.opcode_name = data.OpcodeName(position);
  }
  if (data.places != nullptr) {
    details.place = data.places->at(position);
    details.text_name = data.places->name(position);
  }
  return details;
}

class ModuleBuilder {
 public:
  // The position of an instruction in the innermost open computation.
  using Node = uint32_t;

  // `file` names the text that places are of; empty: there are none.
  explicit ModuleBuilder(std::string file = "");
  // Begins with the header, the entry and the pools of `old`, which must
  // outlive this. Its instructions keep their ids and places; new ones get
  // unused ids. Computations don't nest then, and data() is whole only between
  // them.
  explicit ModuleBuilder(const ModuleData& old);
  ModuleBuilder(const ModuleBuilder&) = delete;
  ModuleBuilder& operator=(const ModuleBuilder&) = delete;

  // --- Computations ----------------------------------------------------------

  void Begin(absl::string_view name);
  // `like` gives all but the instructions and the root.
  void Begin(const ComputationRecord& like);
  // Ends the innermost open computation. Returns its index in the module.
  uint32_t End(Node root);
  // Adds a computation by its signature alone: parameters, and a root without
  // an opcode. It can be called, and stands for another one.
  uint32_t Declare(absl::string_view name, const Signature& signature);
  // Takes back a computation that ended last, if nothing calls it.
  void TakeBack(uint32_t computation);
  // Drops the innermost open computation.
  void Drop() { open_.pop_back(); }
  // The number of instructions in the innermost open computation.
  uint32_t count() const {
    return static_cast<uint32_t>(frame().instructions.size()) - frame().first;
  }
  // The parameters and the result of a computation that ended.
  Signature SignatureOf(uint32_t computation) const;

  // --- Instructions ----------------------------------------------------------

  // What Add() gives instructions from now on: the place and the metadata, and
  // the high half of the id where instructions have ids of their own.
  void SetPlace(TextPlace place) { place_ = place; }
  void SetMetadata(MetadataId metadata) { metadata_ = metadata; }
  void SetHighHalf(int64_t id) { high_half_ = id & ~kLowHalf; }

  Node Add(Opcode opcode, ShapeId shape, AttributeBytesId attribute_bytes,
           absl::Span<const Node> operands,
           absl::Span<const uint32_t> callees = {});
  Node Add(Opcode opcode, const Shape& shape, const Attributes& attributes,
           absl::Span<const Node> operands,
           absl::Span<const uint32_t> callees = {});
  // An instruction like another one, with its name and metadata; its details
  // are those set above.
  Node AddLike(const InstructionRecord& like, absl::Span<const Node> operands,
               absl::Span<const uint32_t> callees);
  // The same, with details of its own.
  Node AddLike(const InstructionRecord& like, absl::Span<const Node> operands,
               absl::Span<const uint32_t> callees,
               const InstructionDetails& details) {
    Frame& f = frame();
    AppendRecordLike(like, operands, callees, &f.operands, &f.instructions);
    return Keep(details);
  }
  // The same, with what the functions make of operands and callees.
  template <typename OperandOf, typename CalleeOf>
  Node AddMapped(const InstructionRecord& like,
                 absl::Span<const uint32_t> operands,
                 const OperandOf& operand_of,
                 absl::Span<const uint32_t> callees, const CalleeOf& callee_of,
                 const InstructionDetails& details) {
    Frame& f = frame();
    AppendRecordMapped(like, operands, operand_of, callees, callee_of,
                       &f.operands, &f.instructions);
    return Keep(details);
  }
  Node Parameter(int64_t number, const Shape& shape, absl::string_view name);
  Node Constant(const Literal& literal);
  // A tuple of `elements`; of one element the element itself if `unless_one`.
  Node Tuple(absl::Span<const Node> elements, bool unless_one = false);
  Node Element(Node tuple, int64_t index);
  // Copies the instructions of `module`'s entry into the innermost open
  // computation, with `arguments` for its parameters, and the computations that
  // it calls. Returns the value of its root. Not for a module made again.
  Node Inline(const Module& module, absl::Span<const Node> arguments);

  void SetName(Node node, absl::string_view name) {
    frame().at(node).name = pools_->AddName(name);
  }
  void SetAttributeBytes(Node node, AttributeBytesView bytes) {
    frame().at(node).attribute_bytes = pools_->AddAttributeBytes(bytes);
  }

  // Of the innermost open computation.
  const InstructionRecord& record(Node node) const { return frame().at(node); }
  const Shape& shape(Node node) const { return ShapeOf(record(node)); }
  AttributeBytesView attribute_bytes(Node node) const {
    return pools_->attribute_bytes(record(node).attribute_bytes);
  }
  absl::Span<const Node> operands(Node node) const {
    return frame().Operands(node);
  }
  // Of the next outer one.
  const InstructionRecord& outer_record(Node outer) const {
    return outer_frame().at(outer);
  }
  absl::Span<const Node> outer_operands(Node outer) const {
    return outer_frame().Operands(outer);
  }
  const Shape& OuterShape(Node outer) const {
    return ShapeOf(outer_record(outer));
  }

  Pools& pools() { return *pools_; }
  const Pools& pools() const { return *pools_; }
  // Of the computations that ended.
  ModuleData& data() { return *data_; }
  const ModuleData& data() const { return *data_; }

  // The data, complete after the last End.
  std::shared_ptr<ModuleData> Take();
  // The module, with computation `entry` as its entry.
  Module Finish(uint32_t entry, absl::string_view name);

 private:
  // The half of an id that counts where a field names it.
  static constexpr int64_t kLowHalf = 0xffffffff;

  struct Frame {
    InstructionRecord& at(Node node) { return instructions[first + node]; }
    const InstructionRecord& at(Node node) const {
      return instructions[first + node];
    }
    absl::Span<const uint32_t> Operands(Node node) const {
      const InstructionRecord& r = at(node);
      return absl::MakeConstSpan(operands).subspan(r.first_operand,
                                                   r.operand_count);
    }
    ComputationRecord record;
    bool is_new = true;  // its id follows from its index
    // A computation of a module that is made again is written where it stays,
    // behind the others: these are the module's own columns meanwhile.
    uint32_t first = 0;
    Column<InstructionRecord> instructions;
    Column<uint32_t> operands;  // and callees, as in ModuleData
    TextPositions places;
    std::vector<std::pair<Node, std::string>> opcode_names;
  };
  Frame& frame() { return open_.back(); }
  const Frame& frame() const { return open_.back(); }
  const Frame& outer_frame() const { return open_[open_.size() - 2]; }
  const Shape& ShapeOf(const InstructionRecord& record) const {
    return pools_->shapes().shape(record.shape);
  }
  // Keeps the details of the instruction that was added last.
  Node Keep(const InstructionDetails& details) {
    if (old_ != nullptr) data_->ids.push_back(details.id);
    if (has_places_) frame().places.Add(details.place);
    if (!details.opcode_name.empty() || !details.text_name.empty()) {
      KeepNames(details);
    }
    return count() - 1;
  }
  void KeepNames(const InstructionDetails& details);
  // Those of an instruction that has none of its own.
  InstructionDetails NewDetails();

  std::shared_ptr<ModuleData> data_;
  std::shared_ptr<Pools> pools_;
  std::string file_;
  bool has_places_;
  const ModuleData* old_ = nullptr;    // null: ids follow from positions
  int64_t last_low_id_ = -1;           // the largest; -1: not known yet
  std::vector<TextPositions> places_;  // of each computation that ended
  std::vector<Frame> open_;
  TextPlace place_;
  MetadataId metadata_;
  int64_t high_half_ = 0;
};

}  // namespace indim

#endif  // INDIM_IR_MODULE_BUILDER_H_
