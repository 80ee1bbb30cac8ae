// SPDX-License-Identifier: Apache-2.0
// Looking at modules: all instructions as columns, and single ones.

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "indim/bindings/c/guard.h"
#include "indim/bindings/c/handles.h"
#include "indim/ir/module_access.h"
#include "indim/ir/report.h"
#include "indim/text/attributes/attribute_text.h"

struct indim_columns {
  std::vector<int64_t> computation_first;
  std::vector<int64_t> computation_root;
  std::vector<int32_t> opcode;
  std::vector<int64_t> id;
  std::vector<int32_t> shape;
  std::vector<int64_t> operand_first;
  std::vector<int64_t> operand;
  std::vector<int64_t> callee_first;
  std::vector<int64_t> callee;
  std::vector<int64_t> name_first;
  std::string names;
  std::vector<int64_t> computation_name_first;
  std::string computation_names;
  int64_t entry = -1;
  // By number; their texts were made once for all instructions.
  std::vector<indim_shape> shapes;
};

namespace indim::capi {
namespace {

template <typename T>
int64_t SizeOf(const T& list) {
  return static_cast<int64_t>(list.size());
}

// Makes the columns of a module, instruction by instruction.
class ColumnsMaker {
 public:
  ColumnsMaker(const Module& module, indim_columns* columns)
      : module_(module), to_(*columns) {}

  void Make() {
    const auto count = static_cast<size_t>(module_.instruction_count());
    to_.opcode.reserve(count);
    to_.id.reserve(count);
    to_.shape.reserve(count);
    to_.operand_first.reserve(count + 1);
    to_.callee_first.reserve(count + 1);
    to_.name_first.reserve(count + 1);
    for (const Computation computation : module_.computations()) {
      AddComputation(computation);
    }
    if (module_.computation_count() > 0) {
      to_.entry = module_.entry().index();
    }
    to_.computation_first.push_back(first_);
    to_.computation_name_first.push_back(SizeOf(to_.computation_names));
    EndLists();
  }

 private:
  void AddComputation(const Computation& computation) {
    to_.computation_first.push_back(first_);
    to_.computation_root.push_back(first_ + computation.root().index());
    to_.computation_name_first.push_back(SizeOf(to_.computation_names));
    absl::StrAppend(&to_.computation_names, computation.name());
    for (const Instruction instruction : computation.instructions()) {
      AddInstruction(instruction);
    }
    first_ += computation.instruction_count();
  }

  void AddInstruction(const Instruction& instruction) {
    EndLists();
    to_.opcode.push_back(static_cast<int32_t>(instruction.opcode()));
    to_.id.push_back(instruction.id());
    to_.shape.push_back(ShapeNumber(instruction));
    for (int i = 0; i < instruction.operand_count(); ++i) {
      to_.operand.push_back(first_ + instruction.operand(i).index());
    }
    for (int i = 0; i < instruction.callee_count(); ++i) {
      to_.callee.push_back(instruction.callee(i).index());
    }
    absl::StrAppend(&to_.names, instruction.name());
  }

  // Where the lists of the next instruction begin.
  void EndLists() {
    to_.operand_first.push_back(SizeOf(to_.operand));
    to_.callee_first.push_back(SizeOf(to_.callee));
    to_.name_first.push_back(SizeOf(to_.names));
  }

  int32_t ShapeNumber(const Instruction& instruction) {
    const uint32_t id = internal::RecordOf(instruction).shape.value;
    if (id == 0) return -1;
    if (number_of_.size() <= id) number_of_.resize(id + 1, -1);
    if (number_of_[id] < 0) {
      number_of_[id] = static_cast<int32_t>(to_.shapes.size());
      to_.shapes.emplace_back(instruction.shape());
    }
    return number_of_[id];
  }

  const Module& module_;
  indim_columns& to_;
  int64_t first_ = 0;
  std::vector<int32_t> number_of_;  // by the module's id
};

// The instruction at a position; nullopt: there is none.
std::optional<Instruction> InstructionOf(const Module& module,
                                         int64_t position) {
  if (position < 0) return std::nullopt;
  for (const Computation computation : module.computations()) {
    if (position < computation.instruction_count()) {
      return computation.instruction(static_cast<int>(position));
    }
    position -= computation.instruction_count();
  }
  return std::nullopt;
}

// Calls `look` with the instruction, where all arguments are there.
template <typename Look>
indim_error* WithInstruction(std::initializer_list<Argument> arguments,
                             const indim_module* module, int64_t position,
                             Look look) {
  return Guard(arguments, [&]() -> indim_error* {
    const std::optional<Instruction> instruction =
        InstructionOf(module->module, position);
    if (!instruction) {
      return ErrorOf(absl::OutOfRangeError(
          absl::StrCat("the module has ", module->module.instruction_count(),
                       " instructions, and none at ", position)));
    }
    return look(*instruction);
  });
}

std::string PrintedAttributes(const Module& module,
                              const Instruction& instruction) {
  const AttributeBytesFields fields(internal::AttributeBytesOf(instruction));
  PrintOptions options = PrintOptions::LargeConstants();
  std::string text;
  AppendOpAttributes(instruction, fields, options, module.is_recorded(), &text);
  AppendDeviceAttributes(instruction, fields, options, &text);
  AppendLateAttributes(instruction, fields, options, module.is_recorded(),
                       &text);
  AppendBackendConfig(instruction, fields, options, &text);
  return std::string(absl::StripPrefix(text, ", "));
}

}  // namespace
extern "C" {

const char* indim_module_name(const indim_module* module, size_t* size) {
  return module == nullptr ? GiveNothing(size) : Give(module->name, size);
}

int64_t indim_module_instruction_count(const indim_module* module) {
  return module == nullptr ? 0 : module->module.instruction_count();
}

int64_t indim_module_computation_count(const indim_module* module) {
  return module == nullptr ? 0 : module->module.computation_count();
}

int32_t indim_module_is_recorded(const indim_module* module) {
  return module != nullptr && module->module.is_recorded() ? 1 : 0;
}

indim_error* indim_module_columns(const indim_module* module,
                                  indim_columns** columns) {
  return Guard({{"module", module}, {"columns", columns}}, [&] {
    auto made = std::make_unique<indim_columns>();
    ColumnsMaker(module->module, made.get()).Make();
    *columns = made.release();
    return kOk;
  });
}

void indim_columns_release(indim_columns* columns) { delete columns; }

indim_error* indim_columns_get(const indim_columns* columns,
                               indim_columns_view* view) {
  return Guard({{"columns", columns}, {"view", view}}, [&] {
    indim_columns_view all = {};
    all.computation_count = SizeOf(columns->computation_root);
    all.instruction_count = SizeOf(columns->opcode);
    all.entry = columns->entry;
    all.computation_first = columns->computation_first.data();
    all.computation_root = columns->computation_root.data();
    all.opcode = columns->opcode.data();
    all.id = columns->id.data();
    all.shape = columns->shape.data();
    all.operand_first = columns->operand_first.data();
    all.operand = columns->operand.data();
    all.callee_first = columns->callee_first.data();
    all.callee = columns->callee.data();
    all.name_first = columns->name_first.data();
    all.names = columns->names.data();
    all.computation_name_first = columns->computation_name_first.data();
    all.computation_names = columns->computation_names.data();
    all.shape_count = SizeOf(columns->shapes);
    return WriteStruct(all, view) ? kOk : NoStructSize("indim_columns_view");
  });
}

indim_error* indim_columns_shape(const indim_columns* columns, int32_t number,
                                 indim_shape** shape) {
  return Guard({{"columns", columns}, {"shape", shape}}, [&] {
    if (number < 0 || static_cast<size_t>(number) >= columns->shapes.size()) {
      return ErrorOf(absl::OutOfRangeError(
          absl::StrCat("the columns have ", columns->shapes.size(),
                       " shapes, and no number ", number)));
    }
    return GiveNew(columns->shapes[static_cast<size_t>(number)], shape);
  });
}

const char* indim_columns_shape_text(const indim_columns* columns,
                                     int32_t number, size_t* size) {
  return columns == nullptr || number < 0 ||
                 static_cast<size_t>(number) >= columns->shapes.size()
             ? GiveNothing(size)
             : Give(columns->shapes[static_cast<size_t>(number)].text, size);
}

indim_error* indim_instruction_shape(const indim_module* module,
                                     int64_t position, indim_shape** shape) {
  return WithInstruction({{"module", module}, {"shape", shape}}, module,
                         position, [&](const Instruction& i) -> indim_error* {
                           return GiveNew(i.shape(), shape);
                         });
}

indim_error* indim_instruction_text(const indim_module* module,
                                    int64_t position, indim_bytes** text) {
  return WithInstruction(
      {{"module", module}, {"text", text}}, module, position,
      [&](const Instruction& i) { return GiveNew(InstructionText(i), text); });
}

indim_error* indim_instruction_attributes(const indim_module* module,
                                          int64_t position,
                                          indim_bytes** text) {
  return WithInstruction({{"module", module}, {"text", text}}, module, position,
                         [&](const Instruction& i) {
                           return GiveNew(PrintedAttributes(module->module, i),
                                          text);
                         });
}

indim_error* indim_instruction_literal(const indim_module* module,
                                       int64_t position,
                                       indim_literal** literal) {
  return WithInstruction(
      {{"module", module}, {"literal", literal}}, module, position,
      [&](const Instruction& i) { return GiveNew(i.literal(), literal); });
}

indim_error* indim_instruction_metadata(const indim_module* module,
                                        int64_t position,
                                        indim_bytes** metadata) {
  return WithInstruction({{"module", module}, {"metadata", metadata}}, module,
                         position, [&](const Instruction& i) {
                           return GiveNew(std::string(i.metadata()), metadata);
                         });
}

indim_error* indim_instruction_location(const indim_module* module,
                                        int64_t position, indim_bytes** file,
                                        int64_t* line) {
  return WithInstruction({{"module", module}, {"file", file}, {"line", line}},
                         module, position, [&](const Instruction& i) {
                           const SourceLocation location = i.location();
                           *line = location.line;
                           return GiveNew(location.file, file);
                         });
}

}  // extern "C"
}  // namespace indim::capi
