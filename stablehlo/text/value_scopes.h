// SPDX-License-Identifier: Apache-2.0
// ValueScopes: the names of values, and which of them each region sees.

#ifndef INDIM_STABLEHLO_TEXT_VALUE_SCOPES_H_
#define INDIM_STABLEHLO_TEXT_VALUE_SCOPES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "indim/stablehlo/mlir/ir.h"
#include "indim/stablehlo/text/mlir_lexer.h"

namespace indim::mlir {

// The name of a value: %12 or %name.
struct ValueName {
  bool is_number = false;
  uint32_t key = 0;  // the number, or the index of the name's StringId
  size_t offset = 0;
  size_t length = 0;

  StringId text() const { return is_number ? StringId() : StringId{key}; }
};

struct OperandRef {
  ValueId value;  // none: its operation has an error
  size_t offset = 0;
  size_t length = 0;
};

class ValueScopes {
 public:
  // Both must outlive it.
  ValueScopes(MlirLexer* lexer, Ir* ir) : lexer_(*lexer), ir_(*ir) {}

  // From now on a name that nothing defines is an argument of `block`, whose
  // type its first use sets (ReceiveType); of a function, the outermost scope.
  void TakeUndefined(BlockId block) { undefined_ = block; }
  // Whether `value` has `type`; one that has none yet gets it.
  bool ReceiveType(ValueId value, TypeId type);

  // Begins a scope in that of now; an isolated one sees no names from outside.
  void Begin(bool isolated);
  void End();

  // Read from the text; false: there was an error.
  bool ParseName(ValueName* name);
  bool ParseOperand(OperandRef* operand);
  bool ParseOperands(std::vector<OperandRef>* operands);

  // Says that `name` stands for `count` values from `first` on; poisoned: for
  // those of an operation with an error. False: it is defined here already.
  bool Define(const ValueName& name, ValueId first, uint32_t count,
              bool poisoned = false);
  // The operation that was to define it has an error.
  void Poison(const ValueName& name, uint32_t count);

 private:
  // The values that a name stands for.
  struct Slot {
    ValueId first;
    uint32_t count = 0;      // 0: nothing
    uint32_t isolation = 0;  // the isolated scope that sees it
    bool poisoned = false;   // its operation has an error
  };
  // What a name stood for outside the scope.
  struct Undo {
    ValueName name;
    Slot slot;
  };
  struct Scope {
    size_t undo;         // the size of undo_ at its beginning
    uint32_t isolation;  // around it
  };

  Slot* SlotOf(const ValueName& name);
  bool IsUnseen(const Slot& slot) const {
    return slot.count == 0 || slot.isolation != isolation_;
  }
  void AddUndefined(ValueName* name, uint32_t* part);
  bool UndefinedValue(const ValueName& name);
  std::string NameText(const ValueName& name) const;

  MlirLexer& lexer_;
  Ir& ir_;
  std::vector<Slot> named_;     // by the index of the name's StringId
  std::vector<Slot> numbered_;  // by the number
  absl::flat_hash_map<uint32_t, Slot> large_numbers_;
  std::vector<Undo> undo_;
  std::vector<Scope> scopes_;
  BlockId undefined_;            // none: such a name is an error
  uint32_t isolation_ = 0;       // of the current scope
  uint32_t last_isolation_ = 0;  // the greatest that was given
};

}  // namespace indim::mlir

#endif  // INDIM_STABLEHLO_TEXT_VALUE_SCOPES_H_
