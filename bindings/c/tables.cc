// SPDX-License-Identifier: Apache-2.0
// The tables of operations and codes as JSON.

#include <vector>

#include "indim/bindings/c/guard.h"
#include "indim/bindings/c/handles.h"
#include "indim/shape/fixes/call_language.h"
#include "indim/shape/ops/docs.h"
#include "indim/shape/ops/opcode.h"
#include "indim/text/attributes/attribute_table.h"
#include "indim/tools/explain/explain.h"
#include "indim/tools/output/json_writer.h"

namespace indim::capi {
namespace {

// The version in both tables. It grows when a field goes away or changes its
// meaning; a new field leaves it as it is.
constexpr int64_t kTableVersion = 1;

std::vector<std::string> AttributesJson(Opcode opcode) {
  std::vector<std::string> attributes;
  for (const TextAttribute* row : TextAttributesOf(opcode)) {
    attributes.push_back(JsonWriter()
                             .Add("name", row->name)
                             .Add("required", row->required)
                             .text());
  }
  return attributes;
}

// What `indim explain --json` says, and what a caller of indim_add needs.
std::string OpEntry(const OpInfo& op) {
  return JsonWriter()
      .Add("number", static_cast<int64_t>(op.opcode))
      .Add("name", op.name)
      .Add("python", CallName(CallLanguage::kPython, op.opcode, Attributes()))
      .Add("callees", int64_t{op.callees})
      .Add("commutative", op.has(kCommutative))
      .Add("side_effect", op.has(kSideEffect))
      .AddList("text_attributes", AttributesJson(op.opcode))
      .AddRaw("row", OpJson(op.opcode))
      .text();
}

std::string CodeEntry(const CodeInfo& code) {
  const CodeDoc& doc = DocOf(code.code);
  return JsonWriter()
      .Add("code", CodeText(code.code))
      .Add("number", static_cast<int64_t>(code.code))
      .Add("slug", code.slug)
      .Add("severity",
           code.severity() == Severity::kError ? "error" : "warning")
      .Add("message", code.message)
      .Add("why", doc.why)
      .text();
}

std::string Table(absl::string_view name,
                  const std::vector<std::string>& rows) {
  return JsonWriter().Add("version", kTableVersion).AddList(name, rows).text();
}

}  // namespace
extern "C" {

indim_error* indim_op_table_json(indim_bytes** json) {
  return Guard({{"json", json}}, [&] {
    std::vector<std::string> rows;
    for (const OpInfo& op : AllOps()) {
      rows.push_back(OpEntry(op));
    }
    return GiveNew(Table("ops", rows), json);
  });
}

indim_error* indim_code_table_json(indim_bytes** json) {
  return Guard({{"json", json}}, [&] {
    std::vector<std::string> rows;
    for (const CodeInfo& code : AllCodes()) {
      rows.push_back(CodeEntry(code));
    }
    return GiveNew(Table("codes", rows), json);
  });
}

}  // extern "C"
}  // namespace indim::capi
