// SPDX-License-Identifier: Apache-2.0
#include "indim/stablehlo/text/value_scopes.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "indim/shape/types/suggest.h"

namespace indim::mlir {
namespace {

// Whether the name is a number of up to 9 digits. %00 is another name than %0.
bool ReadNumber(absl::string_view name, uint32_t* number) {
  constexpr size_t kMost = 9;
  if (!absl::ascii_isdigit(name[0]) || name.size() > kMost ||
      (name[0] == '0' && name.size() > 1)) {
    return false;
  }
  for (const char c : name) {
    *number = *number * 10 + static_cast<uint32_t>(c - '0');
  }
  return true;
}

}  // namespace

bool ValueScopes::ParseName(ValueName* name) {
  if (lexer_.token() != MlirToken::kValue) {
    return lexer_.Expected("a value, %name");
  }
  const absl::string_view text = lexer_.text();
  name->offset = lexer_.offset();
  name->length = text.size() + 1;
  uint32_t number = 0;
  if (ReadNumber(text, &number)) {
    name->is_number = true;
    name->key = number;
  } else {
    name->is_number = false;
    name->key = ir_.Intern(text).index;
  }
  lexer_.Next();
  return true;
}

ValueScopes::Slot* ValueScopes::SlotOf(const ValueName& name) {
  std::vector<Slot>& slots = name.is_number ? numbered_ : named_;
  if (name.key < slots.size()) return &slots[name.key];
  // A text with many values is long; so this takes memory in proportion.
  if (name.is_number && name.key > lexer_.whole_text().size() / 4) {
    return &large_numbers_[name.key];
  }
  slots.resize(name.key + 1);
  return &slots[name.key];
}

std::string ValueScopes::NameText(const ValueName& name) const {
  return std::string(lexer_.whole_text().substr(name.offset, name.length));
}

bool ValueScopes::Define(const ValueName& name, ValueId first, uint32_t count,
                         bool poisoned) {
  Slot* const slot = SlotOf(name);
  if (slot->count != 0 && slot->isolation == isolation_) {
    return lexer_.ErrorAt(name.offset, name.length,
                          absl::StrCat(NameText(name), " is defined twice"),
                          Code::kMlirRedefined);
  }
  if (!scopes_.empty()) undo_.push_back({name, *slot});
  *slot = {first, count, isolation_, poisoned};
  return true;
}

void ValueScopes::Poison(const ValueName& name, uint32_t count) {
  if (IsUnseen(*SlotOf(name))) {
    Define(name, {}, count, true);
  }
}

void ValueScopes::Begin(bool isolated) {
  scopes_.push_back({undo_.size(), isolation_});
  if (isolated) isolation_ = ++last_isolation_;
}

void ValueScopes::End() {
  const Scope scope = scopes_.back();
  scopes_.pop_back();
  while (undo_.size() > scope.undo) {
    *SlotOf(undo_.back().name) = undo_.back().slot;
    undo_.pop_back();
  }
  isolation_ = scope.isolation;
}

bool ValueScopes::ParseOperand(OperandRef* operand) {
  ValueName name;
  if (!ParseName(&name)) return false;
  operand->offset = name.offset;
  operand->length = name.length;
  uint32_t part = 0;
  if (lexer_.token() == MlirToken::kHash &&
      absl::ascii_isdigit(lexer_.text()[0]) &&
      lexer_.offset() == name.offset + name.length) {
    if (!absl::SimpleAtoi(lexer_.text(), &part)) {
      return lexer_.Error("this number of a result is too large",
                          Code::kMlirUndefined);
    }
    lexer_.Next();
  }
  if (undefined_.valid() && isolation_ == 0) AddUndefined(&name, &part);
  const Slot& slot = *SlotOf(name);
  if (IsUnseen(slot)) return UndefinedValue(name);
  if (part >= slot.count) {
    return lexer_.ErrorAt(name.offset, name.length,
                          absl::StrCat(NameText(name), " has ", slot.count,
                                       slot.count == 1 ? " part" : " parts",
                                       ", so none is #", part),
                          Code::kMlirUndefined);
  }
  if (!slot.poisoned) operand->value = {slot.first.index + part};
  return true;
}

// Makes the value an argument if nothing defines it. %0#1 is another one than
// %0.
void ValueScopes::AddUndefined(ValueName* name, uint32_t* part) {
  const Slot& whole = *SlotOf(*name);
  if (*part > 0 &&
      (IsUnseen(whole) ||
       (whole.first.valid() && ir_.value(whole.first).block == undefined_))) {
    name->is_number = false;
    const std::string text = NameText(*name).substr(1);
    name->key = ir_.Intern(absl::StrCat(text, "#", *part)).index;
    *part = 0;
  }
  Slot& slot = *SlotOf(*name);
  if (!IsUnseen(slot)) return;
  // It is there for what follows the regions around, too.
  // Messages name it as the text does, also where that is a number.
  const StringId text =
      name->is_number ? ir_.Intern(NameText(*name).substr(1)) : name->text();
  slot.first = ir_.AddArgument(undefined_, {}, text, {}, name->offset);
  slot.count = 1;
  slot.isolation = isolation_;
  slot.poisoned = false;
}

bool ValueScopes::UndefinedValue(const ValueName& name) {
  constexpr size_t kMost = 2000;  // that a suggestion is sought among
  std::vector<absl::string_view> names;
  for (size_t i = 0; i < named_.size() && names.size() < kMost; ++i) {
    if (IsUnseen(named_[i])) continue;
    names.push_back(ir_.text({static_cast<uint32_t>(i)}));
  }
  const std::string text = NameText(name);
  const absl::string_view near =
      NearestName(absl::string_view(text).substr(1), names);
  return lexer_.ErrorAt(
      name.offset, name.length,
      absl::StrCat(
          text, " isn't defined before this",
          near.empty() ? "" : absl::StrCat(", did you mean \"%", near, "\"?")),
      Code::kMlirUndefined);
}

bool ValueScopes::ReceiveType(ValueId value, TypeId type) {
  if (!ir_.type_of(value).valid()) ir_.SetType(value, type);
  return ir_.type_of(value) == type;
}

bool ValueScopes::ParseOperands(std::vector<OperandRef>* operands) {
  if (lexer_.token() != MlirToken::kValue) return true;
  do {
    operands->emplace_back();
    if (!ParseOperand(&operands->back())) return false;
  } while (lexer_.Accept(','));
  return true;
}

}  // namespace indim::mlir
