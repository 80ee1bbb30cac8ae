// SPDX-License-Identifier: Apache-2.0
#include "indim/text/parse/name_scopes.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "indim/proto/wire/attribute_bytes.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/proto/wire/wire_fields.h"
#include "indim/shape/types/suggest.h"

namespace indim {

NameScopes::NameScopes(TextInput* in, ParsedModule* module)
    : in_(*in), module_(*module) {
  // Reserves about as many names as there will be.
  constexpr size_t kBytesOfInstruction = 256;
  index_.Reserve(in->text.size() / kBytesOfInstruction);
  bindings_.reserve(in->text.size() / kBytesOfInstruction);
}

void NameScopes::Open(absl::string_view name) {
  if (open_ == bodies_.size()) bodies_.push_back(std::make_unique<OpenBody>());
  OpenBody& body = *bodies_[open_++];
  body.name = name;
  body.serial = next_serial_++;
  body.instructions.clear();
  body.names.clear();
  body.places.clear();
  body.shadowed.clear();
  body.control.clear();
  body.root = kBrokenPosition;
  body.has_root = false;
  body.is_broken = false;
  body.errors_before = in_.errors.calls();
  body.made_parameters = 0;
}

uint32_t NameScopes::Close() {
  OpenBody& closed = body();
  const uint32_t index =
      static_cast<uint32_t>(module_.data->computations.size());
  const bool is_bare_entry = in_.bare && open_ == 1;
  if (is_bare_entry) module_.entry = index;
  ResolveControl(module_.ComputationId(in_, index));
  ComputationRecord record;
  record.first = static_cast<uint32_t>(module_.data->instructions.size());
  record.count = static_cast<uint32_t>(closed.instructions.size());
  record.root = closed.root;
  record.id = module_.ComputationId(in_, index);
  module_.data->computations.push_back(std::move(record));
  module_.data->instructions.insert(module_.data->instructions.end(),
                                    closed.instructions.begin(),
                                    closed.instructions.end());
  module_.instruction_names.insert(module_.instruction_names.end(),
                                   closed.names.begin(), closed.names.end());
  module_.places->Append(closed.places);
  ComputationFacts facts;
  facts.name = closed.name;
  module_.facts.push_back(std::move(facts));
  --open_;
  return index;
}

void NameScopes::ResolveControl(int64_t computation_id) {
  for (const OpenBody::Control& text : body().control) {
    std::string ids;
    for (const auto& [name, offset] : text.names) {
      uint32_t position;
      if (!Find(name, offset, &position)) continue;
      const int64_t id =
          in_.recorded
              ? static_cast<int64_t>(module_.data->instructions.size()) +
                    position + 1
              : computation_id << 32 | position;
      AppendVarint(static_cast<uint64_t>(id), &ids);
    }
    using field::HloInstructionProto::kControlPredecessorIds;
    std::string control;
    wire_fields::AppendBytes(kControlPredecessorIds, ids, &control);
    InstructionRecord& record = body().instructions[text.position];
    AttributeBytesView attribute_bytes =
        module_.pools.attribute_bytes(record.attribute_bytes);
    attribute_bytes.control = control;
    record.attribute_bytes = module_.pools.AddAttributeBytes(attribute_bytes);
  }
}

NameScopes::Binding* NameScopes::FindBinding(absl::string_view name,
                                             uint64_t hash) {
  const auto known = index_.Find(hash, [&](uint32_t index) {
    return SameBytes(bindings_[index].name, name);
  });
  return known ? &bindings_[*known] : nullptr;
}

std::optional<uint32_t> NameScopes::Meaning(const Binding* binding) {
  if (binding == nullptr) return std::nullopt;
  const OpenBody& of = body();
  if (binding->serial == of.serial) return binding->position;
  if (of.shadowed.empty()) return std::nullopt;
  const auto shadowed = of.shadowed.find(binding->name);
  if (shadowed == of.shadowed.end()) return std::nullopt;
  return shadowed->second;
}

bool NameScopes::Find(absl::string_view name, size_t offset,
                      uint32_t* position) {
  if (const std::optional<uint32_t> found = LookUp(name)) {
    *position = *found;
    return true;
  }
  *position = kBrokenPosition;
  // Comparing more names for "did you mean" would cost more time than it helps.
  constexpr size_t kMaxNames = 2000;
  const absl::Span<const absl::string_view> names = body().names;
  const absl::string_view near = NearestName(
      name, names.subspan(names.size() - std::min(names.size(), kMaxNames)));
  std::string message =
      absl::StrCat("no instruction before this one is named \"", name, "\"");
  if (!near.empty()) {
    absl::StrAppend(&message, ", did you mean \"", near, "\"?");
  }
  return in_.lexer.ErrorAt(offset, name.size(), std::move(message));
}

void NameScopes::Bind(absl::string_view name, uint32_t position) {
  const uint64_t hash = HashBytes(name);
  Bind(FindBinding(name, hash), name, hash, position);
}

void NameScopes::Bind(Binding* binding, absl::string_view name, uint64_t hash,
                      uint32_t position) {
  const uint32_t serial = body().serial;
  if (binding == nullptr) {
    index_.Insert(hash, static_cast<uint32_t>(bindings_.size()));
    bindings_.push_back({name, serial, position});
    return;
  }
  module_.names_unique = false;
  // A body that is still open may look its own meaning up again.
  const auto open_end = bodies_.begin() + static_cast<std::ptrdiff_t>(open_);
  const auto owner =
      std::lower_bound(bodies_.begin(), open_end, binding->serial,
                       [](const std::unique_ptr<OpenBody>& b, uint32_t s) {
                         return b->serial < s;
                       });
  if (owner != open_end && (*owner)->serial == binding->serial) {
    (*owner)->shadowed[name] = binding->position;
  }
  binding->serial = serial;
  binding->position = position;
}

void NameScopes::Define(absl::string_view name, size_t offset,
                        uint32_t position) {
  const uint64_t hash = HashBytes(name);
  Binding* const binding = FindBinding(name, hash);
  if (Meaning(binding).has_value()) {
    in_.lexer.ErrorAt(
        offset, name.size(),
        absl::StrCat("there is an instruction named \"", name, "\" already"));
    return;
  }
  Bind(binding, name, hash, position);
}

absl::string_view NameScopes::Keep(std::string name) {
  kept_.push_back(std::move(name));
  return kept_.back();
}

// XLA's name for an operand without one: "add.anon", made unique among all
// names so far.
absl::string_view NameScopes::NameNested(Opcode opcode) {
  if (nested_ == nullptr) {
    nested_ = std::make_unique<NameUniquer>();
    for (absl::string_view name : module_.instruction_names) {
      nested_->Unique(name);
    }
    for (size_t i = 0; i < open_; ++i) {
      for (absl::string_view name : bodies_[i]->names) nested_->Unique(name);
    }
  }
  return nested_->Unique(Keep(absl::StrCat(Name(opcode), ".anon")));
}

}  // namespace indim
