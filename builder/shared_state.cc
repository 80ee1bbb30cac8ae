// SPDX-License-Identifier: Apache-2.0
#include "indim/builder/shared_state.h"

#include <array>
#include <atomic>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "indim/ir/module_access.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire_fields.h"

namespace indim::internal {
namespace {

using field::HloInstructionProto::kSharding;
using field::OpMetadata::kOpName;
using field::OpMetadata::kOpType;
using field::OpMetadata::kSourceFile;
using field::OpMetadata::kSourceLine;

void AppendText(uint32_t number, absl::string_view text, std::string* bytes) {
  if (text.empty()) return;
  wire_fields::AppendBytes(number, text, bytes);
}

std::string MetadataBytes(absl::string_view op_type, absl::string_view op_name,
                          Caller caller) {
  std::string bytes;
  AppendText(kOpType, op_type, &bytes);
  AppendText(kOpName, op_name, &bytes);
  AppendText(kSourceFile, caller.file, &bytes);
  wire_fields::AppendInt(kSourceLine, caller.line, &bytes);
  return bytes;
}

// Why a computation with this signature can't be called; empty: it can.
std::string Incomplete(const Signature& signature) {
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    if (signature.parameters[i].is_none()) {
      return absl::StrCat("its parameter ", i, " has no shape");
    }
  }
  if (signature.result.is_none()) return "its result has no shape";
  return "";
}

// All that a computation is made of but the lines of its calls: equal texts are
// equal computations of one family.
std::string ContentOf(const ModuleData& own) {
  std::string content;
  const auto add = [&content](uint32_t word) {
    content.append(reinterpret_cast<const char*>(&word), sizeof(word));
  };
  const auto add_name = [&](NameId id) {
    const absl::string_view name = own.pools->name(id);
    add(static_cast<uint32_t>(name.size()));
    content.append(name.data(), name.size());
  };
  add_name(own.computations[0].name);
  add(own.computations[0].root);
  for (const InstructionRecord& r : own.instructions) {
    for (const uint32_t word :
         {static_cast<uint32_t>(r.opcode), r.operand_count,
          uint32_t{r.callee_count}, r.shape.value, r.attribute_bytes.value}) {
      add(word);
    }
    add_name(r.name);
  }
  for (const uint32_t operand : own.operands) add(operand);
  return content;
}

}  // namespace

uint64_t SharedState::NextSerial() {
  static std::atomic<uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

void SharedState::SetSignature(uint32_t computation,
                               const Signature& signature) {
  if (computation < signatures_.size() && signatures_[computation] != nullptr) {
    return;
  }
  absl::InlinedVector<ShapeId, 6> shapes;
  for (const Shape& parameter : signature.parameters) {
    shapes.push_back(pools().shapes().Intern(parameter));
  }
  shapes.push_back(pools().shapes().Intern(signature.result));
  SetSignature(computation, shapes);
}

void SharedState::SetSignature(uint32_t computation,
                               absl::Span<const ShapeId> shapes) {
  if (signatures_.size() <= computation) signatures_.resize(computation + 1);
  const Signature*& own = signatures_[computation];
  if (own != nullptr) return;
  absl::InlinedVector<uint32_t, 6> key;
  for (const ShapeId shape : shapes) key.push_back(shape.value);
  auto [at, is_new] = signature_of_.try_emplace(std::move(key));
  if (is_new) {
    auto signature = std::make_unique<Signature>();
    const ShapeTable& table = pools().shapes();
    for (const ShapeId shape : shapes.first(shapes.size() - 1)) {
      signature->parameters.push_back(table.shape(shape));
    }
    signature->result = table.shape(shapes.back());
    at->second = std::move(signature);
  }
  own = at->second.get();
}

uint32_t SharedState::Adopt(ModuleData&& own,
                            absl::Span<const ShapeId> signature) {
  const uint32_t index = AppendModule(
      std::move(own), ControlForm::kPositions,
      [](uint32_t callee) { return callee; }, &store_);
  SetSignature(index, signature);
  return index;
}

uint32_t SharedState::AdoptOnce(ModuleData&& own,
                                absl::Span<const ShapeId> signature) {
  const std::string content = ContentOf(own);
  const auto known = adopted_once_.find(content);
  if (known != adopted_once_.end()) return known->second;
  const uint32_t index = Adopt(std::move(own), signature);
  adopted_once_.emplace(content, index);
  return index;
}

absl::StatusOr<uint32_t> SharedState::Link(const Callee& callee) {
  if (!callee.status_.ok()) return callee.status_;
  if (callee.module_.has_value()) {
    if (callee.module_->computation_count() == 0) {
      return absl::InvalidArgumentError("the module has no computation");
    }
    return Link(*callee.module_, DataOf(*callee.module_).entry);
  }
  if (callee.shared_.get() == this) return callee.computation_;
  return LinkFamily(*callee.shared_, callee.computation_);
}

absl::StatusOr<uint32_t> SharedState::Link(const Module& module,
                                           uint32_t computation) {
  const ModuleData& data = internal::DataOf(module);
  auto at = modules_.find(&data);
  if (at != modules_.end()) {
    const auto found = linked_.find({at->second.second, computation});
    if (found != linked_.end() && found->second < signatures_.size() &&
        signatures_[found->second] != nullptr) {
      return found->second;
    }
  }
  const Signature signature = ComputationOf(&data, computation).signature();
  const std::string lack = Incomplete(signature);
  if (!lack.empty()) return absl::InvalidArgumentError(lack);
  if (at == modules_.end()) {
    at = modules_.emplace(&data, std::make_pair(module, NextSerial())).first;
  }
  const uint32_t place =
      Copy(data, at->second.second, computation, ControlForm::kIds);
  SetSignature(place, signature);
  return place;
}

absl::StatusOr<uint32_t> SharedState::LinkFamily(const SharedState& family,
                                                 uint32_t index) {
  auto found = linked_.find({family.serial_, index});
  const uint32_t place =
      found != linked_.end()
          ? found->second
          : Copy(family.store_, family.serial_, index, ControlForm::kPositions);
  SetSignature(place, family.signature(index));
  return place;
}

uint32_t SharedState::Copy(const ModuleData& from, uint64_t serial,
                           uint32_t root, ControlForm form) {
  IdMap map(from.pools, store_.pools.get());
  for (uint32_t computation : Reachable(from, {root})) {
    auto [at, is_new] = linked_.try_emplace(Source(serial, computation));
    if (!is_new) continue;
    at->second = AppendComputation(
        from, computation, form, ControlForm::kPositions,
        [&](uint32_t callee) { return linked_.at(Source(serial, callee)); },
        &map, &store_);
  }
  return linked_.at(Source(serial, root));
}

Callee SharedState::Shared(const std::shared_ptr<SharedState>& family,
                           const std::string& name, ElementType type,
                           absl::FunctionRef<Callee()> make) {
  if (family == nullptr) return make();
  const std::pair<std::string, ElementType> key(name, type);
  const auto known = family->shared_.find(key);
  if (known != family->shared_.end()) return Callee(family, known->second);
  Callee made = make();
  if (made.shared_ == family) family->shared_.emplace(key, made.computation_);
  return made;
}

AttributeBytesId SharedState::AddAttributeBytes(const FieldList& fields) {
  return pools().AddAttributeBytes(fields.ToAttributeBytes().view());
}

AttributeBytesId SharedState::WithSharding(AttributeBytesId attribute_bytes,
                                           const std::string& sharding) {
  return pools().AddAttributeBytes(
      WithField(pools().attribute_bytes(attribute_bytes), kSharding, sharding)
          .view());
}

MetadataId SharedState::Location(Caller caller, NameId op_name,
                                 NameId op_type) {
  if (caller.file == nullptr) caller.file = "";
  const std::array<uint64_t, 3> key = {
      reinterpret_cast<uintptr_t>(caller.file),
      uint64_t{op_name.value} << 32 | static_cast<uint32_t>(caller.line),
      op_type.value};
  if (const MetadataId* const known = locations_.Find(key)) return *known;
  MetadataId id;
  if (!IsValidUtf8(caller.file)) caller.file = "";  // no file can hold it
  if (op_name || op_type || *caller.file != '\0') {
    id = pools().AddMetadata(
        MetadataBytes(pools().name(op_type), pools().name(op_name), caller));
  }
  return *locations_.Insert(key, id);
}

}  // namespace indim::internal
