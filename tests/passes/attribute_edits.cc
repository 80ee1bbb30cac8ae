// SPDX-License-Identifier: Apache-2.0
#include "indim/tests/passes/attribute_edits.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"

namespace indim {
namespace {

using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;
using ::google::protobuf::Reflection;

// Of the record, or of no meaning for a program.
bool IsSkipped(const FieldDescriptor& field) {
  static const auto* skipped = new std::set<absl::string_view>{
      "name",
      "opcode",
      "shape",
      "metadata",
      "id",
      "operand_ids",
      "called_computation_ids",
      "backend_config",
      "backend_config_payload",
      "frontend_attributes",
      "statistics_viz",
      "all_reduce_id",
      "is_cross_program_prefetch",
      "parameter_replication",
  };
  // Indim's own fields, which XLA skips (proto/hlo.proto).
  constexpr int kFirstOfOurs = 1000;
  if (field.number() >= kFirstOfOurs) return true;
  return field.containing_type() == proto::HloInstructionProto::descriptor() &&
         skipped->count(absl::string_view(field.name())) > 0;
}

// Fields that these ops read also where they have their default and are absent.
struct OwnField {
  const char* field;
  std::set<absl::string_view> opcodes;
};
const std::vector<OwnField>& OwnFields() {
  static const auto* fields = new std::vector<OwnField>{
      {"parameter_number", {"parameter"}},
      {"tuple_index", {"get-tuple-element"}},
      {"distribution", {"rng"}},
      {"rng_algorithm", {"rng-bit-generator"}},
      {"feature_index",
       {"batch-norm-training", "batch-norm-inference", "batch-norm-grad"}},
      {"channel_id",
       {"all-gather", "all-reduce", "all-to-all", "collective-broadcast",
        "collective-permute", "reduce-scatter", "recv", "recv-done", "send",
        "send-done"}},
      {"is_host_transfer", {"recv", "recv-done", "send", "send-done"}},
      {"use_global_device_ids", {"all-gather", "all-reduce", "reduce-scatter"}},
      {"constrain_layout", {"all-reduce", "custom-call"}},
      {"feature_group_count", {"convolution"}},
      {"batch_group_count", {"convolution"}},
      {"fft_type", {"fft"}},
      {"is_stable", {"sort", "topk"}},
      {"largest", {"topk"}},
      {"k", {"topk"}},
      {"indices_are_sorted", {"gather", "scatter"}},
      {"unique_indices", {"scatter"}},
      {"custom_call_has_side_effect", {"custom-call"}},
      {"is_composite", {"call"}},
      {"is_reverse", {"scan"}},
      {"num_carries", {"scan"}},
      {"delta", {"rng-get-and-update-state"}},
  };
  return *fields;
}

std::set<int> OwnFieldsOf(const std::string& opcode) {
  std::set<int> numbers;
  for (const OwnField& own : OwnFields()) {
    if (own.opcodes.count(opcode) == 0) continue;
    numbers.insert(proto::HloInstructionProto::descriptor()
                       ->FindFieldByName(own.field)
                       ->number());
  }
  return numbers;
}

// Walks over all edits. Lists them, or does the one that is asked for.
class Editor {
 public:
  explicit Editor(int wanted) : wanted_(wanted) {}

  void Visit(const std::string& path, Message* message,
             const std::set<int>& own) {
    const auto* descriptor = message->GetDescriptor();
    std::vector<const FieldDescriptor*> fields;
    for (int i = 0; i < descriptor->field_count(); ++i) {
      fields.push_back(descriptor->field(i));
    }
    std::sort(fields.begin(), fields.end(), [](const auto* a, const auto* b) {
      return a->number() < b->number();
    });
    for (const FieldDescriptor* field : fields) {
      if (IsSkipped(*field) || done_) continue;
      const std::string name =
          path.empty() ? field->name() : absl::StrCat(path, ".", field->name());
      if (field->is_repeated()) {
        VisitList(name, message, field);
      } else if (message->GetReflection()->HasField(*message, field)) {
        VisitPresent(name, message, field);
      } else if (!path.empty() || own.count(field->number()) > 0) {
        VisitAbsent(name, !path.empty(), message, field);
      }
    }
  }

  std::vector<AttributeEdit> edits() && { return std::move(edits_); }

 private:
  // Whether the edit that comes now is the one to be done.
  bool Turn(const std::string& field, absl::string_view change) {
    if (wanted_ < 0) edits_.push_back({field, std::string(change)});
    done_ = done_ || next_ == wanted_;
    return next_++ == wanted_;
  }

  void VisitPresent(const std::string& name, Message* m,
                    const FieldDescriptor* field) {
    const Reflection* reflection = m->GetReflection();
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      if (Turn(name, "left out")) {
        reflection->ClearField(m, field);
        return;
      }
      Visit(name, reflection->MutableMessage(m, field), {});
      return;
    }
    VisitScalar(name, m, field);
  }

  // Texts and bytes of messages inside mean nothing where they aren't given.
  void VisitAbsent(const std::string& name, bool nested, Message* m,
                   const FieldDescriptor* field) {
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE ||
        field->containing_oneof() != nullptr ||
        (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING && nested)) {
      return;
    }
    VisitScalar(name, m, field);
  }

  void VisitScalar(const std::string& name, Message* m,
                   const FieldDescriptor* field) {
    const Reflection* r = m->GetReflection();
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT64: {
        const int64_t value = r->GetInt64(*m, field);
        if (Turn(name, "+1")) r->SetInt64(m, field, value + 1);
        if (Turn(name, "-1")) r->SetInt64(m, field, value - 1);
        if (Turn(name, "to -7")) r->SetInt64(m, field, -7);
        return;
      }
      case FieldDescriptor::CPPTYPE_INT32: {
        const int32_t value = r->GetInt32(*m, field);
        if (Turn(name, "+1")) r->SetInt32(m, field, value + 1);
        if (Turn(name, "-1")) r->SetInt32(m, field, value - 1);
        if (Turn(name, "to -7")) r->SetInt32(m, field, -7);
        return;
      }
      case FieldDescriptor::CPPTYPE_BOOL:
        if (Turn(name, "flipped")) r->SetBool(m, field, !r->GetBool(*m, field));
        return;
      case FieldDescriptor::CPPTYPE_ENUM: {
        const int value = r->GetEnumValue(*m, field);
        if (Turn(name, "+1")) r->SetEnumValue(m, field, value + 1);
        if (value > 0 && Turn(name, "to 0")) r->SetEnumValue(m, field, 0);
        return;
      }
      case FieldDescriptor::CPPTYPE_FLOAT:
        if (Turn(name, "+1")) r->SetFloat(m, field, r->GetFloat(*m, field) + 1);
        return;
      case FieldDescriptor::CPPTYPE_STRING: {
        std::string text = r->GetString(*m, field);
        if (Turn(name, "longer")) {
          text.push_back('Q');
          r->SetString(m, field, text);
        } else if (!text.empty() && Turn(name, "shorter")) {
          text.pop_back();
          r->SetString(m, field, text);
        }
        return;
      }
      default:
        return;
    }
  }

  void VisitList(const std::string& name, Message* m,
                 const FieldDescriptor* field) {
    const Reflection* r = m->GetReflection();
    const int size = r->FieldSize(*m, field);
    if (size == 0) return;
    if (Turn(name, "one less")) {
      r->RemoveLast(m, field);
      return;
    }
    if (size > 1 && Turn(name, "two swapped")) {
      r->SwapElements(m, field, 0, size - 1);
      return;
    }
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      if (Turn(name, "one twice")) {
        auto copy = std::unique_ptr<Message>(
            r->GetRepeatedMessage(*m, field, size - 1).New());
        copy->CopyFrom(r->GetRepeatedMessage(*m, field, size - 1));
        r->AddMessage(m, field)->CopyFrom(*copy);
        return;
      }
      Visit(name, r->MutableRepeatedMessage(m, field, 0), {});
      if (size > 1 && !done_) {
        Visit(name, r->MutableRepeatedMessage(m, field, size - 1), {});
      }
      return;
    }
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_INT64) return;
    if (Turn(name, "one twice")) {
      r->AddInt64(m, field, r->GetRepeatedInt64(*m, field, size - 1));
    }
    for (const int i : {0, size - 1}) {
      const int64_t value = r->GetRepeatedInt64(*m, field, i);
      if (Turn(name, "+1")) r->SetRepeatedInt64(m, field, i, value + 1);
      if (Turn(name, "-1")) r->SetRepeatedInt64(m, field, i, value - 1);
      if (Turn(name, "to -7")) r->SetRepeatedInt64(m, field, i, -7);
      if (size == 1) break;
    }
  }

  const int wanted_;
  int next_ = 0;
  bool done_ = false;
  std::vector<AttributeEdit> edits_;
};

}  // namespace

std::vector<AttributeEdit> AttributeEdits(
    const proto::HloInstructionProto& instruction) {
  Editor editor(-1);
  proto::HloInstructionProto copy = instruction;
  editor.Visit("", &copy, OwnFieldsOf(instruction.opcode()));
  return std::move(editor).edits();
}

void ApplyAttributeEdit(int index, proto::HloInstructionProto* instruction) {
  Editor(index).Visit("", instruction, OwnFieldsOf(instruction->opcode()));
}

}  // namespace indim
