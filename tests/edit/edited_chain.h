// SPDX-License-Identifier: Apache-2.0
// An editor of a small module, and what it made of it.

#ifndef INDIM_TESTS_EDIT_EDITED_CHAIN_H_
#define INDIM_TESTS_EDIT_EDITED_CHAIN_H_

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indim/edit/editor.h"
#include "indim/tests/edit/edit_util.h"

namespace indim {

// Two computations; the entry has a chain p -> e -> l -> ROOT a.
inline constexpr char kEditedChain[] = R"(HloModule m

double {
  x = f32[4] parameter(0)
  ROOT two = f32[4] add(x, x)
}

ENTRY main {
  p = f32[4] parameter(0)
  q = f32[4] parameter(1)
  e = f32[4] exponential(p), metadata={op_name="jit(f)/exp"}
  l = f32[4] log(e)
  c = f32[4] call(l), to_apply=double
  ROOT a = f32[4] add(c, q)
}
)";

// The entry's instructions, one a line, without shapes.
inline std::string Entry(const Module& module) {
  std::string text;
  for (const Instruction i : module.entry().instructions()) {
    absl::StrAppend(&text, i == module.entry().root() ? "ROOT " : "", i.name(),
                    " = ", i.opcode_name(), "(");
    const char* separator = "";
    for (const Instruction operand : i.operands()) {
      absl::StrAppend(&text, separator, operand.name());
      separator = ", ";
    }
    absl::StrAppend(&text, ")\n");
  }
  return text;
}

struct Fixture {
  Fixture() : module(FromText(kEditedChain)), editor(module) {
    for (const char* name : {"p", "q", "e", "l", "c", "a"}) {
      refs.push_back(editor.Find(name));
    }
  }
  InstructionRef at(const char* name) { return editor.Find(name); }

  Module module;
  Editor editor;
  std::vector<InstructionRef> refs;
};

}  // namespace indim

#endif  // INDIM_TESTS_EDIT_EDITED_CHAIN_H_
