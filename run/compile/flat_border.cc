// SPDX-License-Identifier: Apache-2.0
#include "indim/run/compile/flat_border.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "indim/edit/editor.h"
#include "indim/ir/module_access.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/sharding/sharding.h"

namespace indim::pjrt {
namespace {

using Index = DimIndices;  // of an array in a tuple

// Tokens hold nothing, and don't cross the border.
void AddLeafIndices(const Shape& shape, Index* prefix,
                    std::vector<Index>* leaves) {
  if (shape.is_token()) return;
  if (!shape.is_tuple()) {
    leaves->push_back(*prefix);
    return;
  }
  for (int i = 0; i < shape.tuple_size(); ++i) {
    prefix->push_back(i);
    AddLeafIndices(shape.elements()[static_cast<size_t>(i)], prefix, leaves);
    prefix->pop_back();
  }
}

std::vector<Index> LeafIndices(const Shape& shape) {
  std::vector<Index> leaves;
  Index prefix;
  AddLeafIndices(shape, &prefix, &leaves);
  return leaves;
}

bool HasToken(const Shape& shape) {
  if (!shape.is_tuple()) return shape.is_token();
  return absl::c_any_of(shape.elements(), HasToken);
}

// --- Shardings --------------------------------------------------------------

absl::string_view ShardingOf(const Instruction& instruction) {
  return internal::FieldsOf(instruction)
      .Text(field::HloInstructionProto::kSharding);
}

// --- The graph --------------------------------------------------------------

class Flattener {
 public:
  explicit Flattener(const Module& module)
      : module_(module), editor_(module), entry_(editor_.entry()) {}

  absl::StatusOr<Module> Run() {
    const std::vector<InstructionRef> old = editor_.parameters(entry_);
    std::vector<std::string> names;
    std::vector<InstructionRef> leaves;
    for (const InstructionRef parameter : old) {
      const std::string name = editor_.name(parameter);
      const size_t first = leaves.size();
      AddLeaves(parameter, name, &leaves);
      for (size_t i = first; i < leaves.size(); ++i) {
        const bool is_whole = editor_.shape(parameter).is_array();
        names.push_back(is_whole ? name : absl::StrCat(name, ".", i - first));
      }
    }
    ReplaceParameters(old, leaves);
    for (size_t i = 0; i < leaves.size(); ++i) {
      editor_.SetName(leaves[i], names[i]);
    }
    const Shape root = editor_.shape(editor_.root(entry_));
    if (root.depth() > 1 || HasToken(root)) FlattenRoot();
    EditResult result = editor_.Finish();
    if (!result.ok()) return result.status();
    return std::move(result.module);
  }

 private:
  void AddLeaves(InstructionRef parameter, const std::string& name,
                 std::vector<InstructionRef>* leaves) {
    const Shape shape = editor_.shape(parameter);
    const std::vector<Index> indices = LeafIndices(shape);
    const std::vector<absl::string_view> shardings =
        LeafShardings(ShardingOfParameter(parameter), indices.size());
    for (size_t i = 0; i < indices.size(); ++i) {
      const Shape* leaf = &shape;
      for (const int64_t at : indices[i]) {
        leaf = &leaf->elements()[static_cast<size_t>(at)];
      }
      const InstructionRef added =
          editor_.AddParameter(entry_, *leaf, absl::StrCat(name, ".leaf"));
      if (!shardings[i].empty())
        editor_.SetSharding(added, std::string(shardings[i]));
      leaves->push_back(added);
    }
  }

  absl::string_view ShardingOfParameter(InstructionRef parameter) const {
    for (const Instruction i : module_.entry().instructions()) {
      if (editor_.Of(i) == parameter) return ShardingOf(i);
    }
    return "";
  }

  void ReplaceParameters(const std::vector<InstructionRef>& old,
                         const std::vector<InstructionRef>& leaves) {
    size_t next = 0;
    for (const InstructionRef parameter : old) {
      const Shape shape = editor_.shape(parameter);
      InstructionRef value;
      if (!shape.is_array()) {
        Insertion at =
            editor_.After(leaves.empty() ? parameter : leaves.back());
        value = at.Insert(Rebuild(shape, leaves, &next, &at));
      } else {
        value = leaves[next++];
      }
      editor_.ReplaceAllUses(parameter, value);
    }
    for (size_t i = 0; i < old.size(); ++i) editor_.RemoveParameter(entry_, 0);
  }

  Op Rebuild(const Shape& shape, const std::vector<InstructionRef>& leaves,
             size_t* next, Insertion* at) {
    if (shape.is_token()) return (*at)->CreateToken();
    if (!shape.is_tuple()) return at->Use(leaves[(*next)++]);
    std::vector<Op> elements;
    for (const Shape& element : shape.elements()) {
      elements.push_back(Rebuild(element, leaves, next, at));
    }
    return (*at)->Tuple(elements);
  }

  void FlattenRoot() {
    const InstructionRef root = editor_.root(entry_);
    const Shape shape = editor_.shape(root);
    Insertion at = editor_.AtEnd(entry_);
    std::vector<Op> leaves;
    for (const Index& index : LeafIndices(shape)) {
      Op value = at.Use(root);
      for (const int64_t i : index) value = at->GetTupleElement(value, i);
      leaves.push_back(value);
    }
    editor_.SetRoot(entry_, at.Insert(at->Tuple(leaves)));
  }

  const Module& module_;
  Editor editor_;
  const ComputationRef entry_;
};

// --- Aliases ----------------------------------------------------------------

// Where the arrays of the parameters and of the result went.
class FlatPlaces {
 public:
  explicit FlatPlaces(const Signature& signature) {
    for (const Shape& shape : signature.parameters) {
      firsts_.push_back(count_);
      parameters_.push_back(LeafIndices(shape));
      count_ += static_cast<int64_t>(parameters_.back().size());
    }
    results_ = LeafIndices(signature.result);
  }

  std::optional<int64_t> Parameter(int64_t number, const Index& index) const {
    if (number < 0 || static_cast<size_t>(number) >= parameters_.size()) {
      return std::nullopt;
    }
    const size_t at = static_cast<size_t>(number);
    const auto place = Find(parameters_[at], index);
    if (!place) return std::nullopt;
    return firsts_[at] + *place;
  }
  // The new index of a result's array.
  std::optional<Index> Result(const Index& index) const {
    if (index.empty()) return index;
    const auto place = Find(results_, index);
    if (!place) return std::nullopt;
    return Index{*place};
  }

 private:
  static std::optional<int64_t> Find(const std::vector<Index>& leaves,
                                     const Index& index) {
    const auto found = absl::c_find(leaves, index);
    if (found == leaves.end()) return std::nullopt;
    return found - leaves.begin();
  }

  std::vector<int64_t> firsts_;
  std::vector<std::vector<Index>> parameters_;
  std::vector<Index> results_;
  int64_t count_ = 0;
};

// The entries of one of the two messages that name parameters: they agree in
// the numbers of the fields given here.
struct ParameterListFields {
  WireMessage list;
  uint32_t entries;
  WireMessage entry;
  uint32_t number;
  uint32_t index;
  uint32_t output;  // 0: it has none
};

constexpr ParameterListFields kAliases = {
    WireMessage::kHloInputOutputAliasProto,
    field::HloInputOutputAliasProto::kEntries,
    WireMessage::kHloInputOutputAliasProto_AliasEntryProto,
    field::HloInputOutputAliasProto_AliasEntryProto::kParameterNumber,
    field::HloInputOutputAliasProto_AliasEntryProto::kParameterShapeIndex,
    field::HloInputOutputAliasProto_AliasEntryProto::kOutputShapeIndex};
constexpr ParameterListFields kDonors = {
    WireMessage::kHloBufferDonorProto,
    field::HloBufferDonorProto::kEntries,
    WireMessage::kHloBufferDonorProto_BufferDonorEntryProto,
    field::HloBufferDonorProto_BufferDonorEntryProto::kParameterNumber,
    field::HloBufferDonorProto_BufferDonorEntryProto::kParameterShapeIndex,
    0};

std::string Moved(absl::string_view list, const ParameterListFields& of,
                  const FlatPlaces& places) {
  FieldList old(of.list, list);
  std::vector<std::string> entries;
  for (const absl::string_view bytes : old.Texts(of.entries)) {
    FieldList entry(of.entry, bytes);
    const std::optional<int64_t> parameter =
        places.Parameter(entry.Number(of.number), entry.Numbers(of.index));
    if (!parameter) continue;
    if (of.output != 0) {
      const std::optional<Index> output =
          places.Result(entry.Numbers(of.output));
      if (!output) continue;
      entry.SetNumbers(of.output, *output);
    }
    entry.SetNumber(of.number, *parameter);
    entry.SetNumbers(of.index, {});
    entries.push_back(entry.Serialize());
  }
  FieldList fresh(of.list);
  fresh.SetTexts(of.entries, entries);
  return fresh.Serialize();
}

// The flat module with the aliases of the one before.
Module WithAliases(const Module& before, Module after) {
  const FlatPlaces places(before.entry().signature());
  FieldList old(WireMessage::kHloModuleProto,
                internal::DataOf(before).other_fields);
  std::shared_ptr<ModuleData> data = internal::TakeData(std::move(after));
  const std::string fields_before = data->other_fields;
  FieldList fields(WireMessage::kHloModuleProto);
  if (!fields.Append(fields_before)) {
    return internal::ModuleOf(std::move(data));
  }
  const auto move = [&](uint32_t number, const ParameterListFields& of) {
    if (!old.has(number)) return;
    fields.SetText(number, Moved(old.Text(number), of, places));
  };
  move(field::HloModuleProto::kInputOutputAlias, kAliases);
  move(field::HloModuleProto::kBufferDonor, kDonors);
  data->other_fields = fields.Serialize();
  return internal::ModuleOf(std::move(data));
}

}  // namespace

bool HasFlatBorder(const Module& module) {
  const Signature signature = module.entry().signature();
  if (signature.result.depth() > 1 || HasToken(signature.result)) return false;
  for (const Shape& shape : signature.parameters) {
    if (HasToken(shape)) return false;
    if (!shape.is_tuple()) continue;
    if (shape.depth() > 1 || signature.parameters.size() > 1) return false;
  }
  return true;
}

absl::StatusOr<Module> WithFlatBorder(const Module& module) {
  absl::StatusOr<Module> flat = Flattener(module).Run();
  if (!flat.ok()) return flat.status();
  return WithAliases(module, *std::move(flat));
}

}  // namespace indim::pjrt
