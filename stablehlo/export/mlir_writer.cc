// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/export/mlir_writer.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "indim/ir/module_access.h"
#include "indim/ir/splat.h"
#include "indim/shape/types/shape_parts.h"
#include "indim/stablehlo/export/async.h"
#include "indim/stablehlo/export/decompose.h"
#include "indim/stablehlo/export/discardable.h"
#include "indim/stablehlo/export/exporters.h"
#include "indim/stablehlo/export/function_attrs.h"
#include "indim/stablehlo/export/loop_captures.h"
#include "indim/stablehlo/export/node_export.h"

namespace indim::stablehlo_export {
namespace {

// A computation of no more instructions is written into each region that calls
// it; a longer one that several call becomes a function.
constexpr uint32_t kShort = 32;

}  // namespace

// A computation that is being written.
struct MlirWriter::Frame {
  Computation computation;
  RegionId region;
  BlockId block;
  bool is_function = false;
  absl::string_view terminator;
  int next = 0;  // the instruction to write
  // Whether an instruction is an operand or the root. Constants that aren't are
  // left out: StableHLO's reader leaves those behind that it folds. So are the
  // scalars of splats.
  std::vector<bool> used;
  // The values of each instruction so far: a slice of `leaves`.
  std::vector<std::pair<uint32_t, uint32_t>> values;
  std::vector<ValueId> leaves;
  // The finished regions of the instruction `next`.
  std::vector<RegionId> regions;
  // Of a loop's body: the leaves that it doesn't return (loop_captures.h).
  std::vector<bool> dropped;
};

MlirWriter::MlirWriter(const Module& module, const StablehloOptions& options,
                       Shardy* shardy, Ir* ir, Report* report)
    : module_(module),
      data_(internal::DataOf(module)),
      options_(options),
      shardy_(*shardy),
      manual_computations_(shardy),
      ir_(*ir),
      report_(*report),
      types_(&data_.pools->shapes(), ir),
      locations_(data_, options.locations, ir) {}

MlirWriter::~MlirWriter() = default;

void MlirWriter::Write() {
  CountRegionCalls();
  symbols_.SetEntry(module_.entry());
  for (const std::string& symbol : shardy_.symbols()) symbols_.Reserve(symbol);
  shardy_.WriteMeshes();
  WriteFunction(module_.entry(), true);
  while (const std::optional<int> c = symbols_.NextFunction()) {
    WriteFunction(module_.computation(*c), false);
  }
  for (const auto& [function, symbol] : symbols_.decompositions()) {
    AddDecomposition(function, symbol, &ir_);
  }
}

void MlirWriter::CountRegionCalls() {
  region_calls_.assign(data_.computations.size(), 0);
  for (const InstructionRecord& r : data_.instructions) {
    if (r.callee_count == 0 || !HasRegions(r.opcode)) continue;
    for (const uint32_t callee : data_.Callees(r)) ++region_calls_[callee];
  }
  if (!shardy_.has_meshes()) return;
  for (const Computation& computation : module_.computations()) {
    for (const Instruction& i : computation.instructions()) {
      const ManualComputation* const manual = manual_computations_.EndingAt(i);
      if (manual != nullptr) {
        ++region_calls_[static_cast<size_t>(manual->body.index())];
      }
    }
  }
}

bool MlirWriter::IsFunction(const Computation& callee) const {
  const uint32_t c = static_cast<uint32_t>(callee.index());
  if (region_calls_[c] < 2) return false;
  if (data_.computations[c].count > kShort) return true;
  for (const InstructionRecord& r : data_.Instructions(c)) {
    if (r.callee_count > 0) return true;
  }
  return false;
}

// --- Functions and regions ---------------------------------------------------

void MlirWriter::Push(const Computation& computation, RegionId region,
                      bool is_function, const Captured& captured) {
  Frame frame;
  frame.computation = computation;
  frame.region = region;
  frame.block = ir_.AddBlock(region);
  frame.is_function = is_function;
  const uint32_t c = static_cast<uint32_t>(computation.index());
  frame.values.resize(data_.computations[c].count);
  frame.used.resize(data_.computations[c].count);
  frame.used[data_.computations[c].root] = true;
  uint32_t position = 0;
  for (const InstructionRecord& r : data_.Instructions(c)) {
    const uint32_t i = position++;
    if (r.opcode == Opcode::kBroadcast &&
        IsSplat(internal::InstructionOf(&data_, c, i))) {
      continue;
    }
    for (const uint32_t operand : data_.Operands(r)) frame.used[operand] = true;
  }
  for (const uint32_t p : data_.Parameters(c)) {
    if (p >= frame.values.size()) continue;
    const ShapeId shape = data_.Record(c, p).shape;
    const absl::Span<const TypeId> leaves = types_.Leaves(shape);
    const std::string& fault = types_.fault(shape);
    if (!fault.empty()) {
      Refuse(internal::InstructionOf(&data_, c, p), fault,
             "give it a type that StableHLO has");
    }
    const uint32_t first = static_cast<uint32_t>(frame.leaves.size());
    frame.values[p] = {first, static_cast<uint32_t>(leaves.size())};
    const AttrId location =
        locations_.Of(internal::InstructionOf(&data_, c, p));
    for (size_t i = 0; i < leaves.size(); ++i) {
      frame.leaves.push_back(
          first + i < captured.size() && captured[first + i].has_value()
              ? *captured[first + i]
              : ir_.AddArgument(frame.block, leaves[i], {}, location));
    }
  }
  MarkEscaping(data_, c, &escaping_);
  stack_.push_back(std::move(frame));
}

void MlirWriter::WriteFunction(const Computation& computation, bool is_entry) {
  const RegionId region = ir_.AddRegion();
  Push(computation, region, true, {});
  FindNamedSizes();
  Run();
  Ir::OpParts parts =
      FunctionParts(module_, computation, symbols_.Function(computation),
                    is_entry, &types_, &shardy_, &ir_);
  parts.regions = {region};
  ir_.AddOp(ir_.module_block(), std::move(parts));
}

void MlirWriter::FindNamedSizes() {
  named_sizes_.clear();
  const Frame& frame = stack_.back();
  const uint32_t c = static_cast<uint32_t>(frame.computation.index());
  for (const uint32_t p : data_.Parameters(c)) {
    if (p >= frame.values.size()) continue;
    const Shape& shape = data_.pools->shapes().shape(data_.Record(c, p).shape);
    if (!shape.is_symbolic()) continue;
    size_t leaf = frame.values[p].first;
    ForEachLeaf(shape, [&](const Shape& array) {
      named_sizes_.Add(array, frame.leaves[leaf++]);
    });
  }
}

void MlirWriter::Run() {
  while (!stack_.empty()) {
    Frame& frame = stack_.back();
    if (frame.next == frame.computation.instruction_count()) {
      EndFrame();
      continue;
    }
    const Instruction instruction = frame.computation.instruction(frame.next);
    if (instruction.opcode() == Opcode::kParameter ||
        (!frame.used[static_cast<size_t>(frame.next)] &&
         (instruction.opcode() == Opcode::kConstant || IsSplat(instruction)))) {
      ++frame.next;
      continue;
    }
    if (static_cast<int>(frame.regions.size()) < RegionCount(instruction)) {
      StartRegion(instruction, static_cast<int>(frame.regions.size()));
      continue;
    }
    WriteNode(instruction);  // may not move the stack
    frame.regions.clear();
    ++frame.next;
  }
}

int MlirWriter::RegionCount(const Instruction& instruction) {
  if (manual_computations_.EndingAt(instruction) != nullptr) return 1;
  return HasRegions(instruction.opcode()) || IsAsyncRegion(this, instruction)
             ? instruction.callee_count()
             : 0;
}

MlirWriter::Captured MlirWriter::CapturedBy(const Instruction& caller, int k) {
  Captured captured;
  if (caller.opcode() == Opcode::kConditional &&
      k + 1 < caller.operand_count()) {
    const auto values = ValuesOf(caller.operand(k + 1));
    captured.assign(values.begin(), values.end());
  }
  const std::vector<bool> of_loop = LoopCaptures(caller);
  if (of_loop.empty()) return captured;
  const auto values = ValuesOf(caller.operand(0));
  for (size_t i = 0; i < of_loop.size(); ++i) {
    captured.emplace_back();
    if (of_loop[i]) captured.back() = values[i];
  }
  return captured;
}

void MlirWriter::StartRegion(const Instruction& caller, int k) {
  const ManualComputation* const manual = manual_computations_.EndingAt(caller);
  const Computation callee =
      manual != nullptr ? manual->body : caller.callee(k);
  const absl::string_view terminator =
      manual != nullptr ? "sdy.return" : "stablehlo.return";
  const RegionId region = ir_.AddRegion();
  const Captured captured = CapturedBy(caller, k);
  const std::vector<bool> dropped =
      k == 0 ? LoopCaptures(caller) : std::vector<bool>();
  stack_.back().regions.push_back(region);
  if (!IsFunction(callee)) {
    Push(callee, region, false, captured);
    stack_.back().terminator = terminator;
    stack_.back().dropped = dropped;
    return;
  }
  // A region that calls the function.
  const BlockId block = ir_.AddBlock(region);
  std::vector<ValueId> arguments;
  for (const Shape& parameter : callee.signature().parameters) {
    for (const TypeId type : types_.Leaves(parameter)) {
      const size_t i = arguments.size();
      arguments.push_back(i < captured.size() && captured[i].has_value()
                              ? *captured[i]
                              : ir_.AddArgument(block, type));
    }
  }
  const OpId call = AddCall(block, symbols_.Function(callee), arguments,
                            types_.Leaves(callee.root().shape()), &ir_);
  ir_.AddOp(block, terminator,
            WithoutCaptures(ir_.results(ir_.op(call)), dropped), {});
}

void MlirWriter::EndFrame() {
  Frame& frame = stack_.back();
  const Instruction root = frame.computation.root();
  const absl::Span<const ValueId> values = ValuesOf(root);
  for (const ValueId value : values) {
    if (value.valid()) continue;
    Refuse(root, "returns the context of an asynchronous operation",
           "return the values that its done gives");
    break;
  }
  const std::vector<ValueId> all(values.begin(), values.end());
  const OpId end = ir_.AddOp(
      frame.block, frame.is_function ? "func.return" : frame.terminator,
      WithoutCaptures(all, frame.dropped), {});
  ir_.SetOffset(end, OffsetOf(root));
  stack_.pop_back();
}

// --- Instructions ------------------------------------------------------------

absl::Span<const ValueId> MlirWriter::ValuesOf(const Instruction& instruction) {
  const Frame& frame = stack_.back();
  const auto [first, count] =
      frame.values[static_cast<size_t>(instruction.index())];
  return absl::MakeConstSpan(frame.leaves).subspan(first, count);
}

void MlirWriter::WriteNode(const Instruction& instruction) {
  Frame& frame = stack_.back();
  NodeExport node(this, instruction, frame.block, std::move(frame.regions));
  ExportNode(&node);
  std::vector<ValueId>& result = node.result();
  if (!node.has_result()) {
    // It is refused. Its users get values of the right types, so that further
    // errors are found.
    const OpId placeholder =
        ir_.AddOp(frame.block, "indim.refused", {}, node.ResultTypes());
    node.SetResult(ir_.results(ir_.op(placeholder)));
  }
  frame.values[static_cast<size_t>(instruction.index())] = {
      static_cast<uint32_t>(frame.leaves.size()),
      static_cast<uint32_t>(result.size())};
  frame.leaves.insert(frame.leaves.end(), result.begin(), result.end());
}

const std::vector<NamedAttr>& MlirWriter::DiscardableOf(
    const Instruction& instruction) {
  const auto [it, inserted] = discardable_.try_emplace(
      internal::RecordOf(instruction).attribute_bytes.value);
  if (inserted) it->second = Discardable(instruction, &shardy_, &ir_);
  return it->second;
}

bool MlirWriter::Escapes(const Instruction& start) {
  return escaping_.contains(start.position());
}

void MlirWriter::Refuse(const Instruction& instruction,
                        absl::string_view reason, absl::string_view fix) {
  Diagnostic d;
  d.code = Code::kNoStablehloForm;
  d.args.push_back(std::string(reason));
  d.args.push_back(std::string(fix));
  report_.Add({std::move(d),
               static_cast<uint32_t>(instruction.computation().index()),
               static_cast<uint32_t>(instruction.index())});
}

}  // namespace indim::stablehlo_export
