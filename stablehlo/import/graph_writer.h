// GraphWriter: writes the graph of a module, computation by computation. Open
// computations nest; each is appended to the module when it ends, so callees
// precede their callers. It checks nothing: the verifier judges the result.
//
//   writer.Begin("main");
//   uint32_t x = writer.Parameter(0, shape, "x");
//   uint32_t y = writer.Add(Opcode::kNegate, shape, NoAttributes(), {x});
//   writer.End(y);

#ifndef INDIM_STABLEHLO_IMPORT_GRAPH_WRITER_H_
#define INDIM_STABLEHLO_IMPORT_GRAPH_WRITER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/codec/literal.h"
#include "indim/ir/module.h"
#include "indim/ir/module_data.h"
#include "indim/ir/text_positions.h"
#include "indim/shape/infer/infer.h"
#include "indim/shape/ops/attributes.h"
#include "indim/wire/attribute_bytes.h"

namespace indim::mlir {

// A value of the innermost open computation: its position there.
using Node = uint32_t;

class GraphWriter {
 public:
  explicit GraphWriter(std::string file);

  // --- Computations ----------------------------------------------------------
  void Begin(absl::string_view name);
  // Ends the innermost open computation. Returns its index in the module.
  uint32_t End(Node root);
  // Takes back a computation that ended last, if nothing calls it.
  void TakeBack(uint32_t computation);
  // Drops the innermost open computation.
  void Drop() { open_.pop_back(); }
  size_t depth() const { return open_.size(); }

  // --- Instructions ----------------------------------------------------------
  // The place and the metadata that Add() gives instructions from now on.
  void SetPlace(TextPlace place) { place_ = place; }
  void SetMetadata(MetadataId metadata) { metadata_ = metadata; }

  Node Add(Opcode opcode, ShapeId shape, AttributeBytesId attribute_bytes,
           absl::Span<const Node> operands,
           absl::Span<const uint32_t> callees = {});
  Node Add(Opcode opcode, const Shape& shape,
           const indim::Attributes& attributes, absl::Span<const Node> operands,
           absl::Span<const uint32_t> callees = {});
  Node Parameter(int64_t number, const Shape& shape, absl::string_view name);
  // A constant. Of several equal elements it is a scalar and its broadcast, as
  // XLA brings it in; the broadcast's name says that it is one (ir/splat.h).
  Node Constant(const Literal& literal);
  bool IsSplat(Node node) const;
  // A tuple of `elements`; of one element the element itself if
  // `unless_one`.
  Node Tuple(absl::Span<const Node> elements, bool unless_one = false);
  Node Element(Node tuple, int64_t index);
  // Replaces the attribute bytes of a node.
  void SetAttributeBytes(Node node, AttributeBytesView bytes);
  AttributeBytesView attribute_bytes(Node node) const;
  // Copies the instructions of `module`'s entry into the innermost open
  // computation, with `arguments` for its parameters, and the computations that
  // it calls. Returns the value of its root.
  Node Inline(const Module& module, absl::Span<const Node> arguments);

  const Shape& shape(Node node) const {
    return pools_->shapes().shape(frame().instructions[node].shape);
  }
  ShapeId shape_id(Node node) const { return frame().instructions[node].shape; }
  const InstructionRecord& record(Node node) const {
    return frame().instructions[node];
  }
  absl::Span<const Node> operands(Node node) const;
  std::vector<uint32_t> callees(Node node) const;
  // Copies an instruction of the next outer computation that has no operands or
  // whose operands are `operands`, without callees, into the innermost one.
  Node Copy(Node outer, absl::Span<const Node> operands);
  const InstructionRecord& outer_record(Node outer) const {
    return open_[open_.size() - 2].instructions[outer];
  }
  absl::Span<const Node> outer_operands(Node outer) const;
  const Shape& OuterShape(Node outer) const {
    return pools_->shapes().shape(outer_record(outer).shape);
  }

  // The parameters and the result of a computation that ended.
  Signature SignatureOf(uint32_t computation) const;
  Pools& pools() { return *pools_; }
  ModuleData& data() { return *data_; }

  // The module, with computation `entry` as its entry. Arrays have default
  // layouts, without which XLA doesn't load a constant.
  Module Finish(uint32_t entry, absl::string_view name);

 private:
  struct Frame {
    std::string name;
    std::vector<InstructionRecord> instructions;
    std::vector<uint32_t> operands;  // and callees, as in ModuleData
    TextPositions places;
  };
  Frame& frame() { return open_.back(); }
  const Frame& frame() const { return open_.back(); }
  Node Push(InstructionRecord record, absl::Span<const Node> operands,
            absl::Span<const uint32_t> callees);
  Node WholeConstant(const Literal& literal);
  void LayOut();
  // A name for one more splat.
  NameId SplatName();

  std::shared_ptr<ModuleData> data_;
  std::shared_ptr<Pools> pools_;
  const std::string file_;
  std::vector<TextPositions> places_;  // of each computation that ended
  std::vector<Frame> open_;
  TextPlace place_;
  MetadataId metadata_;
  uint32_t splats_ = 0;
};

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_IMPORT_GRAPH_WRITER_H_
