// SPDX-License-Identifier: Apache-2.0
// NameScopes: the open bodies of computations, and what names of instructions
// mean in each.
//
// A body inside another one (an inline body: `to_apply={ ... }`) may use the
// names of the outer one for other instructions.
//
// For text/ only.

#ifndef INDIM_TEXT_PARSE_NAME_SCOPES_H_
#define INDIM_TEXT_PARSE_NAME_SCOPES_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "indim/ir/module_data.h"
#include "indim/ir/storage/byte_hash.h"
#include "indim/ir/storage/column.h"
#include "indim/ir/storage/intern_index.h"
#include "indim/ir/text_positions.h"
#include "indim/text/base/name_uniquer.h"
#include "indim/text/parse/parsed_module.h"

namespace indim {

// The body of a computation while it is read.
struct OpenBody {
  // Control predecessors of an instruction: their names are resolved at the end
  // of the body.
  struct Control {
    uint32_t position;
    std::vector<std::pair<absl::string_view, size_t>> names;
  };

  absl::string_view name;
  uint32_t serial = 0;  // the body's number; open ones have ascending numbers
  Column<InstructionRecord> instructions;
  std::vector<absl::string_view> names;
  TextPositions places;
  absl::flat_hash_map<absl::string_view, uint32_t> shadowed;
  std::vector<Control> control;
  uint32_t root = kBrokenPosition;
  bool has_root = false;  // an instruction is marked ROOT
  // Whether an instruction is missing, because of an error in it or in one that
  // it depends on.
  bool is_broken = false;
  // TextErrors::calls() at its beginning: an error that repeats an earlier one
  // counts too.
  int64_t errors_before = 0;
  // Parameters made for operands of a bare instruction.
  int64_t made_parameters = 0;
};

class NameScopes {
 public:
  // The instruction that a name denotes.
  struct Binding {
    absl::string_view name;
    uint32_t serial;  // of the body
    uint32_t position;
  };

  NameScopes(TextInput* in, ParsedModule* module);

  // Opens a body inside the others.
  void Open(absl::string_view name);
  // Drops the innermost one.
  void Drop() { --open_; }
  // Makes the innermost one a computation of the module; returns its index.
  uint32_t Close();
  OpenBody& body() { return *bodies_[open_ - 1]; }
  size_t open_bodies() const { return open_; }

  // The position that a name denotes in the innermost body.
  std::optional<uint32_t> LookUp(absl::string_view name) {
    return Meaning(FindBinding(name, HashBytes(name)));
  }
  // LookUp with an error at `offset` about an unknown name. False after an
  // error, with *position broken.
  bool Find(absl::string_view name, size_t offset, uint32_t* position);
  // Binds a name, with an error if the body has it already.
  void Define(absl::string_view name, size_t offset, uint32_t position);
  void Bind(absl::string_view name, uint32_t position);

  // LookUp and Bind in steps. FindBinding returns null if the name isn't bound
  // yet; a binding is valid until the next Bind.
  Binding* FindBinding(absl::string_view name, uint64_t hash);
  std::optional<uint32_t> Meaning(const Binding* binding);
  void Bind(Binding* binding, absl::string_view name, uint64_t hash,
            uint32_t position);

  // Copies `name` to memory that lives as long as this.
  absl::string_view Keep(std::string name);
  // A new name for an instruction that is an operand.
  absl::string_view NameNested(Opcode opcode);
  // Takes account of the name of an instruction that has one.
  void AddGiven(absl::string_view name) {
    if (nested_ != nullptr) nested_->Unique(name);
  }
  // Whether NameNested has made names.
  bool has_nested() const { return nested_ != nullptr; }

 private:
  // Replaces the names of control predecessors by ids.
  void ResolveControl(int64_t computation_id);

  TextInput& in_;
  ParsedModule& module_;
  std::vector<std::unique_ptr<OpenBody>> bodies_;  // closed ones are reused
  size_t open_ = 0;
  uint32_t next_serial_ = 0;
  std::vector<Binding> bindings_;
  InternIndex index_;  // of bindings_, by name
  std::deque<std::string> kept_;
  std::unique_ptr<NameUniquer> nested_;  // null while there is none
};

}  // namespace indim

#endif  // INDIM_TEXT_PARSE_NAME_SCOPES_H_
