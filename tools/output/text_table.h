// SPDX-License-Identifier: Apache-2.0
// Tables of plain text.

#ifndef INDIM_TOOLS_OUTPUT_TEXT_TABLE_H_
#define INDIM_TOOLS_OUTPUT_TEXT_TABLE_H_

#include <string>
#include <vector>

namespace indim {

// The rows with two blanks before and three between columns, which are
// right-aligned but for the first one; a newline after each row.
std::string TextTable(const std::vector<std::vector<std::string>>& rows);

}  // namespace indim

#endif  // INDIM_TOOLS_OUTPUT_TEXT_TABLE_H_
