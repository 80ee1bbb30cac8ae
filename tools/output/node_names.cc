// SPDX-License-Identifier: Apache-2.0
#include "indim/tools/output/node_names.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"

namespace indim {

std::string PathOf(const Instruction& node) {
  return absl::StrCat(node.computation().name(), "/", node.text_name());
}

std::string SourceLineOf(const Instruction& node) {
  const SourceLocation place = node.location();
  return place.file.empty() ? "" : absl::StrCat(place.file, ":", place.line);
}

std::string ScopeOf(const Instruction& node) {
  const absl::string_view op_name =
      FieldList(WireMessage::kOpMetadata, node.metadata())
          .Text(field::OpMetadata::kOpName);
  const size_t slash = op_name.rfind('/');
  return std::string(
      slash == absl::string_view::npos ? op_name : op_name.substr(0, slash));
}

}  // namespace indim
