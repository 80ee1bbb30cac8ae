// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/regions.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/builder/build.h"
#include "indim/builder/call_checks.h"
#include "indim/builder/record_util.h"
#include "indim/ir/append_record.h"
#include "indim/shape/fixes/fix.h"

namespace indim::internal {
namespace {

// Appends an instruction of known shape to any open computation.
uint32_t AppendTo(Frame* frame, Opcode opcode,
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

uint64_t PlaceKey(size_t depth, uint32_t node) {
  return uint64_t{depth} << 32 | node;
}

}  // namespace

// --- Enclosing computations --------------------------------------------------

Frame Regions::Leave() {
  // The text of diagnostics is made now, since their nodes go.
  Snapshots snapshots = recorder_.snapshots();
  recorder_.log().Settle(open_.depth(), &snapshots);
  return open_.Leave();
}

void Regions::LeaveTo(size_t depth) {
  while (open_.depth() > depth) {
    const Frame frame = Leave();
    open_.Retire(frame.control);
    recorder_.settings().set_sharding(frame.region->sharding);
  }
}

// --- Capturing ---------------------------------------------------------------

AttributeBytesId Regions::ElementBytes(size_t index) {
  return recorder_.BytesOf(
      Opcode::kGetTupleElement,
      Attributes(GetTupleElementAttributes{static_cast<int64_t>(index)}));
}

AttributeBytesId Regions::ParameterBytes(size_t number) {
  return recorder_.BytesOf(
      Opcode::kParameter,
      Attributes(ParameterAttributes{static_cast<int64_t>(number)}));
}

bool Regions::Local(Op outer, Caller caller, uint32_t* node,
                    Diagnostic* refusal) {
  const Frame* const origin = open_.FrameOf(outer);
  const size_t depth = open_.DepthOf(*origin);
  auto& local = open_.current().region->local;
  const uint64_t place = PlaceKey(depth, OpAccess::Node(outer));
  if (const auto known = local.find(place); known != local.end()) {
    *node = known->second;
    return true;
  }
  const InstructionRecord record = origin->instructions[OpAccess::Node(outer)];
  if (record.opcode == Opcode::kConstant) {
    *node = CopyConstant(record, caller);
    local[place] = *node;
    return true;
  }
  const Shape& shape = recorder_.family()->pools().shapes().shape(record.shape);
  for (size_t d = depth + 1; d <= open_.depth(); ++d) {
    const CaptureForm form = open_.At(d).region->form;
    if (form == CaptureForm::kNone ||
        (form == CaptureForm::kScalarParameters && !shape.is_scalar())) {
      *refusal =
          MakeDiagnostic(Code::kRegionCapture,
                         {Describe(recorder_, outer), open_.At(d).name,
                          std::string(form == CaptureForm::kNone
                                          ? "its parameters"
                                          : "its parameters and scalars")});
      return false;
    }
  }
  // Each computation between hands the value on.
  Op value = outer;
  for (size_t d = depth + 1; d <= open_.depth(); ++d) {
    Frame& frame = open_.At(d);
    const auto [at, is_new] = frame.region->local.try_emplace(
        PlaceKey(d - 1, OpAccess::Node(value)), 0);
    if (is_new) at->second = AddCaptured(&frame, value, caller);
    value = OpenComputations::OpIn(frame, at->second);
  }
  *node = OpAccess::Node(value);
  return true;
}

uint32_t Regions::CopyConstant(const InstructionRecord& constant,
                               Caller caller) {
  return AppendTo(&open_.current(), Opcode::kConstant, {}, constant.shape,
                  constant.attribute_bytes, recorder_.MetadataOf(caller));
}

uint32_t Regions::AddCaptured(Frame* frame, Op outer, Caller caller) {
  RegionPart& region = *frame->region;
  const InstructionRecord record =
      open_.FrameOf(outer)->instructions[OpAccess::Node(outer)];
  uint32_t node;
  if (region.form == CaptureForm::kTuple) {
    // The place is the final one once all that is captured is known.
    node =
        AppendTo(frame, Opcode::kGetTupleElement, {0}, record.shape,
                 ElementBytes(region.arguments.size() + region.captured.size()),
                 recorder_.MetadataOf(caller));
  } else {
    const size_t number = frame->parameters.size();
    node = AppendTo(frame, Opcode::kParameter, {}, record.shape,
                    ParameterBytes(number), recorder_.MetadataOf(caller));
    frame->parameters[static_cast<int64_t>(number)] = node;
  }
  frame->instructions[node].name = record.name;
  region.captured.push_back({outer, node});
  return node;
}

// --- Begin and end -----------------------------------------------------------

Region Regions::Begin(absl::string_view name, absl::Span<const Shape> arguments,
                      CaptureForm form, Caller caller) {
  Region region;
  if (recorder_.built()) {
    recorder_.AddDiagnostic("BeginRegion",
                            MakeDiagnostic(Code::kUsedAfterBuild), caller);
    region.arguments_.assign(arguments.size(), open_.NoOp());
    return region;
  }
  Frame frame =
      open_.NewFrame(IsValidUtf8(name) && !name.empty() ? name : "region");
  frame.region = std::make_unique<RegionPart>();
  frame.region->form = form;
  frame.region->errors_before = recorder_.log().error_count();
  frame.region->sharding = recorder_.settings().sharding();
  recorder_.settings().set_sharding(std::nullopt);
  region.control_ = frame.control;
  region.generation_ = frame.generation;
  region.outer_control_ = open_.current().control;
  region.outer_generation_ = open_.current().generation;
  open_.Enter(std::move(frame));
  if (form == CaptureForm::kTuple) {
    // SetTuple() gives it its shape.
    open_.current().parameters[0] =
        AppendTo(&open_.current(), Opcode::kParameter, {},
                 recorder_.family()->pools().shapes().Intern(Shape::Tuple({})),
                 ParameterBytes(0), recorder_.MetadataOf(caller));
  }
  for (const Shape& shape : arguments) {
    region.arguments_.push_back(AppendArgument(shape, caller));
  }
  return region;
}

Op Regions::AppendArgument(const Shape& shape, Caller caller) {
  RegionPart& part = *open_.current().region;
  const size_t number = part.arguments.size();
  const ShapeId id = recorder_.family()->pools().shapes().Intern(shape);
  uint32_t node;
  if (part.form == CaptureForm::kTuple) {
    node = AppendTo(&open_.current(), Opcode::kGetTupleElement, {0}, id,
                    ElementBytes(number), recorder_.MetadataOf(caller));
  } else {
    node = AppendTo(&open_.current(), Opcode::kParameter, {}, id,
                    ParameterBytes(number), recorder_.MetadataOf(caller));
    open_.current().parameters[static_cast<int64_t>(number)] = node;
  }
  part.arguments.push_back(node);
  InferContext context;
  if (!CheckShape(shape, &context)) {
    open_.current().instructions[node].shape = ShapeId{};
    for (Diagnostic& error : *context.mutable_diagnostics()) {
      recorder_.AddDiagnostic(node, std::move(error), caller);
    }
  }
  return open_.OpOf(node);
}

Op Regions::AddArgument(Region* region, const Shape& shape, Caller caller) {
  const std::optional<size_t> depth = open_.DepthOf(*region);
  if (!depth || *depth != open_.depth() ||
      open_.current().region->form != CaptureForm::kTuple) {
    recorder_.AddDiagnostic("AddArgument",
                            MakeDiagnostic(Code::kRegionElsewhere), caller);
    return open_.NoOp();
  }
  region->arguments_.push_back(AppendArgument(shape, caller));
  return region->arguments_.back();
}

void Regions::End(Region* region, absl::Span<const Op> results, Caller caller) {
  const std::optional<size_t> depth = open_.DepthOf(*region);
  if (!depth) {
    // After a build BeginRegion() has reported it.
    if (!recorder_.built()) {
      recorder_.AddDiagnostic("EndRegion",
                              MakeDiagnostic(Code::kRegionElsewhere), caller);
    }
    return;
  }
  if (*depth != open_.depth()) {
    recorder_.AddDiagnostic(
        "EndRegion", MakeDiagnostic(Code::kRegionOpen, {open_.current().name}),
        caller);
    LeaveTo(*depth);
  }
  RegionPart& part = *open_.current().region;
  Nodes nodes;
  Op failed;
  if (recorder_.Resolve(Opcode::kTuple, results, caller, &nodes, &failed)) {
    part.results.assign(nodes.begin(), nodes.end());
  } else {
    part.failed = true;
  }
  if (recorder_.log().error_count() > part.errors_before) part.failed = true;
  Frame frame = Leave();
  open_.Retire(frame.control);
  recorder_.settings().set_sharding(std::move(frame.region->sharding));
  region->frame_ = std::make_unique<Frame>(std::move(frame));
  region->control_ = nullptr;
}

void Regions::Drop(Region* region) {
  const std::optional<size_t> depth = open_.DepthOf(*region);
  if (!depth) return;
  const std::string name = open_.At(*depth).name;
  LeaveTo(*depth - 1);
  recorder_.AddDiagnostic(
      "Region", MakeDiagnostic(Code::kRegionDropped, {name}), Caller{});
}

// --- Calls -------------------------------------------------------------------

bool Regions::CheckEnded(Opcode opcode, const Region& region, CaptureForm form,
                         Caller caller, Op* failed) {
  if (recorder_.built()) {
    *failed = open_.NoOp();
    return false;
  }
  if (region.frame_ == nullptr ||
      region.outer_control_ != open_.current().control ||
      region.outer_generation_ != open_.current().generation ||
      region.frame_->region->form != form) {
    *failed = recorder_.Reject(opcode, {}, Code::kRegionElsewhere, {}, caller);
    return false;
  }
  if (region.frame_->region->failed) {
    *failed = recorder_.Reject(opcode, {}, {}, caller);
    return false;
  }
  return true;
}

bool Regions::CheckResults(Opcode opcode, const Region& region, size_t count,
                           Caller caller, Op* failed) {
  const size_t own = region.frame_->region->results.size();
  if (own == count) return true;
  *failed = recorder_.Reject(opcode, {}, Code::kRegionResults,
                             {region.frame_->name, static_cast<int64_t>(own),
                              static_cast<int64_t>(count)},
                             caller);
  return false;
}

bool Regions::CheckCarried(Region* body, absl::Span<const Op> init, size_t own,
                           Caller caller, Op* failed) {
  const std::vector<uint32_t> results(body->frame_->region->results.begin(),
                                      body->frame_->region->results.end());
  for (size_t i = own; i < init.size(); ++i) {
    const Shape* const begins = recorder_.ShapeOf(init[i]);
    const Shape returns = recorder_.family()->pools().shapes().shape(
        body->frame_->instructions[results[i]].shape);
    if (begins == nullptr || Compatible(*begins, returns)) continue;
    open_.Enter(std::move(*body->frame_));
    const std::string made = Describe(recorder_, open_.OpOf(results[i]));
    *body->frame_ = Leave();
    const std::string change = ChangeText(returns, *begins, "y");
    Diagnostic wrong = MakeDiagnostic(
        Code::kCarriedShape,
        {Describe(recorder_, init[i]), returns, absl::StrCat(", ", made),
         change.empty() ? ""
                        : absl::StrCat("; to fix: return ", change,
                                       ", where y is what it returns now")});
    wrong.operand = static_cast<int32_t>(i);
    *failed =
        recorder_.Reject(Opcode::kWhile, init, {std::move(wrong)}, caller);
    return false;
  }
  return true;
}

std::vector<Op> Regions::CapturedOps(const Region& region) {
  std::vector<Op> ops;
  for (const RegionPart::Captured& captured : region.frame_->region->captured) {
    ops.push_back(captured.outer);
  }
  return ops;
}

void Regions::SetTuple(Region* region, absl::Span<const Op> captured) {
  Frame& frame = *region->frame_;
  const RegionPart& part = *frame.region;
  ShapeTable& shapes = recorder_.family()->pools().shapes();
  std::vector<Shape> elements;
  for (const uint32_t node : part.arguments) {
    elements.push_back(shapes.shape(frame.instructions[node].shape));
  }
  for (const Op op : captured) elements.push_back(*recorder_.ShapeOf(op));
  frame.instructions[0].shape = shapes.Intern(Shape::Tuple(elements));
  for (const RegionPart::Captured& own : part.captured) {
    const auto at =
        std::find_if(captured.begin(), captured.end(), [&](const Op& op) {
          return OpAccess::Node(op) == OpAccess::Node(own.outer);
        });
    const size_t place = static_cast<size_t>(at - captured.begin());
    frame.instructions[own.node].attribute_bytes =
        ElementBytes(part.arguments.size() + place);
  }
}

std::optional<Callee> Regions::Adopt(Region* region, bool as_tuple,
                                     absl::Span<const Op> captured,
                                     Caller caller, bool once) {
  open_.Enter(std::move(*region->frame_));
  const ForItself own(&recorder_);
  const RegionPart& part = *open_.current().region;
  Op root = part.results.empty() ? Op() : open_.OpOf(part.results[0]);
  if (as_tuple || part.results.size() != 1) {
    std::vector<Op> elements;
    for (const uint32_t node : part.results)
      elements.push_back(open_.OpOf(node));
    for (size_t i = 0; i < captured.size(); ++i) {
      elements.push_back(CapturedHere(captured[i], i, caller));
    }
    root = recorder_.Record({Opcode::kTuple, elements}, caller);
  }
  if (open_.StateOf(root) != OpState::kGood) {  // the tuple nests too deeply
    Leave();
    return std::nullopt;
  }
  open_.current().root = OpAccess::Node(root);
  const absl::InlinedVector<ShapeId, 6> signature =
      SignatureOf(open_.current());
  ModuleData records = TakeRecords(*recorder_.family(), &open_.current());
  Leave();
  return SharedState::CalleeOf(
      recorder_.family(),
      once ? recorder_.family()->AdoptOnce(std::move(records), signature)
           : recorder_.family()->Adopt(std::move(records), signature));
}

Op Regions::CapturedHere(Op outer, size_t place, Caller caller) {
  for (const RegionPart::Captured& own : open_.current().region->captured) {
    if (OpAccess::Node(own.outer) == OpAccess::Node(outer))
      return open_.OpOf(own.node);
  }
  return open_.OpOf(AppendTo(
      &open_.current(), Opcode::kGetTupleElement, {0},
      open_.At(open_.depth() - 1).instructions[OpAccess::Node(outer)].shape,
      ElementBytes(open_.current().region->arguments.size() + place),
      recorder_.MetadataOf(caller)));
}

std::vector<Op> Regions::While(absl::Span<const Op> init, size_t own,
                               Region condition, Region body, Caller caller) {
  constexpr Opcode kOpcode = Opcode::kWhile;
  const size_t count = init.size();
  Op failed;
  if (!CheckEnded(kOpcode, condition, CaptureForm::kTuple, caller, &failed) ||
      !CheckEnded(kOpcode, body, CaptureForm::kTuple, caller, &failed) ||
      !CheckResults(kOpcode, condition, 1, caller, &failed) ||
      !CheckResults(kOpcode, body, count, caller, &failed) ||
      !CheckCarried(&body, init, own, caller, &failed)) {
    return std::vector<Op>(count, failed);
  }
  std::vector<Op> captured = CapturedOps(body);
  for (const Op op : CapturedOps(condition)) {
    if (std::none_of(captured.begin(), captured.end(), [&](Op known) {
          return OpAccess::Node(known) == OpAccess::Node(op);
        })) {
      captured.push_back(op);
    }
  }
  SetTuple(&condition, captured);
  SetTuple(&body, captured);
  const std::optional<Callee> looped = Adopt(&body, true, captured, caller);
  const std::optional<Callee> tested = Adopt(&condition, false, {}, caller);
  if (!looped || !tested) {
    return std::vector<Op>(count, recorder_.Reject(kOpcode, {}, {}, caller));
  }
  const Callee callees[] = {*looped, *tested};  // as on the wire
  std::vector<Op> elements(init.begin(), init.end());
  elements.insert(elements.end(), captured.begin(), captured.end());
  Op result;
  {
    const ForItself part(&recorder_);
    const Op state = recorder_.Record({Opcode::kTuple, elements}, caller);
    result =
        recorder_.Record({kOpcode, {state}, nullptr, nullptr, callees}, caller);
  }
  return ElementsOf(&recorder_, result, own, count, caller);
}

std::vector<Op> Regions::Conditional(Op selector, ElementType type,
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
    if (!callee) return {recorder_.Reject(kOpcode, {}, {}, caller)};
    callees.push_back(*callee);
    const ForItself part(&recorder_);
    operands.push_back(
        recorder_.Record({Opcode::kTuple, captured.back()}, caller));
  }
  const Shape* const index = recorder_.ShapeOf(selector);
  std::optional<ForItself> part;
  if (count != 1 && (index == nullptr || index->element_type() == type)) {
    part.emplace(&recorder_);
  }
  const Op result =
      RecordConditional(&recorder_, type, operands, callees, caller);
  part.reset();
  if (count == 1) return {result};
  return ElementsOf(&recorder_, result, /*own=*/0, count, caller);
}

std::vector<Op> Regions::Call(Region body, absl::Span<const Op> operands,
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
  if (!callee) return {recorder_.Reject(Opcode::kCall, {}, {}, caller)};
  std::optional<ForItself> part;
  if (count != 1) part.emplace(&recorder_);
  const Op result = recorder_.Record(
      {Opcode::kCall, all, nullptr, nullptr, One(*callee)}, caller);
  if (count == 1) return {result};
  part.reset();
  return ElementsOf(&recorder_, result, /*own=*/0, count, caller);
}

Op Regions::Map(Region body, absl::Span<const Op> operands,
                absl::Span<const int64_t> dimensions, Caller caller) {
  Op failed;
  Nodes nodes;
  if (!CheckEnded(Opcode::kMap, body, CaptureForm::kScalarParameters, caller,
                  &failed) ||
      !CheckResults(Opcode::kMap, body, 1, caller, &failed) ||
      !recorder_.Resolve(Opcode::kMap, operands, caller, &nodes, &failed)) {
    return failed;
  }
  std::vector<Op> all(operands.begin(), operands.end());
  for (const Op op : CapturedOps(body)) {
    // All operands of a map have equal dims.
    Shape shape = *recorder_.ShapeOf(operands[0]);
    shape.set_element_type(recorder_.ShapeOf(op)->element_type());
    const Attributes attributes = DimensionsAttributes{};
    const ForItself part(&recorder_);
    all.push_back(
        shape.is_scalar()
            ? op
            : recorder_.Record({Opcode::kBroadcast, {op}, &attributes, &shape},
                               caller));
  }
  const std::optional<Callee> callee = Adopt(&body, false, {}, caller);
  if (!callee) return recorder_.Reject(Opcode::kMap, {}, {}, caller);
  const Attributes attributes = DimensionsAttributes{Indices(dimensions)};
  return recorder_.Record(
      {Opcode::kMap, all, &attributes, nullptr, One(*callee)}, caller);
}

Callee Regions::CalleeOf(Region region, Caller caller, bool once) {
  Op failed;
  std::optional<Callee> callee;
  if (CheckEnded(Opcode::kCall, region, CaptureForm::kNone, caller, &failed)) {
    callee = Adopt(&region, false, {}, caller, once);
  } else if (recorder_.log().error_count() == 0 && !recorder_.is_none()) {
    return Callee(absl::StatusOr<Module>(
        absl::InvalidArgumentError("its region was never ended")));
  }
  if (callee) return *std::move(callee);
  return Callee(absl::StatusOr<Module>(recorder_.Failure(/*limit=*/1)));
}

}  // namespace indim::internal
