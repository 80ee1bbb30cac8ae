// SPDX-License-Identifier: Apache-2.0
// What operations are called: each row names calls that the builder's headers
// declare and operations that StableHLO's table has, and a name of any system
// finds its row.

#include "indim/tools/explain/name_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "indim/shape/fixes/call_language.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/constraint.h"
#include "indim/shape/ops/opcode.h"
#include "indim/stablehlo/ops/op_table.h"

namespace indim {
namespace {

using ::testing::HasSubstr;

TEST(NameTable, HasEachOperationOnce) {
  std::vector<Opcode> named, all;
  for (const NameRow& row : NameRows()) {
    if (row.opcode) named.push_back(*row.opcode);
  }
  for (const OpInfo& op : AllOps()) all.push_back(op.opcode);
  EXPECT_THAT(named, ::testing::UnorderedElementsAreArray(all));
}

TEST(NameTable, NamesWhatIsThere) {
  std::set<std::string> functions;
  for (const NameRow& row : NameRows()) {
    EXPECT_FALSE(row.cpp.empty());
    EXPECT_FALSE(row.python.empty());
    for (absl::string_view name : row.cpp) {
      EXPECT_NE(CppSignature(name), "") << name;
      EXPECT_TRUE(functions.insert(std::string(name)).second)
          << name << " has two rows";
    }
    for (absl::string_view name : row.mlir) {
      EXPECT_NE(mlir::FindOp(name), nullptr) << name;
    }
  }
  EXPECT_EQ(CppSignature("b.Nothing"), "");
}

// C's names are those of composites.def, whether or not a row has the function.
TEST(NameTable, CompositesHaveCsNames) {
  EXPECT_FALSE(Composites().empty());
  for (const CompositeNames& composite : Composites()) {
    EXPECT_NE(CppSignature(composite.cpp), "") << composite.cpp;
    EXPECT_THAT(ExplainName(composite.name), HasSubstr(composite.cpp));
    EXPECT_THAT(ExplainName(composite.name, /*json=*/true),
                HasSubstr(composite.name));
  }
  EXPECT_THAT(ExplainName("mat_mul"), HasSubstr("  C           mat_mul\n"));
  EXPECT_THAT(ExplainName("reduce_sum"), HasSubstr("jnp.sum"));
}

// Fixes name functions that there are: those of operations that broadcast, and
// of those whose lists of dims pair.
TEST(NameTable, FixesNameFunctionsOfCpp) {
  int count = 0;
  for (const NameRow& row : NameRows()) {
    if (!row.opcode) continue;
    const auto& constraints = DeclarationOf(*row.opcode).constraints;
    const bool pairs = std::any_of(
        constraints.begin(), constraints.end(),
        [](const Constraint& c) { return c.kind == ConstraintKind::kPairs; });
    if (!Info(*row.opcode).has(kBroadcasts) && !pairs) continue;
    Attributes attributes;
    if (*row.opcode == Opcode::kCompare) attributes = CompareAttributes();
    const std::string name =
        "b." + CallName(CallLanguage::kCpp, *row.opcode, attributes);
    EXPECT_TRUE(absl::c_linear_search(row.cpp, name)) << name;
    ++count;
  }
  EXPECT_GT(count, 20);
}

TEST(NameTable, SignaturesAreTheHeaders) {
  EXPECT_EQ(CppSignature("b.Exp"), "Op ComputationBuilder::Exp(Op operand)");
  EXPECT_EQ(CppSignature("MatMul"),
            "Op MatMul(Op x, Op y, std::optional<ElementType> "
            "preferred_element_type = {})");
  EXPECT_EQ(CppSignature("ThreeFryState"),
            "RandomState ThreeFryState(ComputationBuilder& b, uint64_t seed)");
}

// The first call of C++ of each row that is found.
std::vector<std::string> Found(absl::string_view name) {
  std::vector<std::string> found;
  for (const NameRow* row : FindNames(name)) {
    found.push_back(std::string(row->cpp[0]));
  }
  return found;
}

TEST(NameTable, FindsTheNamesOfEachSystem) {
  struct Row {
    const char* name;
    std::vector<std::string> found;
  };
  for (const Row& row : {
           Row{"matmul", {"MatMul"}},
           Row{"np.matmul", {"MatMul"}},
           Row{"@", {"MatMul"}},
           Row{"==", {"b.Eq"}},
           Row{"conv", {"b.Conv"}},
           Row{"jax.lax.conv_general_dilated", {"b.Conv"}},
           Row{"where", {"b.Select", "Where"}},
           Row{"jnp.where", {"b.Select", "Where"}},
           Row{"jax.numpy.where", {"b.Select", "Where"}},
           Row{"dot_general", {"b.Dot"}},
           Row{"lax.dot_general", {"b.Dot"}},
           Row{"stablehlo.dot_general", {"b.Dot"}},
           Row{"xla::DotGeneral", {"b.Dot"}},
           Row{"broadcast_in_dim", {"b.BroadcastInDim"}},
           Row{"softmax", {"Softmax"}},
           Row{"SOFTMAX", {"Softmax"}},
           Row{"jax.nn.softmax", {"Softmax"}},
           Row{"scipy.special.erf", {"b.Erf"}},
           Row{"chlo.erf_inv", {"ErfInv"}},
           Row{"unsqueeze", {"ExpandDims"}},
           Row{"b.cond", {"b.Conditional"}},
           Row{"switch", {"b.Conditional"}},
           Row{"jax.lax.linalg.cholesky", {"b.Cholesky"}},
           Row{")", {}},
           Row{"jnp.softmax", {}},
           Row{"np.dot_general", {}},
           Row{"stablehlo.where", {}},
           Row{"nothing", {}},
           Row{"", {}},
       }) {
    EXPECT_EQ(Found(row.name), row.found) << row.name;
  }
}

TEST(NameTable, Explains) {
  EXPECT_THAT(
      ExplainName("softmax"),
      HasSubstr("Softmax, a function made of operations\n"
                "  C++         Op Softmax(Op x, const DimsArg& dims = -1)\n"
                "  Python      b.softmax\n"));
  EXPECT_THAT(ExplainName("=="), HasSubstr("compare, an operation\n"));
  EXPECT_THAT(ExplainName("unsqueeze", /*json=*/true),
              HasSubstr("\"jax\":[\"lax.expand_dims\",\"jnp.expand_dims\"]"));
  EXPECT_EQ(ExplainName("nothing"), "");
}

}  // namespace
}  // namespace indim
