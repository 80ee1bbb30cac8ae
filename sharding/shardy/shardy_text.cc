// SPDX-License-Identifier: Apache-2.0
#include "indim/sharding/shardy/shardy_text.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "indim/proto/codec/frontend_attributes.h"
#include "indim/proto/wire/field_list.h"
#include "indim/proto/wire/field_numbers.h"
#include "indim/sharding/shardy/shardy_scanner.h"
#include "indim/sharding/values/replica_groups.h"

namespace indim {
namespace {

constexpr absl::string_view kSharding = "#sdy.sharding";
constexpr absl::string_view kPerValue = "#sdy.sharding_per_value";

// Reads from behind `prefix` and "<" to ">", which ends the text.
template <typename Value, typename Read>
absl::StatusOr<Value> ReadWhole(absl::string_view text,
                                absl::string_view prefix, Read read) {
  ShardyScanner scanner(text);
  Value value;
  if (!scanner.Expect(prefix) || !scanner.Expect("<") ||
      !read(&scanner, &value) || !scanner.Expect(">") || !scanner.ExpectEnd()) {
    return scanner.error();
  }
  return value;
}

// `["x"=2, "y"=4], device_ids=[...]`
bool ReadMeshBody(ShardyScanner* scanner, Mesh* mesh) {
  const auto axis = [&] {
    Mesh::Axis& added = mesh->axes.emplace_back();
    return scanner->ReadQuoted(&added.name) && scanner->Expect("=") &&
           scanner->ReadNumber(&added.size);
  };
  if (!scanner->ReadList("[", "]", axis)) return false;
  if (!scanner->Take(",")) return true;
  DimIndices& ids = mesh->device_ids;
  if (!scanner->Expect("device_ids") || !scanner->Expect("=") ||
      !scanner->ReadList(
          "[", "]", [&] { return scanner->ReadNumber(&ids.emplace_back()); })) {
    return false;
  }
  // In their usual order they stand for nothing.
  if (!mesh->axes.empty() && IsPermutation(ids) &&
      std::is_sorted(ids.begin(), ids.end()) &&
      ProductOfSizes(mesh->sizes()) == static_cast<int64_t>(ids.size())) {
    ids.clear();
  }
  return true;
}

// `"x"` or `"x":(2)4`, of the mesh.
bool ReadAxis(ShardyScanner* scanner, const Mesh& mesh, AxisRef* axis) {
  std::string name;
  if (!scanner->ReadQuoted(&name)) return false;
  const auto found =
      std::find_if(mesh.axes.begin(), mesh.axes.end(),
                   [&](const Mesh::Axis& a) { return a.name == name; });
  axis->axis = found - mesh.axes.begin();
  if (scanner->Take(":")) {
    AxisRef::Factor& factor = axis->factor.emplace();
    if (!scanner->Expect("(") || !scanner->ReadNumber(&factor.pre_size) ||
        !scanner->Expect(")") || !scanner->ReadNumber(&factor.size)) {
      return false;
    }
  }
  return found != mesh.axes.end() ||
         scanner->Fail(absl::StrCat("names the axis \"", name,
                                    "\", which its mesh doesn't have"));
}

// `{"x", "y"}`
bool ReadAxes(ShardyScanner* scanner, const Mesh& mesh, AxisRefs* axes) {
  return scanner->ReadList(
      "{", "}", [&] { return ReadAxis(scanner, mesh, &axes->emplace_back()); });
}

// `{"x", ?}p1`
bool ReadDim(ShardyScanner* scanner, const Mesh& mesh, Sharding::Dim* dim) {
  if (!scanner->Expect("{")) return false;
  while (!scanner->Take("}")) {
    if (!dim->axes.empty() && !scanner->Expect(",")) return false;
    if (scanner->Take("?")) {
      dim->is_closed = false;
      if (!scanner->Expect("}")) return false;
      break;
    }
    if (!ReadAxis(scanner, mesh, &dim->axes.emplace_back())) return false;
  }
  const absl::string_view word = scanner->TakeWord();
  if (word.empty()) return true;
  int64_t priority = 0;
  const absl::string_view digits = word.substr(1);
  if (word[0] != 'p' || digits.empty() ||
      !std::all_of(digits.begin(), digits.end(), absl::ascii_isdigit) ||
      (digits[0] == '0' && digits.size() > 1) ||
      !absl::SimpleAtoi(digits, &priority)) {
    return scanner->Fail(
        absl::StrCat("has the priority '", word,
                     "', which must be p and a number without leading zeros"));
  }
  dim->priority = priority;
  return true;
}

// Before the axes: `max`. Nothing is a sum.
bool ReadReduction(ShardyScanner* scanner, int64_t* reduction) {
  if (scanner->At("{")) return true;
  const auto* const found =
      absl::c_find(Sharding::kReductions, scanner->TakeWord());
  if (found == std::end(Sharding::kReductions)) {
    return scanner->Expected("axes, or sum, max or min and axes");
  }
  *reduction = found - std::begin(Sharding::kReductions);
  return true;
}

// `, replicated={"x"}, unreduced=max{"y"}`
bool ReadLists(ShardyScanner* scanner, Sharding::Named* named) {
  while (scanner->Take(",")) {
    const absl::string_view word = scanner->TakeWord();
    AxisRefs* const list = word == "replicated"  ? &named->replicated
                           : word == "unreduced" ? &named->unreduced
                                                 : nullptr;
    if (list == nullptr || !list->empty()) {
      return scanner->Expected("replicated= or unreduced=, each once");
    }
    if (!scanner->Expect("=")) return false;
    if (list == &named->unreduced &&
        !ReadReduction(scanner, &named->reduction)) {
      return false;
    }
    if (!ReadAxes(scanner, named->mesh, list)) return false;
    if (list->empty()) return scanner->Expected("an axis");
  }
  return true;
}

// `@mesh` or `mesh<[...]>`. An error of `find` goes to *not_found.
bool ReadMeshOrSymbol(ShardyScanner* scanner, FindMesh find, Mesh* mesh,
                      absl::Status* not_found) {
  if (!scanner->Take("@")) {
    return scanner->Expect("mesh") && scanner->Expect("<") &&
           ReadMeshBody(scanner, mesh) && scanner->Expect(">");
  }
  std::string name;
  if (!scanner->ReadSymbol(&name)) return false;
  absl::StatusOr<Mesh> found = find(name);
  if (found.ok()) {
    *mesh = *std::move(found);
    return true;
  }
  *not_found = found.status();
  return scanner->Fail(std::string(not_found->message()));
}

// Between < and >.
bool ReadShardingBody(ShardyScanner* scanner, FindMesh find,
                      Sharding::Named* sharding, absl::Status* not_found) {
  const auto dim = [&] {
    return ReadDim(scanner, sharding->mesh, &sharding->dims.emplace_back());
  };
  return ReadMeshOrSymbol(scanner, find, &sharding->mesh, not_found) &&
         scanner->Expect(",") && scanner->ReadList("[", "]", dim) &&
         ReadLists(scanner, sharding);
}

// Takes one factor from the beginning of *symbols: i to z are 0 to 17, z_1 is
// 18.
bool TakeFactor(ShardyScanner* scanner, absl::string_view* symbols,
                int64_t* factor) {
  if (symbols->empty() || (*symbols)[0] < 'i' || (*symbols)[0] > 'z') {
    return scanner->Expected("factors from i to z, z_1, z_2, ...");
  }
  *factor = (*symbols)[0] - 'i';
  if (!absl::StartsWith(*symbols, "z_")) {
    symbols->remove_prefix(1);
    return true;
  }
  size_t end = 2;
  while (end < symbols->size() && absl::ascii_isdigit((*symbols)[end])) ++end;
  const absl::string_view digits = symbols->substr(2, end - 2);
  int64_t number = 0;
  if (absl::StartsWith(digits, "0") || !absl::SimpleAtoi(digits, &number) ||
      number > (int64_t{1} << 32)) {
    return scanner->Expected(
        "a positive number without leading zeros behind z_");
  }
  *factor += number;
  symbols->remove_prefix(end);
  return true;
}

// `[i, jk]`
bool ReadMapping(ShardyScanner* scanner, ShardyRule::Dims* dims) {
  return scanner->ReadList("[", "]", [&] {
    std::vector<int64_t>& factors = dims->emplace_back();
    absl::string_view symbols = scanner->TakeWord();
    while (!symbols.empty()) {
      if (!TakeFactor(scanner, &symbols, &factors.emplace_back())) return false;
    }
    return true;
  });
}

// `i`
bool ReadFactor(ShardyScanner* scanner, int64_t* factor) {
  absl::string_view symbol = scanner->TakeWord();
  return TakeFactor(scanner, &symbol, factor) &&
         (symbol.empty() || scanner->Expected("a single factor"));
}

// `{i=2, j=4}`: factors in order.
bool ReadFactors(ShardyScanner* scanner, std::vector<int64_t>* sizes) {
  return scanner->ReadList("{", "}", [&] {
    int64_t factor = 0;
    if (!ReadFactor(scanner, &factor)) return false;
    if (factor != static_cast<int64_t>(sizes->size())) {
      return scanner->Expected("the factors i, j, k, ... in order");
    }
    int64_t& size = sizes->emplace_back();
    if (!scanner->Expect("=") || !scanner->ReadNumber(&size)) return false;
    const int64_t size32 = static_cast<int32_t>(size);  // as Shardy's reader
    return size == size32 ||
           scanner->Fail(absl::StrCat("has a factor of size ", size,
                                      ", which 32 bits don't hold"));
  });
}

bool ReadRuleBody(ShardyScanner* scanner, ShardyRule* rule) {
  const auto mappings = [&](std::vector<ShardyRule::Dims>* to) {
    return scanner->ReadList("(", ")", [scanner, to] {
      return ReadMapping(scanner, &to->emplace_back());
    });
  };
  if (!mappings(&rule->operands) || !scanner->Expect("->") ||
      !mappings(&rule->results)) {
    return false;
  }
  if (scanner->At("{") && !ReadFactors(scanner, &rule->factors)) return false;
  const std::pair<absl::string_view, std::vector<int64_t>*> lists[] = {
      {"reduction", &rule->reduction},
      {"need_replication", &rule->need_replication},
      {"permutation", &rule->permutation},
      {"blocked_propagation", &rule->blocked_propagation}};
  for (const auto& [name, list] : lists) {
    if (!scanner->Take(name)) continue;
    const auto factor = [scanner, to = list] {
      return ReadFactor(scanner, &to->emplace_back());
    };
    if (!scanner->Expect("=") || !scanner->ReadList("{", "}", factor)) {
      return false;
    }
  }
  return !scanner->Take(",") || scanner->Expect("custom");
}

// `operand-0`, `result-1`
bool ReadEdgeValue(ShardyScanner* scanner, ShardyEdge::Value* value) {
  value->is_result = scanner->Take("result");
  return (value->is_result || scanner->Expect("operand")) &&
         scanner->Expect("-") && scanner->ReadNumber(&value->index);
}

// `{"x" = operand-0 -> [result-0]}`
bool ReadEdge(ShardyScanner* scanner, ShardyEdge* edge) {
  // A part of an axis is one of that axis.
  int64_t ignored = 0;
  return scanner->Expect("{") && scanner->ReadQuoted(&edge->axis) &&
         (!scanner->Take(":") ||
          (scanner->Expect("(") && scanner->ReadNumber(&ignored) &&
           scanner->Expect(")") && scanner->ReadNumber(&ignored))) &&
         scanner->Expect("=") && ReadEdgeValue(scanner, &edge->source) &&
         scanner->Expect("->") &&
         scanner->ReadList("[", "]",
                           [&] {
                             return ReadEdgeValue(
                                 scanner, &edge->targets.emplace_back());
                           }) &&
         scanner->Expect("}");
}

}  // namespace

std::string ShardyMeshes(absl::string_view module) {
  const FieldList fields(WireMessage::kHloModuleProto, module);
  return FrontendAttribute(
             fields.Text(field::HloModuleProto::kFrontendAttributes),
             kSdyMeshes)
      .value_or("");
}

absl::StatusOr<Mesh> ReadShardyMesh(absl::string_view text) {
  return ReadWhole<Mesh>(text, "#sdy.mesh", ReadMeshBody);
}

absl::StatusOr<Mesh> FindShardyMesh(absl::string_view meshes,
                                    absl::string_view name) {
  ShardyScanner scanner(meshes);
  scanner.Take("{");
  std::string found;
  while (!scanner.Take("}") && !scanner.done()) {
    Mesh mesh;
    if (!scanner.ReadSymbol(&found) || !scanner.Expect("=") ||
        !scanner.Expect("#sdy.mesh") || !scanner.Expect("<") ||
        !ReadMeshBody(&scanner, &mesh) || !scanner.Expect(">")) {
      return scanner.error();
    }
    scanner.Take(",");
    if (found == name) return mesh;
  }
  return absl::NotFoundError(absl::StrCat("a sharding is of the mesh ", name,
                                          ", which the module hasn't"));
}

absl::StatusOr<std::vector<Sharding::Named>> ReadShardyShardings(
    absl::string_view text, FindMesh find) {
  ShardyScanner scanner(text);
  absl::Status not_found;
  std::vector<Sharding::Named> shardings;
  // Behind #sdy.sharding, which may stand before each of a list too.
  const auto read = [&] {
    return scanner.Expect("<") &&
           ReadShardingBody(&scanner, find, &shardings.emplace_back(),
                            &not_found) &&
           scanner.Expect(">");
  };
  const bool is_list = scanner.Take(kPerValue);
  const bool is_read = is_list ? scanner.Expect("<") &&
                                     scanner.ReadList("[", "]",
                                                      [&] {
                                                        scanner.Take(kSharding);
                                                        return read();
                                                      }) &&
                                     scanner.Expect(">")
                               : scanner.Expect(kSharding) && read();
  if (is_read && scanner.ExpectEnd()) return shardings;
  return not_found.ok() ? scanner.error() : not_found;
}

std::vector<std::string> ShardyShardings(absl::string_view text) {
  absl::string_view rest = text;
  if (!absl::ConsumePrefix(&rest, kPerValue) ||
      !absl::ConsumePrefix(&rest, "<[")) {
    return {std::string(text)};
  }
  std::vector<std::string> shardings;
  // Each is <...>, in which a mesh may be <...> again.
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] == '<' && depth++ == 0) begin = i;
    if (rest[i] != '>' || --depth != 0) continue;
    shardings.push_back(
        absl::StrCat(kSharding, rest.substr(begin, i + 1 - begin)));
  }
  return shardings;
}

std::string ShardyPerValue(absl::Span<const std::string> shardings) {
  return absl::StrCat(
      kPerValue, "<[",
      absl::StrJoin(shardings, ", ",
                    [](std::string* out, absl::string_view sharding) {
                      absl::ConsumePrefix(&sharding, kSharding);
                      absl::StrAppend(out, sharding);
                    }),
      "]>");
}

std::vector<std::string> ShardyManualAxes(absl::string_view text) {
  std::vector<std::string> axes;
  ShardyScanner scanner(text);
  if (scanner.Take("#sdy<manual_axes") && !scanner.ReadList("{", "}", [&] {
        return scanner.ReadQuoted(&axes.emplace_back());
      })) {
    axes.clear();
  }
  return axes;
}

// --- Rules ------------------------------------------------------------------

absl::StatusOr<ShardyRule> ReadShardyRule(absl::string_view text) {
  return ReadWhole<ShardyRule>(text, "#sdy.op_sharding_rule", ReadRuleBody);
}

// --- Edges ------------------------------------------------------------------

absl::StatusOr<std::vector<ShardyEdge>> ReadShardyEdges(
    absl::string_view text) {
  return ReadWhole<std::vector<ShardyEdge>>(
      text, "#sdy.propagation_edges",
      [](ShardyScanner* scanner, std::vector<ShardyEdge>* edges) {
        return scanner->ReadList("[", "]", [&] {
          ShardyEdge step;
          const size_t before = edges->size();
          if (!scanner->Expect("{") || !scanner->Expect("step") ||
              !scanner->Expect("-") || !scanner->ReadNumber(&step.step) ||
              !scanner->Expect("=")) {
            return false;
          }
          for (const ShardyEdge& other : *edges) {
            if (other.step != step.step) continue;
            return scanner->Fail(
                absl::StrCat("has step ", step.step, " twice"));
          }
          const auto edge = [&] {
            return ReadEdge(scanner, &edges->emplace_back(step));
          };
          if (!scanner->ReadList("[", "]", edge)) return false;
          if (edges->size() == before) edges->push_back(step);
          return scanner->Expect("}");
        });
      });
}

}  // namespace indim
