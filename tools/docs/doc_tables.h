// SPDX-License-Identifier: Apache-2.0
// The documents that are made of the tables: docs/ops.md, docs/codes.md,
// docs/names.md, docs/gradient_rules.md.
//
//   bazel run //tools/docs:make_docs        writes them; a test compares them

#ifndef INDIM_TOOLS_DOCS_DOC_TABLES_H_
#define INDIM_TOOLS_DOCS_DOC_TABLES_H_

#include <string>

namespace indim {

// Markdown, one row for each operation of ops.def, in its order.
std::string OpsDocument();

// Markdown, one section for each code of codes.def, in its order.
std::string CodesDocument();

// Markdown, one row for each operation of grad/rules.def, in its order.
std::string GradientRulesDocument();

// Markdown, one row for each row of tools/explain/name_table.def.
std::string NamesDocument();

}  // namespace indim

#endif  // INDIM_TOOLS_DOCS_DOC_TABLES_H_
