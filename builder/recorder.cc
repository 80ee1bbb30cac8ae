#include "indim/builder/recorder.h"

#include <algorithm>
#include <utility>

#include "absl/base/attributes.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "indim/builder/record_util.h"
#include "indim/codec/attribute_wire.h"
#include "indim/ir/append_record.h"
#include "indim/ir/constant_bytes.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/shape/ops/attribute_words.h"
#include "indim/wire/attribute_bytes.h"
#include "indim/wire/field_numbers.h"
#include "indim/wire/wire.h"

namespace indim::internal {
namespace {

// `shape`, or each of its elements, with `layout`. IND0630: another rank.
std::optional<Shape> WithLayout(InferContext* context, const Shape& shape,
                                const Layout& layout) {
  if (shape.is_tuple()) {
    std::vector<Shape> elements;
    for (const Shape& element : shape.elements()) {
      std::optional<Shape> part = WithLayout(context, element, layout);
      if (!part) return std::nullopt;
      elements.push_back(*std::move(part));
    }
    return Shape::Tuple(std::move(elements));
  }
  if (!shape.has_rank() ||
      layout.minor_to_major.size() != shape.dims().size()) {
    context->Diagnose(Code::kLayoutRank)
        .Arg(static_cast<int64_t>(layout.minor_to_major.size()))
        .Arg(shape);
    return std::nullopt;
  }
  Shape result = shape;
  result.set_layout(layout);
  return result;
}

// A report begins on a line of its own.
std::string WhyNotBuilt(const absl::Status& status) {
  if (!IsReport(status)) return absl::StrCat(": ", status.message());
  return absl::StrCat(
      ", for what follows:\n    ",
      absl::StrReplaceAll(status.message(), {{"\n", "\n    "}}));
}

}  // namespace

Recorder::Recorder(absl::string_view name, std::shared_ptr<SharedState> family)
    : name_(IsValidUtf8(name) && !name.empty() ? name : "computation"),
      shared_(std::move(family)) {
  frame_.control = AcquireControl(this);
  frame_.generation =
      frame_.control->generation.load(std::memory_order_relaxed);
  frame_.name = name_;
}

Recorder& Recorder::None() {
  static Recorder* const none = new Recorder();
  return *none;
}

Recorder::~Recorder() {
  ReleaseControl(frame_.control);
  for (const Frame& outer : outer_) ReleaseControl(outer.control);
  for (BuilderControl* const ended : ended_) ReleaseControl(ended);
}

// --- Operands ----------------------------------------------------------------

Recorder::OpState Recorder::StateOf(Op op) const {
  if (op.control_ == frame_.control && op.generation_ == frame_.generation) {
    return op.node_ < frame_.instructions.size() &&
                   frame_.instructions[op.node_].shape
               ? OpState::kGood
               : OpState::kPoisoned;
  }
  if (op.control_ == nullptr) return OpState::kDefault;
  if (const Frame* outer = FrameOf(op)) {
    return op.node_ < outer->instructions.size() &&
                   outer->instructions[op.node_].shape
               ? OpState::kOuter
               : OpState::kPoisoned;
  }
  const Recorder* const other = Of(op);
  return other->is_none() || other == this ? OpState::kGone : OpState::kOther;
}

const Frame* Recorder::FrameOf(Op op) const {
  for (size_t depth = outer_.size() + 1; depth-- > 0;) {
    const Frame& frame = At(depth);
    if (op.control_ == frame.control && op.generation_ == frame.generation) {
      return &frame;
    }
  }
  return nullptr;
}

Diagnostic Recorder::Make(Code code, std::vector<DiagnosticArg> args) {
  Diagnostic diagnostic;
  diagnostic.code = code;
  for (DiagnosticArg& arg : args) diagnostic.args.push_back(std::move(arg));
  return diagnostic;
}

bool Recorder::Resolve(Opcode opcode, absl::Span<const Op> operands,
                       Caller caller, Nodes* nodes, Op* result) {
  if (built_) {
    AddDiagnostic(Name(opcode), Make(Code::kUsedAfterBuild), caller);
    *result = NoOp();
    return false;
  }
  std::optional<Op> poisoned;
  std::vector<Diagnostic> misuse;
  for (size_t i = 0; i < operands.size(); ++i) {
    const OpState op_state = StateOf(operands[i]);
    if (op_state == OpState::kGood) {
      nodes->push_back(operands[i].node_);
    } else if (op_state == OpState::kPoisoned) {
      poisoned = operands[i];
    } else if (op_state == OpState::kOuter) {
      uint32_t node = kNoNode;
      Diagnostic refusal;
      if (Local(operands[i], caller, &node, &refusal)) {
        nodes->push_back(node);
      } else if (misuse.empty()) {
        refusal.operand = static_cast<int32_t>(i);
        misuse.push_back(std::move(refusal));
      }
    } else if (misuse.empty()) {
      misuse.push_back(
          MisuseOf(operands[i], op_state, static_cast<int64_t>(i)));
    }
  }
  if (misuse.empty() && !poisoned) return true;
  if (misuse.empty()) {
    *result = FrameOf(*poisoned) == &frame_ ? *poisoned : OpOf(kNoNode);
  } else {
    *result = Fail({opcode, *nodes, {}, AttributeBytesId{}}, std::move(misuse),
                   caller);
  }
  return false;
}

bool Recorder::ResolveCallees(const Request& request,
                              absl::Span<const uint32_t> nodes, Caller caller,
                              Nodes* callees, Op* result) {
  for (size_t i = 0; i < request.callees.size(); ++i) {
    absl::StatusOr<uint32_t> linked =
        i < InstructionRecord::kMaxCallees
            ? shared_->Link(request.callees[i])
            : absl::ResourceExhaustedError(
                  absl::StrCat("an instruction can have ",
                               InstructionRecord::kMaxCallees, " at most"));
    if (linked.ok()) {
      callees->push_back(*linked);
      continue;
    }
    *result = Fail({request.opcode, nodes, {}, AttributeBytesId{}},
                   {Make(Code::kCalleeNotBuilt,
                         {CalleeRole(request.opcode, static_cast<int>(i)),
                          WhyNotBuilt(linked.status())})},
                   caller);
    return false;
  }
  return true;
}

const Shape* Recorder::ShapeOf(Op op) const {
  const Frame* const frame = FrameOf(op);
  if (frame == nullptr || op.node_ >= frame->instructions.size()) {
    return nullptr;
  }
  const ShapeId shape = frame->instructions[op.node_].shape;
  return shape ? &shared_->pools().shapes().shape(shape) : nullptr;
}

// --- Recording ---------------------------------------------------------------

Op Recorder::Record(const Request& request, Caller caller) {
  Nodes nodes, callees;
  Op result;
  if (!Resolve(request.opcode, request.operands, caller, &nodes, &result) ||
      (!request.callees.empty() &&
       !ResolveCallees(request, nodes, caller, &callees, &result))) {
    return result;
  }
  Pending pending{request.opcode, nodes, callees, AttributeBytesId{}};
  pending.attributes = request.attributes;
  pending.layout = request.layout;
  if (request.attribute_bytes) {
    pending.attribute_bytes = *request.attribute_bytes;
  } else {
    static const Attributes* const kDefault = new Attributes();
    const Attributes& attributes =
        request.attributes == nullptr ? *kDefault : *request.attributes;
    const std::optional<Attributes> shorter =
        WithoutIdle(request.opcode, attributes);
    pending.attribute_bytes = shared_->attribute_ids().Of(
        request.opcode, shorter ? *shorter : attributes);
  }
  if (request.declared != nullptr) pending.declared = Intern(*request.declared);
  return CheckSharded(Finish(pending, caller), caller);
}

bool Recorder::KeyOf(const Known& call, absl::Span<const Op> operands,
                     CallMemo::Key* key,
                     std::array<uint32_t, kMaxKeyedOperands>* nodes) const {
  if (built_ || strict_types_ || operands.size() > kMaxKeyedOperands) {
    return false;
  }
  uint32_t shapes[kMaxKeyedOperands] = {};
  for (size_t i = 0; i < operands.size(); ++i) {
    if (StateOf(operands[i]) != OpState::kGood) return false;
    (*nodes)[i] = operands[i].node_;
    shapes[i] = frame_.instructions[operands[i].node_].shape.value;
  }
  uint32_t called = 0;
  if (const Callee* const callee = call.callee) {
    if (callee->shared_ != shared_ || !callee->status_.ok()) return false;
    called = callee->computation_ + 1;
  }
  const uint32_t what =
      static_cast<uint32_t>(call.type) << 8 | static_cast<uint8_t>(call.opcode);
  *key = {uint64_t{called} << 32 | what, uint64_t{shapes[1]} << 32 | shapes[0],
          uint64_t{call.attributes.value} << 32 | shapes[2]};
  return true;
}

Op Recorder::Repeat(const Known& call, absl::Span<const Op> operands,
                    Caller caller, absl::FunctionRef<Op()> record) {
  CallMemo::Key key;
  std::array<uint32_t, kMaxKeyedOperands> nodes;
  if (!KeyOf(call, operands, &key, &nodes)) return record();
  if (const CallAnswer* known = shared_->calls().Find(key)) {
    const Pending pending{
        call.opcode, absl::MakeConstSpan(nodes.data(), operands.size()),
        call.callee == nullptr
            ? absl::Span<const uint32_t>()
            : absl::MakeConstSpan(&call.callee->computation_, 1),
        known->attribute_bytes};
    return CheckSharded(Append(pending, known->shape, caller), caller);
  }
  const size_t first = frame_.instructions.size();
  const size_t before = diagnostics_.size();
  const Op op = record();
  // A call with diagnostics is inferred each time, so that it reports them each
  // time. With a sharding in scope the op's attribute bytes aren't the call's
  // alone.
  if (frame_.instructions.size() == first + 1 &&
      before == diagnostics_.size() && before < kMaxKept &&
      frame_.instructions[first].shape && !sharding_) {
    shared_->calls().Insert(key, {frame_.instructions[first].shape,
                                  frame_.instructions[first].attribute_bytes});
  }
  return op;
}

Op Recorder::Unary(Opcode opcode, Op operand, Caller caller) {
  const absl::Span<const Op> operands = absl::MakeConstSpan(&operand, 1);
  return Repeat({opcode, {}}, operands, caller, [&] {
    return Record({opcode, operands}, caller);
  });
}

Op Recorder::Binary(Opcode opcode, const Operand& lhs, const Operand& rhs,
                    const BroadcastSpec& broadcast, Caller caller) {
  Op operands[] = {lhs.op(), rhs.op()};
  Op failed;
  if ((lhs.is_number() || rhs.is_number()) &&
      !MakeScalars(opcode, {lhs, rhs}, 0, caller, operands, &failed)) {
    return failed;
  }
  const AttributeBytesId bytes = broadcast == BroadcastSpec()
                                     ? AttributeBytesId()
                                     : BytesOf(opcode, broadcast);
  return Repeat({opcode, bytes}, operands, caller, [&] {
    const Attributes attributes = ElementwiseAttributes{broadcast};
    Request request{opcode, operands, &attributes};
    request.attribute_bytes = bytes;
    return Record(request, caller);
  });
}

Op Recorder::Compare(const Operand& lhs, const Operand& rhs,
                     CompareAttributes attributes, Caller caller) {
  Op operands[] = {lhs.op(), rhs.op()};
  Op failed;
  if ((lhs.is_number() || rhs.is_number()) &&
      !MakeScalars(Opcode::kCompare, {lhs, rhs}, 0, caller, operands,
                   &failed)) {
    return failed;
  }
  // XLA's builder always writes the type, which depends on lhs.
  const Shape* shape = ShapeOf(operands[0]);
  if (attributes.type == ComparisonType::kDefault && shape != nullptr) {
    attributes.type = static_cast<ComparisonType>(
        DefaultComparison(shape->element_type()).number);
  }
  return RecordAgain({Opcode::kCompare, operands}, attributes, caller);
}

Op Recorder::Finish(const Pending& pending, Caller caller) {
  InferContext context;
  std::optional<Shape> inferred = Infer(pending, &context);
  if (strict_types_ && !context.has_error()) {
    CheckStrictTypes(pending, &context);
  }
  if (context.has_error()) {
    return Fail(pending, std::move(*context.mutable_diagnostics()), caller);
  }
  ShapeTable& shapes = shared_->pools().shapes();
  if (!CheckAttributeBytes(pending, &context) ||
      !CheckShape(inferred ? *inferred : shapes.shape(pending.declared),
                  &context)) {
    return Fail(pending, std::move(*context.mutable_diagnostics()), caller);
  }
  const Op op =
      Append(pending, inferred ? Intern(*inferred) : pending.declared, caller);
  for (Diagnostic& warning : *context.mutable_diagnostics()) {
    Keep({std::move(warning), op.node_, "", caller});
  }
  return op;
}

std::optional<Shape> Recorder::Infer(const Pending& pending,
                                     InferContext* context) const {
  const ShapeTable& shapes = shared_->pools().shapes();
  absl::InlinedVector<const Shape*, 6> operands;
  for (uint32_t node : pending.operands) {
    operands.push_back(&shapes.shape(frame_.instructions[node].shape));
  }
  absl::InlinedVector<const Signature*, 2> callees;
  for (uint32_t callee : pending.callees) {
    callees.push_back(&shared_->signature(callee));
  }
  OpInputs inputs;
  inputs.opcode = pending.opcode;
  inputs.operands = operands;
  inputs.attributes = pending.attributes;
  inputs.callees = callees;
  if (pending.declared) inputs.declared = &shapes.shape(pending.declared);

  std::optional<Shape> result = InferShape(context, inputs);
  if (!context->has_error()) CheckForVerifier(inputs, context);
  if (context->has_error()) {
    result.reset();
  } else if (!result) {  // the opcode is outside the table
    context->Diagnose(Code::kResultShapeNeeded);
  } else if (pending.layout != nullptr) {
    result = WithLayout(context, *result, *pending.layout);
  } else if (pending.declared &&
             Info(pending.opcode).result != ResultSource::kTypeGiven) {
    // The declared shape has more than the inferred one: a layout, a size.
    if (!Compatible(*inputs.declared, *result)) {
      context->Diagnose(Code::kResultDiffers).Arg(*result);
    }
    result.reset();
  }
  return result;
}

Op Recorder::Append(const Pending& pending, ShapeId shape, Caller caller) {
  // A diagnostic needs the op's line even if lines aren't recorded.
  AddRecord(pending, record_locations_ || !shape, caller).shape = shape;
  return OpOf(static_cast<uint32_t>(frame_.instructions.size() - 1));
}

MetadataId Recorder::MetadataOf(Caller caller) {
  if (composite_) caller = composite_->caller;
  if (record_locations_) {
    return shared_->Location(caller, op_name_, op_type_);
  }
  return op_name_ || op_type_ ? shared_->Location(Caller{}, op_name_, op_type_)
                              : MetadataId{};
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline InstructionRecord& Recorder::AddRecord(
    const Pending& pending, bool locate, Caller caller) {
  if (composite_) caller = composite_->caller;
  const AttributeBytesId attribute_bytes =
      sharding_ ? shared_->WithSharding(pending.attribute_bytes, *sharding_)
                : pending.attribute_bytes;
  MetadataId metadata;
  if (locate) {
    metadata = shared_->Location(caller, op_name_, op_type_);
  } else if (op_name_ || op_type_) {
    metadata = shared_->Location(Caller{}, op_name_, op_type_);
  }
  InstructionRecord& record =
      AppendRecord(pending.operands, pending.callees, &frame_.operands,
                   &frame_.instructions);
  record.opcode = pending.opcode;
  record.attribute_bytes = attribute_bytes;
  record.metadata = metadata;
  frame_.calls |= !pending.callees.empty();
  return record;
}

int64_t Recorder::NextParameter() {
  while (frame_.parameters.contains(frame_.free_parameter)) {
    ++frame_.free_parameter;
  }
  return frame_.free_parameter;
}

Op Recorder::Parameter(int64_t number, const Shape& shape,
                       absl::string_view name, Caller caller) {
  const std::string default_name = absl::StrCat("p", number);
  if (name.empty()) name = default_name;
  if (!built_ && !outer_.empty()) {
    return Reject(Opcode::kParameter, {}, Code::kRegionParameter, {frame_.name},
                  caller);
  }
  if (!built_ && number < 0) {
    return Reject(Opcode::kParameter, {}, Code::kAttributeRange,
                  {std::string("its number"), number, int64_t{0}}, caller);
  }
  if (!built_ && frame_.parameters.contains(number)) {
    const absl::string_view before = shared_->pools().name(
        frame_.instructions[frame_.parameters[number]].name);
    return Reject(Opcode::kParameter, {}, Code::kParameterRepeated,
                  {number, std::string(before.empty() ? default_name : before),
                   NextParameter()},
                  caller);
  }
  const Attributes attributes = ParameterAttributes{number};
  const Op op = Record({Opcode::kParameter, {}, &attributes, &shape}, caller);
  if (StateOf(op) != OpState::kGood) return op;
  frame_.parameters[number] = op.node_;
  if (CheckUtf8(Name(Opcode::kParameter), "its name", name, caller)) {
    SetNameOf(&frame_, op.node_, name);
  }
  return op;
}

Op Recorder::Constant(const Literal& literal, Caller caller) {
  const Attributes attributes = ConstantAttributes{};
  Request request{Opcode::kConstant, {}, &attributes, &literal.shape()};
  if (!built_) {
    request.attribute_bytes = AddConstant(literal, &shared_->pools());
  }
  return Record(request, caller);
}

// --- Composites --------------------------------------------------------------

bool Recorder::EnterComposite(const char* name, Caller caller) {
  if (composite_ || is_none()) return false;
  composite_ = {name, caller, frame_.instructions.size(), std::move(sharding_)};
  set_sharding(std::nullopt);
  return true;
}

void Recorder::LeaveComposite(Op result) {
  if (!composite_) return;
  set_sharding(std::move(composite_->sharding));
  if (sharding_ && StateOf(result) == OpState::kGood &&
      result.node_ >= composite_->first_node) {
    AttributeBytesId& attribute_bytes =
        frame_.instructions[result.node_].attribute_bytes;
    attribute_bytes = shared_->WithSharding(attribute_bytes, *sharding_);
    CheckSharded(result, composite_->caller);
  }
  composite_.reset();
}

Callee Recorder::Shared(const std::string& name, ElementType type,
                        absl::FunctionRef<Callee()> make) {
  if (shared_ == nullptr) return make();
  const std::pair<std::string, ElementType> key(name, type);
  if (const std::optional<uint32_t> known = shared_->FindShared(key)) {
    return Callee(shared_, *known);
  }
  Callee made = make();
  if (made.shared_ == shared_) shared_->KeepShared(key, made.computation_);
  return made;
}

}  // namespace indim::internal
