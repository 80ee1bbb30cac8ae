// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/query/case_reader.h"

#include <type_traits>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/shape/ops/attribute_words.h"
#include "indim/tools/query/case_fields.h"
#include "indim/tools/query/hlo_spelling.h"
#include "indim/tools/query/question_fields.h"

namespace indim {
namespace {

// Reads the members of a struct by their names in the table of attributes.
class MemberReader {
 public:
  explicit MemberReader(CaseFields* fields) : fields_(fields) {}

  void operator()(NoAttributes*) const {}
#define INDIM_STRUCT(type, message) \
  void operator()(type* a) const {  \
    (void)a;
#define INDIM_ATTRIBUTES(name) INDIM_STRUCT(name##Attributes, )
#define INDIM_MEMBER(type, member, text, ...) Read(text, &a->member);
#define INDIM_SHARED_MEMBER INDIM_MEMBER
#define INDIM_BUILDER_MEMBER INDIM_MEMBER
#define INDIM_END }
#include "indim/shape/ops/attribute_members.def"

 private:
  template <typename T>
  void Read(absl::string_view text, T* member) const {
    if (text.empty()) return;
    if constexpr (std::is_enum_v<T>) {
      int64_t number = static_cast<int64_t>(*member);
      fields_->ReadWord(text, WordsOf(member), &number);
      *member = static_cast<T>(number);
    } else if constexpr (std::is_same_v<T, BroadcastSpec>) {
      fields_->Read(text, &member->dimensions);
    } else if constexpr (std::is_same_v<T, std::vector<WindowDim>>) {
      fields_->ReadWith(text, ReadWindow, member);
    } else if constexpr (std::is_same_v<T, std::vector<PaddingDim>>) {
      fields_->ReadWith(text, ReadPadding, member);
    } else if constexpr (std::is_same_v<T, ConvolutionDims>) {
      fields_->ReadWith(
          text, [](absl::string_view t) { return ReadDimLabels(t); }, member);
    } else if constexpr (std::is_same_v<T, ReplicaGroups>) {
      fields_->ReadWith(
          text, [](absl::string_view t) { return ReadReplicaGroups(t); },
          member);
    } else if constexpr (std::is_same_v<
                             T, std::vector<std::pair<int64_t, int64_t>>>) {
      fields_->ReadWith(text, ReadPairs, member);
    } else if constexpr (std::is_constructible_v<ReadableMember, T*>) {
      fields_->Read(text, member);
    }
  }

  // What CaseFields reads as it is.
  using ReadableMember =
      std::variant<int64_t*, float*, bool*, std::string*, DimIndices*, Shape*,
                   std::optional<int64_t>*>;

  CaseFields* fields_;
};

// A default struct of the kind that the op's row names, by its index.
template <size_t... kIndex>
Attributes DefaultAttributes(AttributesKind kind,
                             std::index_sequence<kIndex...>) {
  Attributes attributes;
  ((static_cast<size_t>(kind) == kIndex ? void(attributes.emplace<kIndex>())
                                        : void()),
   ...);
  return attributes;
}

Attributes ReadAttributes(CaseFields* fields, AttributesKind kind) {
  Attributes attributes = DefaultAttributes(
      kind, std::make_index_sequence<std::variant_size_v<AttributesVariant>>());
  if (auto* sort = std::get_if<SortAttributes>(&attributes)) {
    sort->dimensions = {-1};  // the last, when the line says nothing
  } else if (auto* slice = std::get_if<SliceAttributes>(&attributes)) {
    fields->ReadWith("slice", ReadSlice, slice);
  }
  const MemberReader reader(fields);
  std::visit([&reader](auto& a) { reader(&a); }, attributes);
  if (auto* conv = std::get_if<ConvolutionAttributes>(&attributes)) {
    fields->Read("sparsity_block_size", &conv->rhs_sparsity.block_size);
  } else if (auto* group = std::get_if<CollectiveAttributes>(&attributes)) {
    fields->Read("split_count", &group->shard_count);
  }
  return attributes;
}

// The one dimension of an op whose attribute says which it is.
void ReadOneDimension(CaseFields* fields, Case* c) {
  struct One {
    const char* name;
    Opcode opcode;
  };
  static constexpr One kOnes[] = {{"iota_dimension", Opcode::kIota},
                                  {"inferred_dimension", Opcode::kReshape}};
  for (const One& one : kOnes) {
    std::optional<int64_t> dimension;
    if (one.opcode == c->opcode) fields->Read(one.name, &dimension);
    if (dimension) c->attributes = DimensionsAttributes{{*dimension}};
  }
}

// --- The rest of an operation ------------------------------------------------

// Callees in the order of the wire: of while the body first.
void ReadCallees(CaseFields* fields, std::vector<Signature>* callees) {
  for (const char* name : {"to_apply", "select", "scatter", "body", "condition",
                           "true_computation", "false_computation"}) {
    fields->ReadSignature(name, callees);
  }
  fields->ReadSignatures("branch_computations", callees);
}

// The forms of a builder, by what says the sizes.
void ReadForm(CaseFields* fields, Case* c) {
  struct Form {
    const char* sizes;
    Opcode opcode;
    CaseForm form;
  };
  static constexpr Form kForms[] = {
      {"broadcast_sizes", Opcode::kBroadcast, CaseForm::kBroadcastSizes},
      {"out_dim_size", Opcode::kBroadcast, CaseForm::kBroadcastInDim},
      {"new_sizes", Opcode::kReshape, CaseForm::kReshapeTo},
      {"new_size_bounds", Opcode::kDynamicReshape,
       CaseForm::kDynamicReshapeTo}};
  for (const Form& form : kForms) {
    if (form.opcode != c->opcode || !fields->Has(form.sizes)) continue;
    c->form = form.form;
    fields->ReadSizes(form.sizes, Case::kUnknownSize, &c->sizes);
  }
  if (c->opcode == Opcode::kConditional) {
    c->form = fields->Has("branch_computations") ? CaseForm::kIndexedBranches
                                                 : CaseForm::kTwoBranches;
  }
  if (c->opcode == Opcode::kRngBitGenerator && fields->Has("shape") &&
      c->operands.size() == 1) {
    c->form = CaseForm::kRandomBits;
  }
  if ((c->opcode == Opcode::kAllReduce || c->opcode == Opcode::kAllGather ||
       c->opcode == Opcode::kReduceScatter) &&
      c->operands.size() == 1 && c->operands[0].is_tuple()) {
    c->form = CaseForm::kCollectiveOfTuple;
  }
  if (c->opcode == Opcode::kDynamicReshape) {
    fields->Read("dims_are_dynamic", &c->dims_are_dynamic);
  }
  if (c->form != CaseForm::kBroadcastInDim) return;
  DimensionsAttributes map;
  fields->Read("broadcast_dimensions", &map.dimensions);
  c->attributes = std::move(map);
}

// The result of a broadcast-in-dim as a shape of the line instead of sizes.
void ReadTarget(CaseFields* line, Case* c) {
  Shape target;
  line->Read("target", &target);
  c->form = CaseForm::kBroadcastInDim;
  for (const Dim dim : target.dims()) {
    c->sizes.push_back(dim.has_upper() ? dim.upper() : Case::kUnknownSize);
  }
}

// What is given about the result. A builder is told an infeed's data and a
// generator's array, and makes the tuple itself.
void ReadDeclared(CaseFields* fields, Case* c) {
  for (const char* name : {"new_element_type", "preferred_element_type"}) {
    std::optional<ElementType> type;
    fields->Read(name, &type);
    if (type) c->declared = Shape::Scalar(*type);
  }
  fields->Read("shape", &c->declared);
  if (!c->declared) return;
  if (c->opcode == Opcode::kInfeed) {
    c->declared = Shape::Tuple({*c->declared, Shape::Token()});
  }
  if (c->form == CaseForm::kRandomBits) {
    c->declared = Shape::Tuple({c->operands[0], *c->declared});
  }
}

void ReadId(CaseFields* line, Case* c) {
  const google::protobuf::Value* id = line->Find("id");
  if (id == nullptr ||
      id->kind_case() != google::protobuf::Value::kNumberValue) {
    return line->Read("id", &c->id);
  }
  int64_t number = 0;
  line->Read("id", &number);
  if (!line->status().ok()) return;
  c->id = absl::StrCat(number);
  c->id_is_number = true;
}

// `near`: what may have been meant; `own`: what `op` has.
std::string NoSuchAttribute(absl::string_view op, absl::string_view name,
                            absl::string_view near,
                            const std::vector<absl::string_view>& own) {
  std::string text = absl::StrCat(op, " has no attribute \"", name, "\"");
  if (!near.empty()) {
    absl::StrAppend(&text, "; did you mean \"", near, "\"?");
  } else if (!own.empty()) {
    absl::StrAppend(&text, "; it takes \"", absl::StrJoin(own, "\", \""), "\"");
  }
  return text;
}

// The attributes of `line`; with none, one without fields. They are read by
// name, so that what is left over is known.
const google::protobuf::Struct& AttributesOf(CaseFields* line) {
  static const auto* const kNothing = new google::protobuf::Struct();
  const google::protobuf::Value* value = line->Find("attributes");
  if (value == nullptr) return *kNothing;
  if (value->kind_case() == google::protobuf::Value::kStructValue) {
    return value->struct_value();
  }
  line->Fail("attributes", "must be an object");
  return *kNothing;
}

void ReadXlaOp(CaseFields* line, CaseFields* attributes, Case* c) {
  if (c->op.empty() && line->status().ok()) {
    return line->Fail("op", "is missing: the operation's name");
  }
  const bool in_dim = c->op == "broadcast-in-dim";
  std::optional<Opcode> opcode =
      in_dim ? Opcode::kBroadcast : OpcodeFromName(c->op);
  if (!opcode) {
    std::optional<Opcode> near = NearestOpcode(c->op);
    return line->Fail(
        "op",
        absl::StrCat(
            "unknown operation \"", c->op, "\"",
            near ? absl::StrCat("; did you mean \"", Name(*near), "\"?") : ""));
  }
  c->opcode = *opcode;
  CaseFields& fields = *attributes;
  c->attributes = ReadAttributes(&fields, Info(c->opcode).attributes);
  ReadOneDimension(&fields, c);
  if (in_dim && line->Has("target")) ReadTarget(line, c);
  ReadForm(&fields, c);
  // What follows is asked of every op.
  const std::vector<absl::string_view> own = fields.Asked();
  ReadCallees(&fields, &c->callees);
  ReadDeclared(&fields, c);
  if (in_dim && c->form != CaseForm::kBroadcastInDim) {
    fields.Fail("out_dim_size", "is missing");
  }
  for (const auto& [name, near] : fields.Unknown()) {
    c->warnings.push_back(NoSuchAttribute(c->op, name, near, own));
  }
}

void ReadOnnxAttributes(CaseFields* attributes, Case* c) {
  int64_t allow_zero = 0;
  attributes->Read("axis", &c->axis);
  attributes->Read("allowzero", &allow_zero);
  attributes->ReadSizes("shape", Case::kUnknownSize, &c->sizes);
  c->allow_zero = allow_zero != 0;
  const std::vector<absl::string_view> own = attributes->Asked();
  for (const auto& [name, near] : attributes->Unknown()) {
    c->warnings.push_back(NoSuchAttribute(c->op, name, near, own));
  }
}

// What the line states of its symbols, in all shapes.
void ApplyScope(CaseFields* line, Case* c) {
  std::vector<Shape*> shapes;
  for (Shape& operand : c->operands) shapes.push_back(&operand);
  for (Signature& callee : c->callees) {
    for (Shape& parameter : callee.parameters) shapes.push_back(&parameter);
    shapes.push_back(&callee.result);
  }
  if (c->declared) shapes.push_back(&*c->declared);
  if (c->result) shapes.push_back(&*c->result);
  for (Shape* shape : shapes) {
    std::optional<Shape> stated = Substitute(*shape, c->scope);
    if (!stated) {
      return line->Fail("facts",
                        absl::StrCat("contradict ", shape->ToString()));
    }
    *shape = *std::move(stated);
  }
}

}  // namespace

absl::Status ReadCase(const google::protobuf::Struct& line, Case* result) {
  *result = Case();
  CaseFields fields(line);
  ReadId(&fields, result);
  fields.Read("rule", &result->rule);
  fields.Read("query", &result->query);
  fields.Read("op", &result->op);
  fields.Read("operands", &result->operands);
  fields.Read("result", &result->result);
  fields.Read("mode", &result->mode);
  fields.Read("axis", &result->axis);
  fields.Read("axes_mapping", &result->axes_mapping);
  if (fields.Has("target_shape")) {
    std::vector<int64_t> sizes;
    fields.ReadSizes("target_shape", -1, &sizes);
    DimVector& dims = result->target_shape.emplace();
    for (int64_t size : sizes) {
      if (size < -1) fields.Fail("target_shape", "has a size below -1");
      dims.push_back(size < 0 ? Dim::Unknown() : Dim::Static(size));
    }
  }
  for (const char* name : {"facts", "constraint"}) {
    std::string facts;
    fields.Read(name, &facts);
    const absl::Status stated = result->scope.State(facts);
    if (!stated.ok()) fields.Fail(name, stated.message());
  }
  CaseFields attributes(AttributesOf(&fields));
  if (result->rule == "onnx" || result->rule == "algebraic") {
    ReadOnnxAttributes(&attributes, result);
  } else if (result->rule == "xla") {
    ReadXlaOp(&fields, &attributes, result);
  } else if (std::optional<Opcode> opcode = OpcodeFromName(result->op)) {
    result->opcode = *opcode;
  }
  if (!attributes.status().ok()) {
    fields.Fail("attributes", attributes.status().message());
  }
  // Why the op is missing may be that its field is called otherwise.
  const std::string fault = FaultOfFields(line, *result, attributes.Asked());
  if (!fault.empty() && (fields.status().ok() || result->op.empty())) {
    return absl::InvalidArgumentError(fault);
  }
  if (fields.status().ok()) ApplyScope(&fields, result);
  return fields.status();
}

}  // namespace indim
