// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/recorder.h"

#include <array>
#include <utility>

#include "absl/base/attributes.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "indim/builder/call_checks.h"
#include "indim/builder/op_settings.h"
#include "indim/builder/record_util.h"
#include "indim/builder/regions.h"
#include "indim/ir/append_record.h"
#include "indim/ir/constant_bytes.h"
#include "indim/ir/storage/column.h"
#include "indim/proto/wire/wire.h"
#include "indim/shape/diagnostics/status_errors.h"
#include "indim/shape/fixes/fix_candidates.h"
#include "indim/shape/ops/attribute_words.h"
#include "indim/sharding/sharding_faults.h"

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
      shared_(std::move(family)),
      open_(this, name_),
      settings_(/*fixed=*/false) {}

Recorder& Recorder::None() {
  static Recorder* const none = new Recorder();
  return *none;
}

// --- Operands ----------------------------------------------------------------

bool Recorder::Resolve(Opcode opcode, absl::Span<const Op> operands,
                       Caller caller, Nodes* nodes, Op* result) {
  if (built_) {
    AddDiagnostic(Name(opcode), MakeDiagnostic(Code::kUsedAfterBuild), caller);
    *result = open_.NoOp();
    return false;
  }
  std::optional<Op> poisoned;
  std::vector<Diagnostic> misuse;
  for (size_t i = 0; i < operands.size(); ++i) {
    const OpState op_state = open_.StateOf(operands[i]);
    if (op_state == OpState::kGood) {
      nodes->push_back(OpAccess::Node(operands[i]));
    } else if (op_state == OpState::kPoisoned) {
      poisoned = operands[i];
    } else if (op_state == OpState::kOuter) {
      uint32_t node = OpenComputations::kNoNode;
      Diagnostic refusal;
      if (Regions(this).Local(operands[i], caller, &node, &refusal)) {
        nodes->push_back(node);
      } else if (misuse.empty()) {
        refusal.operand = static_cast<int32_t>(i);
        misuse.push_back(std::move(refusal));
      }
    } else if (misuse.empty()) {
      misuse.push_back(MisuseOf(*this, operands[i], static_cast<int64_t>(i)));
    }
  }
  if (misuse.empty() && !poisoned) return true;
  if (misuse.empty()) {
    *result = open_.FrameOf(*poisoned) == &open_.current()
                  ? *poisoned
                  : open_.OpOf(OpenComputations::kNoNode);
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
    *result =
        Fail({request.opcode, nodes, {}, AttributeBytesId{}},
             {MakeDiagnostic(Code::kCalleeNotBuilt,
                             {CalleeRole(request.opcode, static_cast<int>(i)),
                              WhyNotBuilt(linked.status())})},
             caller);
    return false;
  }
  return true;
}

const Shape* Recorder::ShapeOf(Op op) const {
  const ShapeId shape = open_.ShapeOf(op);
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
  PendingCall pending{request.opcode, nodes, callees, AttributeBytesId{}};
  pending.attributes = request.attributes;
  pending.layout = request.layout;
  if (request.attribute_bytes) {
    pending.attribute_bytes = *request.attribute_bytes;
  } else {
    static const Attributes* const kDefault = new Attributes();
    const Attributes& attributes =
        request.attributes == nullptr ? *kDefault : *request.attributes;
    const std::optional<Attributes> said =
        AsTextSays(request.opcode, attributes);
    pending.attribute_bytes =
        shared_->attribute_ids().Of(request.opcode, said ? *said : attributes);
  }
  if (request.declared != nullptr) {
    pending.declared =
        InternDeclared(request.opcode, request.attributes, *request.declared,
                       &shared_->pools().shapes());
  }
  return CheckSharded(request.result ? Append(pending, request.result, caller)
                                     : Finish(pending, caller),
                      caller);
}

Op Recorder::Repeat(const KnownCall& call, absl::Span<const Op> operands,
                    Caller caller, absl::FunctionRef<Op()> record) {
  const Callee* const callee = call.callee;
  if (built_ || settings_.strict_types() ||
      operands.size() > CallMemo::kMaxOperands ||
      (callee != nullptr &&
       (callee->shared_ != shared_ || !callee->status_.ok()))) {
    return record();
  }
  std::array<uint32_t, CallMemo::kMaxOperands> nodes;
  CallMemo::Shapes shapes = {};
  for (size_t i = 0; i < operands.size(); ++i) {
    if (open_.StateOf(operands[i]) != OpState::kGood) return record();
    nodes[i] = OpAccess::Node(operands[i]);
    shapes[i] = open_.current().instructions[nodes[i]].shape.value;
  }
  const CallMemo::Key key = CallMemo::KeyOf(
      call, shapes, callee == nullptr ? 0 : callee->computation_ + 1);
  if (const CallMemo::Answer* known = shared_->calls().Find(key)) {
    const PendingCall pending{
        call.opcode, absl::MakeConstSpan(nodes.data(), operands.size()),
        callee == nullptr ? absl::Span<const uint32_t>()
                          : absl::MakeConstSpan(&callee->computation_, 1),
        known->attribute_bytes};
    return CheckSharded(Append(pending, known->shape, caller), caller);
  }
  const size_t first = open_.current().instructions.size();
  const size_t before = log_.size();
  const Op op = record();
  const Column<InstructionRecord>& made = open_.current().instructions;
  // A call with diagnostics is inferred each time, so that it reports them each
  // time. With a sharding in scope the op's attribute bytes aren't the call's
  // alone.
  if (made.size() == first + 1 && before == log_.size() && !log_.is_full() &&
      made[first].shape && !settings_.sharding()) {
    shared_->calls().Insert(key,
                            {made[first].shape, made[first].attribute_bytes});
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
      !MakeScalars(this, opcode, {lhs, rhs}, 0, caller, operands, &failed)) {
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
      !MakeScalars(this, Opcode::kCompare, {lhs, rhs}, 0, caller, operands,
                   &failed)) {
    return failed;
  }
  // XLA's builder always writes the type, which depends on lhs.
  const Shape* shape = ShapeOf(operands[0]);
  if (shape != nullptr) {
    attributes.type = ComparisonOf(attributes.type, shape->element_type());
  }
  return RecordAgain({Opcode::kCompare, operands}, attributes, caller);
}

Op Recorder::Finish(const PendingCall& pending, Caller caller) {
  InferContext context;
  std::optional<Shape> inferred = Infer(pending, &context);
  if (context.has_error()) {
    if (const auto counted = FromEnd(pending, context)) {
      PendingCall again = pending;
      again.attributes = &*counted;
      again.attribute_bytes = BytesOf(pending.opcode, *counted);
      return Finish(again, caller);  // with fewer dims below 0
    }
    return Fail(pending, std::move(*context.mutable_diagnostics()), caller);
  }
  ShapeTable& shapes = shared_->pools().shapes();
  if (!CheckAttributeBytes(
          pending.opcode, pending.attributes,
          shared_->pools().attribute_bytes(pending.attribute_bytes),
          &context) ||
      !CheckShape(inferred ? *inferred : shapes.shape(pending.declared),
                  &context)) {
    return Fail(pending, std::move(*context.mutable_diagnostics()), caller);
  }
  const Op op = Append(
      pending, inferred ? InternGiven(*inferred, &shapes) : pending.declared,
      caller);
  for (Diagnostic& warning : *context.mutable_diagnostics()) {
    AddDiagnostic(OpAccess::Node(op), std::move(warning), caller);
  }
  return op;
}

absl::InlinedVector<const Shape*, 6> Recorder::OperandShapes(
    const PendingCall& pending) const {
  const ShapeTable& shapes = shared_->pools().shapes();
  absl::InlinedVector<const Shape*, 6> operands;
  for (uint32_t node : pending.operands) {
    operands.push_back(&shapes.shape(open_.current().instructions[node].shape));
  }
  return operands;
}

std::optional<Attributes> Recorder::FromEnd(const PendingCall& pending,
                                            const InferContext& context) const {
  const absl::InlinedVector<const Shape*, 6> operands = OperandShapes(pending);
  OpInputs inputs;
  inputs.opcode = pending.opcode;
  inputs.operands = operands;
  inputs.attributes = pending.attributes;
  for (const Diagnostic& diagnostic : context.diagnostics()) {
    if (diagnostic.severity() == Severity::kError) {
      return DimsFromEnd(inputs, diagnostic);
    }
  }
  return std::nullopt;
}

std::optional<Shape> Recorder::Infer(const PendingCall& pending,
                                     InferContext* context) const {
  const absl::InlinedVector<const Shape*, 6> operands = OperandShapes(pending);
  absl::InlinedVector<const Signature*, 2> callees;
  for (uint32_t callee : pending.callees) {
    callees.push_back(&shared_->signature(callee));
  }
  OpInputs inputs;
  inputs.opcode = pending.opcode;
  inputs.operands = operands;
  inputs.attributes = pending.attributes;
  inputs.callees = callees;
  if (pending.declared) {
    inputs.declared = &shared_->pools().shapes().shape(pending.declared);
  }

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
  if (settings_.strict_types() && !context->has_error()) {
    CheckStrictTypes(inputs, context);
  }
  return result;
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline MetadataId Recorder::MetadataOf(
    Caller caller, bool locate) {
  if (locate) {
    caller = settings_.CallerInForce(caller);
  } else if (settings_.op_name() || settings_.op_type()) {
    caller = Caller{};
  } else {
    return settings_.origin().value_or(MetadataId());
  }
  return shared_->Location(caller, settings_.op_name(), settings_.op_type());
}

MetadataId Recorder::MetadataOf(Caller caller) {
  return MetadataOf(caller, settings_.record_locations());
}

Op Recorder::Append(const PendingCall& pending, ShapeId shape, Caller caller) {
  const AttributeBytesId attribute_bytes =
      settings_.sharding() ? shared_->WithSharding(pending.attribute_bytes,
                                                   *settings_.sharding())
                           : pending.attribute_bytes;
  // A diagnostic needs the op's line even if lines aren't recorded.
  const MetadataId metadata = MetadataOf(
      caller, settings_.record_locations() || (!shape && !settings_.origin()));
  Frame& frame = open_.current();
  InstructionRecord& record = AppendRecord(
      pending.operands, pending.callees, &frame.operands, &frame.instructions);
  record.opcode = pending.opcode;
  record.attribute_bytes = attribute_bytes;
  record.metadata = metadata;
  record.shape = shape;
  frame.calls |= !pending.callees.empty();
  return open_.OpOf(static_cast<uint32_t>(frame.instructions.size() - 1));
}

Op Recorder::Parameter(int64_t number, const Shape& shape,
                       absl::string_view name, Caller caller) {
  const std::string default_name = absl::StrCat("p", number);
  if (name.empty()) name = default_name;
  if (!built_ && !(open_.depth() == 0)) {
    return Reject(Opcode::kParameter, {}, Code::kRegionParameter,
                  {open_.current().name}, caller);
  }
  if (!built_ && number < 0) {
    return Reject(Opcode::kParameter, {}, Code::kAttributeRange,
                  {std::string("its number"), number, int64_t{0}}, caller);
  }
  if (!built_ && open_.current().parameters.contains(number)) {
    const absl::string_view before = shared_->pools().name(
        open_.current().instructions[open_.current().parameters[number]].name);
    return Reject(Opcode::kParameter, {}, Code::kParameterRepeated,
                  {number, std::string(before.empty() ? default_name : before),
                   open_.current().NextParameter()},
                  caller);
  }
  Request request{Opcode::kParameter, {}};
  request.declared = &shape;
  const Op op = RecordAgain(request, ParameterAttributes{number}, caller);
  if (open_.StateOf(op) != OpState::kGood) return op;
  open_.current().parameters[number] = OpAccess::Node(op);
  if (OpSettings(this).CheckUtf8(Name(Opcode::kParameter), "its name", name,
                                 caller)) {
    OpSettings(this).SetNameOf(&open_.current(), OpAccess::Node(op), name);
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

Op Recorder::Fail(const PendingCall& pending,
                  std::vector<Diagnostic> diagnostics, Caller caller) {
  // The call stays in the graph without a shape: that poisons it, and the
  // message shows it.
  const Op op = Append(pending, ShapeId{}, caller);
  for (Diagnostic& diagnostic : diagnostics) {
    AddDiagnostic(OpAccess::Node(op), std::move(diagnostic), caller);
  }
  return op;
}

Op Recorder::Reject(Opcode opcode, absl::Span<const Op> operands,
                    std::vector<Diagnostic> diagnostics, Caller caller) {
  Nodes nodes;
  Op result;
  if (!Resolve(opcode, operands, caller, &nodes, &result)) return result;
  return Fail({opcode, nodes, {}, AttributeBytesId{}}, std::move(diagnostics),
              caller);
}

Op Recorder::Reject(Opcode opcode, absl::Span<const Op> operands, Code code,
                    std::vector<DiagnosticArg> args, Caller caller) {
  std::vector<Diagnostic> diagnostics;
  diagnostics.push_back(MakeDiagnostic(code, std::move(args)));
  return Reject(opcode, operands, std::move(diagnostics), caller);
}

// --- Composites --------------------------------------------------------------

bool Recorder::EnterComposite(const char* name, Caller caller) {
  return settings_.EnterComposite(name, caller,
                                  open_.current().instructions.size());
}

void Recorder::LeaveComposite(Op result) {
  const CompositeScope* const composite = settings_.composite();
  if (composite == nullptr) return;
  const size_t first_node = composite->first_node;
  // Errors of its sharding still name the composite.
  settings_.RestoreSharding();
  const std::optional<std::string>& sharding = settings_.sharding();
  if (sharding && open_.StateOf(result) == OpState::kGood &&
      OpAccess::Node(result) >= first_node) {
    AttributeBytesId& attribute_bytes =
        open_.current().instructions[OpAccess::Node(result)].attribute_bytes;
    attribute_bytes = shared_->WithSharding(attribute_bytes, *sharding);
    CheckSharded(result, composite->caller);
  }
  settings_.LeaveComposite();
}

Op Recorder::CheckSharded(Op op, Caller caller) {
  const std::optional<std::string>& sharding = settings_.sharding();
  if (!sharding || open_.StateOf(op) != OpState::kGood) return op;
  ShapeId& shape = open_.current().instructions[OpAccess::Node(op)].shape;
  const ShapeTable& shapes = shared_->pools().shapes();
  const uint32_t structure = shapes.structure(shape).value;
  if (structure == settings_.fitting()) return op;
  std::vector<Diagnostic> errors =
      ShardingErrors(*sharding, shapes.shape(shape), /*devices=*/0);
  if (errors.empty()) {
    settings_.set_fitting(structure);
    return op;
  }
  shape = ShapeId{};
  for (Diagnostic& error : errors) {
    AddDiagnostic(OpAccess::Node(op), std::move(error), caller);
  }
  return op;
}

}  // namespace indim::internal
