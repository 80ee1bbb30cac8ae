// SPDX-License-Identifier: Apache-2.0
// The builder call of every op: the third thing, beside its shape function and
// its cases, that no row of the op table may lack.

#ifndef INDIM_TESTS_TOOLS_OP_BUILDERS_H_
#define INDIM_TESTS_TOOLS_OP_BUILDERS_H_

#include <functional>
#include <string>
#include <vector>

#include "indim/shape/ops/opcode.h"
#include "indim/tests/builder/builder_cases.h"

namespace indim {

struct OpBuilder {
  Opcode opcode = Opcode::kInvalid;
  std::string name;  // of the method, as XlaBuilder has it
  // A call of it that is right; its result is the op itself.
  std::function<Op(TestBuilder&)> build;
};

// One for each op, by opcode.
std::vector<OpBuilder> AllOpBuilders();

}  // namespace indim

#endif  // INDIM_TESTS_TOOLS_OP_BUILDERS_H_
