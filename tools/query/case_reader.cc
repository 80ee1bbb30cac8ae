#include "indim/tools/query/case_reader.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/tools/query/case_fields.h"
#include "indim/tools/query/hlo_spelling.h"
#include "indim/tools/query/question_fields.h"

namespace indim {
namespace {

template <typename T>
using Names = CaseFields::EnumName<T>;

constexpr Names<ComparisonDirection> kDirections[] = {
    {"EQ", ComparisonDirection::kEq}, {"NE", ComparisonDirection::kNe},
    {"GE", ComparisonDirection::kGe}, {"GT", ComparisonDirection::kGt},
    {"LE", ComparisonDirection::kLe}, {"LT", ComparisonDirection::kLt}};
constexpr Names<ComparisonType> kComparisonTypes[] = {
    {"FLOAT", ComparisonType::kFloat},
    {"TOTALORDER", ComparisonType::kFloatTotalOrder},
    {"SIGNED", ComparisonType::kSigned},
    {"UNSIGNED", ComparisonType::kUnsigned}};
constexpr Names<FftType> kFftTypes[] = {{"FFT", FftType::kFft},
                                        {"IFFT", FftType::kIfft},
                                        {"RFFT", FftType::kRfft},
                                        {"IRFFT", FftType::kIrfft}};
constexpr Names<RandomDistribution> kDistributions[] = {
    {"rng_invalid", RandomDistribution::kInvalid},
    {"rng_uniform", RandomDistribution::kUniform},
    {"rng_normal", RandomDistribution::kNormal}};
constexpr Names<RandomAlgorithm> kAlgorithms[] = {
    {"rng_default", RandomAlgorithm::kDefault},
    {"rng_three_fry", RandomAlgorithm::kThreeFry},
    {"rng_philox", RandomAlgorithm::kPhilox}};
constexpr Names<TriangularSolveTranspose> kTransposes[] = {
    {"TRANSPOSE_INVALID", TriangularSolveTranspose::kInvalid},
    {"NO_TRANSPOSE", TriangularSolveTranspose::kNoTranspose},
    {"TRANSPOSE", TriangularSolveTranspose::kTranspose},
    {"ADJOINT", TriangularSolveTranspose::kAdjoint}};

// --- One reader per attribute struct -----------------------------------------
void ReadInto(CaseFields* fields, NoAttributes*) { (void)fields; }

void ReadInto(CaseFields* fields, ElementwiseAttributes* a) {
  fields->Read("broadcast_dimensions", &a->broadcast.dimensions);
}

void ReadInto(CaseFields* fields, CompareAttributes* a) {
  fields->ReadEnum("direction", kDirections, &a->direction);
  fields->ReadEnum("type", kComparisonTypes, &a->type);
  fields->Read("broadcast_dimensions", &a->broadcast.dimensions);
}

void ReadInto(CaseFields* fields, DimensionsAttributes* a) {
  fields->Read("dimensions", &a->dimensions);
}

void ReadInto(CaseFields* fields, SortAttributes* a) {
  a->dimensions = {-1};  // the last, when the line says nothing
  fields->Read("dimensions", &a->dimensions);
  fields->Read("is_stable", &a->is_stable);
}

void ReadInto(CaseFields* fields, SliceAttributes* a) {
  fields->ReadWith("slice", ReadSlice, a);
  fields->Read("starts", &a->starts);
  fields->Read("limits", &a->limits);
  fields->Read("strides", &a->strides);
}

void ReadInto(CaseFields* fields, DynamicSliceAttributes* a) {
  fields->Read("dynamic_slice_sizes", &a->slice_sizes);
}

void ReadInto(CaseFields* fields, PadAttributes* a) {
  fields->ReadWith("padding", ReadPadding, &a->padding);
}

void ReadInto(CaseFields* fields, DotAttributes* a) {
  fields->Read("lhs_contracting_dims", &a->lhs_contracting_dims);
  fields->Read("rhs_contracting_dims", &a->rhs_contracting_dims);
  fields->Read("lhs_batch_dims", &a->lhs_batch_dims);
  fields->Read("rhs_batch_dims", &a->rhs_batch_dims);
  fields->Read("lhs_ragged_dims", &a->lhs_ragged_dims);
  fields->Read("rhs_group_dims", &a->rhs_group_dims);
}

void ReadInto(CaseFields* fields, WindowAttributes* a) {
  fields->ReadWith("window", ReadWindow, &a->window);
}

void ReadInto(CaseFields* fields, ConvolutionAttributes* a) {
  fields->ReadWith("window", ReadWindow, &a->window);
  fields->ReadWith("dim_labels", ReadDimLabels, &a->dims);
  fields->Read("feature_group_count", &a->feature_group_count);
  fields->Read("batch_group_count", &a->batch_group_count);
  fields->Read("sparsity_block_size", &a->rhs_sparsity.block_size);
}

void ReadInto(CaseFields* fields, GatherAttributes* a) {
  fields->Read("offset_dims", &a->offset_dims);
  fields->Read("collapsed_slice_dims", &a->collapsed_slice_dims);
  fields->Read("start_index_map", &a->start_index_map);
  fields->Read("operand_batching_dims", &a->operand_batching_dims);
  fields->Read("start_indices_batching_dims", &a->start_indices_batching_dims);
  fields->Read("index_vector_dim", &a->index_vector_dim);
  fields->Read("slice_sizes", &a->slice_sizes);
  fields->Read("indices_are_sorted", &a->indices_are_sorted);
}

void ReadInto(CaseFields* fields, ScatterAttributes* a) {
  fields->Read("update_window_dims", &a->update_window_dims);
  fields->Read("inserted_window_dims", &a->inserted_window_dims);
  fields->Read("scatter_dims_to_operand_dims",
               &a->scatter_dims_to_operand_dims);
  fields->Read("input_batching_dims", &a->input_batching_dims);
  fields->Read("scatter_indices_batching_dims",
               &a->scatter_indices_batching_dims);
  fields->Read("index_vector_dim", &a->index_vector_dim);
  fields->Read("indices_are_sorted", &a->indices_are_sorted);
  fields->Read("unique_indices", &a->unique_indices);
}

void ReadInto(CaseFields* fields, TopKAttributes* a) {
  fields->Read("k", &a->k);
  fields->Read("largest", &a->largest);
  fields->Read("is_stable", &a->is_stable);
}

void ReadInto(CaseFields* fields, FftAttributes* a) {
  fields->ReadEnum("fft_type", kFftTypes, &a->type);
  fields->Read("fft_length", &a->length);
}

void ReadInto(CaseFields* fields, CholeskyAttributes* a) {
  fields->Read("lower", &a->lower);
}

void ReadInto(CaseFields* fields, TriangularSolveAttributes* a) {
  fields->Read("left_side", &a->left_side);
  fields->Read("lower", &a->lower);
  fields->Read("unit_diagonal", &a->unit_diagonal);
  fields->ReadEnum("transpose_a", kTransposes, &a->transpose_a);
}

void ReadInto(CaseFields* fields, ReducePrecisionAttributes* a) {
  fields->Read("exponent_bits", &a->exponent_bits);
  fields->Read("mantissa_bits", &a->mantissa_bits);
}

void ReadInto(CaseFields* fields, BatchNormAttributes* a) {
  fields->Read("epsilon", &a->epsilon);
  fields->Read("feature_index", &a->feature_index);
}

void ReadInto(CaseFields* fields, ScanAttributes* a) {
  fields->Read("dimensions", &a->dimensions);
  fields->Read("num_carries", &a->num_carries);
  fields->Read("is_reverse", &a->is_reverse);
  fields->Read("is_associative", &a->is_associative);
}

void ReadInto(CaseFields* fields, RngAttributes* a) {
  fields->ReadEnum("distribution", kDistributions, &a->distribution);
}

void ReadInto(CaseFields* fields, RngBitGeneratorAttributes* a) {
  fields->ReadEnum("algorithm", kAlgorithms, &a->algorithm);
}

void ReadInto(CaseFields* fields, RngGetAndUpdateStateAttributes* a) {
  fields->Read("delta", &a->delta);
}

void ReadInto(CaseFields* fields, ParameterAttributes* a) {
  fields->Read("number", &a->number);
}

void ReadInto(CaseFields* fields, GetTupleElementAttributes* a) {
  fields->Read("index", &a->index);
}

void ReadInto(CaseFields* fields, ConstantAttributes*) { (void)fields; }

void ReadInto(CaseFields* fields, CustomCallAttributes* a) {
  fields->Read("custom_call_target", &a->target);
  fields->Read("custom_call_has_side_effect", &a->has_side_effect);
}

void ReadInto(CaseFields* fields, FusionAttributes* a) {
  fields->Read("kind", &a->kind);
}

void ReadInto(CaseFields* fields, InfeedAttributes* a) {
  fields->Read("infeed_config", &a->config);
}

void ReadInto(CaseFields* fields, OutfeedAttributes* a) {
  fields->Read("outfeed_config", &a->config);
  fields->Read("outfeed_shape", &a->outfeed_shape);
}

void ReadInto(CaseFields* fields, ChannelAttributes* a) {
  fields->Read("channel_id", &a->channel_id);
  fields->Read("is_host_transfer", &a->is_host_transfer);
}

void ReadInto(CaseFields* fields, CollectiveAttributes* a) {
  fields->Read("dimensions", &a->dimensions);
  fields->ReadWith("replica_groups", ReadReplicaGroups, &a->replica_groups);
  fields->Read("shard_count", &a->shard_count);
  fields->Read("split_count", &a->shard_count);
  fields->Read("channel_id", &a->channel_id);
  fields->Read("use_global_device_ids", &a->use_global_device_ids);
  fields->Read("has_dynamic_root", &a->has_dynamic_root);
  fields->Read("split_dimension", &a->split_dimension);
  fields->Read("concat_dimension", &a->concat_dimension);
}

void ReadInto(CaseFields* fields, CollectivePermuteAttributes* a) {
  fields->ReadWith("source_target_pairs", ReadPairs, &a->source_target_pairs);
  fields->Read("slice_sizes", &a->slice_sizes);
  fields->Read("channel_id", &a->channel_id);
}

void ReadInto(CaseFields* fields, AsyncAttributes* a) {
  fields->Read("async_execution_thread", &a->execution_thread);
}

void ReadInto(CaseFields* fields, CopyStartAttributes* a) {
  fields->Read("cross_program_prefetch_index",
               &a->cross_program_prefetch_index);
}

void ReadInto(CaseFields* fields, DomainAttributes* a) {
  fields->Read("domain", &a->text);
}

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
  std::visit([fields](auto& a) { ReadInto(fields, &a); }, attributes);
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

CaseInputs::CaseInputs(const Case& c) {
  for (const Shape& operand : c.operands) operands_.push_back(&operand);
  for (const Signature& callee : c.callees) callees_.push_back(&callee);
  inputs_.opcode = c.opcode;
  inputs_.operands = operands_;
  inputs_.attributes = &c.attributes;
  inputs_.callees = callees_;
  if (c.result) {
    inputs_.declared = &*c.result;
  } else if (c.declared) {
    inputs_.declared = &*c.declared;
  }
}

}  // namespace indim
