// The recorder's regions: computations that are recorded inside another one,
// and the values of the outer ones that they capture.

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "indim/builder/record_util.h"
#include "indim/builder/recorder.h"
#include "indim/ir/append_record.h"

namespace indim::internal {
namespace {

uint64_t PlaceKey(size_t depth, uint32_t node) {
  return uint64_t{depth} << 32 | node;
}

}  // namespace

// --- Enclosing computations --------------------------------------------------

void Recorder::Enter(Frame frame) {
  outer_.push_back(std::move(frame_));
  frame_ = std::move(frame);
}

Frame Recorder::Leave() {
  Snapshots snapshots(*this);
  for (PendingDiagnostic& pending : diagnostics_) {
    if (pending.depth != outer_.size() || pending.node == kNoNode ||
        pending.rendered != nullptr) {
      continue;
    }
    pending.rendered = std::make_shared<const CallDiagnostic>(
        ToCallDiagnostic(&snapshots, pending));
  }
  Frame frame = std::move(frame_);
  frame_ = std::move(outer_.back());
  outer_.pop_back();
  return frame;
}

void Recorder::LeaveTo(size_t depth) {
  while (outer_.size() > depth) {
    const Frame frame = Leave();
    ended_.push_back(frame.control);
    set_sharding(frame.region->sharding);
  }
}

// --- Capturing ---------------------------------------------------------------

uint32_t Recorder::AppendTo(Frame* frame, Opcode opcode,
                            absl::Span<const uint32_t> operands, ShapeId shape,
                            AttributeBytesId attributes, MetadataId metadata) {
  InstructionRecord& record = AppendRecord(
      operands, /*callees=*/{}, &frame->operands, &frame->instructions);
  record.opcode = opcode;
  record.shape = shape;
  record.attribute_bytes = attributes;
  record.metadata = metadata;
  return static_cast<uint32_t>(frame->instructions.size() - 1);
}

AttributeBytesId Recorder::ElementBytes(size_t index) {
  return shared_->attribute_ids().Of(
      Opcode::kGetTupleElement,
      GetTupleElementAttributes{static_cast<int64_t>(index)});
}

AttributeBytesId Recorder::ParameterBytes(size_t number) {
  return shared_->attribute_ids().Of(
      Opcode::kParameter, ParameterAttributes{static_cast<int64_t>(number)});
}

bool Recorder::Local(Op outer, Caller caller, uint32_t* node,
                     Diagnostic* refusal) {
  const Frame* const origin = FrameOf(outer);
  size_t depth = 0;
  while (&At(depth) != origin) ++depth;
  const auto known = frame_.region->local.find(PlaceKey(depth, outer.node_));
  if (known != frame_.region->local.end()) {
    *node = known->second;
    return true;
  }
  const InstructionRecord record = origin->instructions[outer.node_];
  if (record.opcode == Opcode::kConstant) {
    *node = CopyConstant(record, caller);
    frame_.region->local[PlaceKey(depth, outer.node_)] = *node;
    return true;
  }
  const Shape& shape = shared_->pools().shapes().shape(record.shape);
  for (size_t d = depth + 1; d <= outer_.size(); ++d) {
    const CaptureForm form = At(d).region->form;
    if (form == CaptureForm::kNone ||
        (form == CaptureForm::kScalarParameters && !shape.is_scalar())) {
      *refusal = Make(Code::kRegionCapture,
                      {Describe(outer), At(d).name,
                       std::string(form == CaptureForm::kNone
                                       ? "its parameters"
                                       : "its parameters and scalars")});
      return false;
    }
  }
  // Each computation between hands the value on.
  Op value = outer;
  for (size_t d = depth + 1; d <= outer_.size(); ++d) {
    Frame& frame = At(d);
    const auto [at, is_new] =
        frame.region->local.try_emplace(PlaceKey(d - 1, value.node_), 0);
    if (is_new) at->second = AddCaptured(&frame, value, caller);
    value = OpIn(frame, at->second);
  }
  *node = value.node_;
  return true;
}

uint32_t Recorder::CopyConstant(const InstructionRecord& constant,
                                Caller caller) {
  return AppendTo(&frame_, Opcode::kConstant, {}, constant.shape,
                  constant.attribute_bytes, MetadataOf(caller));
}

uint32_t Recorder::AddCaptured(Frame* frame, Op outer, Caller caller) {
  RegionPart& region = *frame->region;
  const InstructionRecord record = FrameOf(outer)->instructions[outer.node_];
  uint32_t node;
  if (region.form == CaptureForm::kTuple) {
    // The place is the final one once all that is captured is known.
    node =
        AppendTo(frame, Opcode::kGetTupleElement, {0}, record.shape,
                 ElementBytes(region.arguments.size() + region.captured.size()),
                 MetadataOf(caller));
  } else {
    const size_t number = frame->parameters.size();
    node = AppendTo(frame, Opcode::kParameter, {}, record.shape,
                    ParameterBytes(number), MetadataOf(caller));
    frame->parameters[static_cast<int64_t>(number)] = node;
  }
  frame->instructions[node].name = record.name;
  region.captured.push_back({outer, node});
  return node;
}

// --- Begin and end -----------------------------------------------------------

Region Recorder::BeginRegion(absl::string_view name,
                             absl::Span<const Shape> arguments,
                             CaptureForm form, Caller caller) {
  Region region;
  if (built_) {
    AddDiagnostic("BeginRegion", Make(Code::kUsedAfterBuild), caller);
    region.arguments_.assign(arguments.size(), NoOp());
    return region;
  }
  Frame frame;
  frame.control = AcquireControl(this);
  frame.generation = frame.control->generation.load(std::memory_order_relaxed);
  frame.name =
      std::string(IsValidUtf8(name) && !name.empty() ? name : "region");
  frame.region = std::make_unique<RegionPart>();
  frame.region->form = form;
  frame.region->errors_before = error_count_;
  frame.region->sharding = std::move(sharding_);
  set_sharding(std::nullopt);
  region.control_ = frame.control;
  region.generation_ = frame.generation;
  region.outer_control_ = frame_.control;
  region.outer_generation_ = frame_.generation;
  Enter(std::move(frame));
  if (form == CaptureForm::kTuple) {
    // SetTuple() gives it its shape.
    frame_.parameters[0] =
        AppendTo(&frame_, Opcode::kParameter, {},
                 shared_->pools().shapes().Intern(Shape::Tuple({})),
                 ParameterBytes(0), MetadataOf(caller));
  }
  for (const Shape& shape : arguments) {
    region.arguments_.push_back(AppendArgument(shape, caller));
  }
  return region;
}

Op Recorder::AppendArgument(const Shape& shape, Caller caller) {
  RegionPart& part = *frame_.region;
  const size_t number = part.arguments.size();
  const ShapeId id = shared_->pools().shapes().Intern(shape);
  uint32_t node;
  if (part.form == CaptureForm::kTuple) {
    node = AppendTo(&frame_, Opcode::kGetTupleElement, {0}, id,
                    ElementBytes(number), MetadataOf(caller));
  } else {
    node = AppendTo(&frame_, Opcode::kParameter, {}, id, ParameterBytes(number),
                    MetadataOf(caller));
    frame_.parameters[static_cast<int64_t>(number)] = node;
  }
  part.arguments.push_back(node);
  InferContext context;
  if (!CheckShape(shape, &context)) {
    frame_.instructions[node].shape = ShapeId{};
    for (Diagnostic& error : *context.mutable_diagnostics()) {
      Keep({std::move(error), node, "", caller});
    }
  }
  return OpOf(node);
}

std::optional<size_t> Recorder::DepthOf(const Region& region) const {
  for (size_t depth = 1; depth <= outer_.size(); ++depth) {
    if (At(depth).control == region.control_ &&
        At(depth).generation == region.generation_) {
      return depth;
    }
  }
  return std::nullopt;
}

Op Recorder::AddArgument(Region* region, const Shape& shape, Caller caller) {
  const std::optional<size_t> depth = DepthOf(*region);
  if (!depth || *depth != outer_.size() ||
      frame_.region->form != CaptureForm::kTuple) {
    AddDiagnostic("AddArgument", Make(Code::kRegionElsewhere), caller);
    return NoOp();
  }
  region->arguments_.push_back(AppendArgument(shape, caller));
  return region->arguments_.back();
}

void Recorder::EndRegion(Region* region, absl::Span<const Op> results,
                         Caller caller) {
  const std::optional<size_t> depth = DepthOf(*region);
  if (!depth) {
    // After a build BeginRegion() has reported it.
    if (!built_) {
      AddDiagnostic("EndRegion", Make(Code::kRegionElsewhere), caller);
    }
    return;
  }
  if (*depth != outer_.size()) {
    AddDiagnostic("EndRegion", Make(Code::kRegionOpen, {frame_.name}), caller);
    LeaveTo(*depth);
  }
  RegionPart& part = *frame_.region;
  Nodes nodes;
  Op failed;
  if (Resolve(Opcode::kTuple, results, caller, &nodes, &failed)) {
    part.results.assign(nodes.begin(), nodes.end());
  } else {
    part.failed = true;
  }
  if (error_count_ > part.errors_before) part.failed = true;
  Frame frame = Leave();
  ended_.push_back(frame.control);
  set_sharding(std::move(frame.region->sharding));
  region->frame_ = std::make_unique<Frame>(std::move(frame));
  region->control_ = nullptr;
}

void Recorder::DropRegion(Region* region) {
  const std::optional<size_t> depth = DepthOf(*region);
  if (!depth) return;
  const std::string name = At(*depth).name;
  LeaveTo(*depth - 1);
  AddDiagnostic("Region", Make(Code::kRegionDropped, {name}), Caller{});
}

// --- Calls -------------------------------------------------------------------

bool Recorder::CheckOperands(Opcode opcode, absl::Span<const Op> operands,
                             Caller caller, Op* failed) {
  Nodes nodes;
  return Resolve(opcode, operands, caller, &nodes, failed);
}

bool Recorder::CheckEnded(Opcode opcode, const Region& region, CaptureForm form,
                          Caller caller, Op* failed) {
  if (built_) {
    *failed = NoOp();
    return false;
  }
  if (region.frame_ == nullptr || region.outer_control_ != frame_.control ||
      region.outer_generation_ != frame_.generation ||
      region.frame_->region->form != form) {
    *failed = Reject(opcode, {}, Code::kRegionElsewhere, {}, caller);
    return false;
  }
  if (region.frame_->region->failed) {
    *failed = Reject(opcode, {}, {}, caller);
    return false;
  }
  return true;
}

bool Recorder::CheckResults(Opcode opcode, const Region& region, size_t count,
                            Caller caller, Op* failed) {
  const size_t own = region.frame_->region->results.size();
  if (own == count) return true;
  *failed = Reject(opcode, {}, Code::kRegionResults,
                   {region.frame_->name, static_cast<int64_t>(own),
                    static_cast<int64_t>(count)},
                   caller);
  return false;
}

std::vector<Op> Recorder::CapturedOps(const Region& region) {
  std::vector<Op> ops;
  for (const RegionPart::Captured& captured : region.frame_->region->captured) {
    ops.push_back(captured.outer);
  }
  return ops;
}

void Recorder::SetTuple(Region* region, absl::Span<const Op> captured) {
  Frame& frame = *region->frame_;
  const RegionPart& part = *frame.region;
  ShapeTable& shapes = shared_->pools().shapes();
  std::vector<Shape> elements;
  for (const uint32_t node : part.arguments) {
    elements.push_back(shapes.shape(frame.instructions[node].shape));
  }
  for (const Op op : captured) elements.push_back(*ShapeOf(op));
  frame.instructions[0].shape = shapes.Intern(Shape::Tuple(elements));
  for (const RegionPart::Captured& own : part.captured) {
    const auto at =
        std::find_if(captured.begin(), captured.end(),
                     [&](const Op& op) { return op.node_ == own.outer.node_; });
    const size_t place = static_cast<size_t>(at - captured.begin());
    frame.instructions[own.node].attribute_bytes =
        ElementBytes(part.arguments.size() + place);
  }
}

std::optional<Callee> Recorder::Adopt(Region* region, bool as_tuple,
                                      absl::Span<const Op> captured,
                                      Caller caller, bool once) {
  Enter(std::move(*region->frame_));
  const ForItself own(this);
  const RegionPart& part = *frame_.region;
  Op root = part.results.empty() ? Op() : OpOf(part.results[0]);
  if (as_tuple || part.results.size() != 1) {
    std::vector<Op> elements;
    for (const uint32_t node : part.results) elements.push_back(OpOf(node));
    for (size_t i = 0; i < captured.size(); ++i) {
      elements.push_back(CapturedHere(captured[i], i, caller));
    }
    root = Record({Opcode::kTuple, elements}, caller);
  }
  if (StateOf(root) != OpState::kGood) {  // the tuple nests too deeply
    Leave();
    return std::nullopt;
  }
  frame_.root = root.node_;
  const absl::InlinedVector<ShapeId, 6> signature = OwnSignature();
  ModuleData records = TakeOwn();
  Leave();
  return Callee(shared_, once
                             ? shared_->AdoptOnce(std::move(records), signature)
                             : shared_->Adopt(std::move(records), signature));
}

Op Recorder::CapturedHere(Op outer, size_t place, Caller caller) {
  for (const RegionPart::Captured& own : frame_.region->captured) {
    if (own.outer.node_ == outer.node_) return OpOf(own.node);
  }
  return OpOf(AppendTo(&frame_, Opcode::kGetTupleElement, {0},
                       outer_.back().instructions[outer.node_].shape,
                       ElementBytes(frame_.region->arguments.size() + place),
                       MetadataOf(caller)));
}

std::vector<Op> Recorder::While(absl::Span<const Op> init, size_t own,
                                Region condition, Region body, Caller caller) {
  constexpr Opcode kOpcode = Opcode::kWhile;
  const size_t count = init.size();
  Op failed;
  if (!CheckEnded(kOpcode, condition, CaptureForm::kTuple, caller, &failed) ||
      !CheckEnded(kOpcode, body, CaptureForm::kTuple, caller, &failed) ||
      !CheckResults(kOpcode, condition, 1, caller, &failed) ||
      !CheckResults(kOpcode, body, count, caller, &failed)) {
    return std::vector<Op>(count, failed);
  }
  std::vector<Op> captured = CapturedOps(body);
  for (const Op op : CapturedOps(condition)) {
    if (std::none_of(captured.begin(), captured.end(),
                     [&](Op known) { return known.node_ == op.node_; })) {
      captured.push_back(op);
    }
  }
  SetTuple(&condition, captured);
  SetTuple(&body, captured);
  const std::optional<Callee> looped = Adopt(&body, true, captured, caller);
  const std::optional<Callee> tested = Adopt(&condition, false, {}, caller);
  if (!looped || !tested) {
    return std::vector<Op>(count, Reject(kOpcode, {}, {}, caller));
  }
  const Callee callees[] = {*looped, *tested};  // as on the wire
  std::vector<Op> elements(init.begin(), init.end());
  elements.insert(elements.end(), captured.begin(), captured.end());
  Op result;
  {
    const ForItself part(this);
    const Op state = Record({Opcode::kTuple, elements}, caller);
    result = Record({kOpcode, {state}, nullptr, nullptr, callees}, caller);
  }
  return Elements(result, own, count, caller);
}

std::vector<Op> Recorder::Conditional(Op selector, ElementType type,
                                      absl::Span<Region> branches,
                                      Caller caller) {
  constexpr Opcode kOpcode = Opcode::kConditional;
  Op failed;
  size_t count = 1;
  for (size_t i = 0; i < branches.size(); ++i) {
    if (!CheckEnded(kOpcode, branches[i], CaptureForm::kTuple, caller,
                    &failed)) {
      return {failed};
    }
    if (i == 0) count = branches[i].frame_->region->results.size();
    if (!CheckResults(kOpcode, branches[i], count, caller, &failed)) {
      return std::vector<Op>(count, failed);
    }
  }
  std::vector<Callee> callees;
  std::vector<Op> operands = {selector};
  std::vector<std::vector<Op>> captured;
  for (Region& branch : branches) {
    captured.push_back(CapturedOps(branch));
    SetTuple(&branch, captured.back());
    const std::optional<Callee> callee = Adopt(&branch, false, {}, caller);
    if (!callee) return {Reject(kOpcode, {}, {}, caller)};
    callees.push_back(*callee);
    const ForItself part(this);
    operands.push_back(Record({Opcode::kTuple, captured.back()}, caller));
  }
  const Shape* const index = ShapeOf(selector);
  Op result;
  if (index != nullptr && index->element_type() != type) {
    Diagnostic wrong = Make(Code::kBranchIndex, {Shape::Scalar(type)});
    wrong.operand = 0;
    result = Reject(kOpcode, operands, {wrong}, caller);
  } else {
    std::optional<ForItself> part;
    if (count != 1) part.emplace(this);
    result = Record({kOpcode, operands, nullptr, nullptr, callees}, caller);
  }
  if (count == 1) return {result};
  return Elements(result, /*own=*/0, count, caller);
}

std::vector<Op> Recorder::Call(Region body, absl::Span<const Op> operands,
                               Caller caller) {
  Op failed;
  if (!CheckEnded(Opcode::kCall, body, CaptureForm::kParameters, caller,
                  &failed)) {
    return {failed};
  }
  const size_t count = body.frame_->region->results.size();
  std::vector<Op> all(operands.begin(), operands.end());
  for (const Op op : CapturedOps(body)) all.push_back(op);
  const std::optional<Callee> callee = Adopt(&body, false, {}, caller);
  if (!callee) return {Reject(Opcode::kCall, {}, {}, caller)};
  std::optional<ForItself> part;
  if (count != 1) part.emplace(this);
  const Op result = Record(
      {Opcode::kCall, all, nullptr, nullptr, absl::MakeConstSpan(&*callee, 1)},
      caller);
  if (count == 1) return {result};
  part.reset();
  return Elements(result, /*own=*/0, count, caller);
}

Op Recorder::Map(Region body, absl::Span<const Op> operands,
                 absl::Span<const int64_t> dimensions, Caller caller) {
  Op failed;
  if (!CheckEnded(Opcode::kMap, body, CaptureForm::kScalarParameters, caller,
                  &failed) ||
      !CheckResults(Opcode::kMap, body, 1, caller, &failed) ||
      !CheckOperands(Opcode::kMap, operands, caller, &failed)) {
    return failed;
  }
  std::vector<Op> all(operands.begin(), operands.end());
  for (const Op op : CapturedOps(body)) {
    // All operands of a map have equal dims.
    Shape shape = *ShapeOf(operands[0]);
    shape.set_element_type(ShapeOf(op)->element_type());
    const Attributes attributes = DimensionsAttributes{};
    const ForItself part(this);
    all.push_back(
        shape.is_scalar()
            ? op
            : Record({Opcode::kBroadcast, {op}, &attributes, &shape}, caller));
  }
  const std::optional<Callee> callee = Adopt(&body, false, {}, caller);
  if (!callee) return Reject(Opcode::kMap, {}, {}, caller);
  const Attributes attributes =
      DimensionsAttributes{DimIndices(dimensions.begin(), dimensions.end())};
  return Record({Opcode::kMap, all, &attributes, nullptr,
                 absl::MakeConstSpan(&*callee, 1)},
                caller);
}

Callee Recorder::CalleeOf(Region region, Caller caller, bool once) {
  Op failed;
  if (!CheckEnded(Opcode::kCall, region, CaptureForm::kNone, caller, &failed)) {
    return Callee(error_count_ == 0 && !is_none()
                      ? absl::InvalidArgumentError("its region was never ended")
                      : Failure(/*limit=*/1));
  }
  std::optional<Callee> callee = Adopt(&region, false, {}, caller, once);
  if (callee) return *std::move(callee);
  return Callee(Failure(/*limit=*/1));
}

}  // namespace indim::internal
