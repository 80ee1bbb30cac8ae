// SPDX-License-Identifier: Apache-2.0
#include "indim/sharding/shardy/shardy_faults.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/sharding/values/axis_use.h"

namespace indim {
namespace {

// Calls f(axis) for the axes of each dim and each list.
template <typename F>
void ForEachAxis(const Sharding::Named& sharding, const F& f) {
  for (const Sharding::Dim& dim : sharding.dims) {
    for (const AxisRef& axis : dim.axes) f(axis);
  }
  for (const AxisRefs* list : {&sharding.replicated, &sharding.unreduced}) {
    for (const AxisRef& axis : *list) f(axis);
  }
}

const std::string& NameOfAxis(const Mesh& mesh, const AxisRef& axis) {
  return mesh.axes[static_cast<size_t>(axis.axis)].name;
}

bool IsEmptyMesh(const Mesh& mesh) {
  return mesh.axes.empty() && mesh.device_ids.empty();
}

// The mesh of all of them but those of no devices; null: there are several.
const Mesh* CommonMesh(absl::Span<const Sharding::Named* const> shardings) {
  const Mesh* common = nullptr;
  for (const Sharding::Named* sharding : shardings) {
    const Mesh& mesh = sharding->mesh;
    if (common == nullptr || IsEmptyMesh(*common)) {
      common = &mesh;
    } else if (!IsEmptyMesh(mesh) && !(mesh == *common)) {
      return nullptr;
    }
  }
  return common;
}

bool HasAxis(const Mesh& mesh, absl::string_view name) {
  return absl::c_any_of(
      mesh.axes, [name](const Mesh::Axis& axis) { return axis.name == name; });
}

bool HasAxes(const Sharding::Named& sharding) {
  bool has = false;
  ForEachAxis(sharding, [&has](const AxisRef&) { has = true; });
  return has;
}

// Of dims and lists of axes of a ranked value.
std::string AxesFaultOf(const Sharding::Named& sharding) {
  AxisUse use(sharding.mesh, AxisUse::Rules::kShardy);
  for (size_t d = 0; d < sharding.dims.size(); ++d) {
    const Sharding::Dim& dim = sharding.dims[d];
    if (dim.priority && dim.is_closed && dim.axes.empty()) {
      return absl::StrCat("has a priority for dim ", d,
                          ", which is empty and closed");
    }
    std::string fault = use.Take(dim.axes, /*sorted=*/false);
    if (!fault.empty()) return fault;
  }
  for (const AxisRefs* list : {&sharding.replicated, &sharding.unreduced}) {
    std::string fault = use.Take(*list, /*sorted=*/true);
    if (!fault.empty()) return fault;
  }
  return "";
}

// Checks the mappings of the operands or results, and notes their factors.
std::string MappingsFault(const ShardyRule& rule, absl::string_view what,
                          absl::Span<const ShardyRule::Dims> mappings,
                          absl::Span<const ShardyValue> values,
                          std::vector<bool>* used) {
  if (mappings.size() != values.size()) {
    return absl::StrCat("maps ", mappings.size(), " ", what, "s, of which the ",
                        "operation has ", values.size());
  }
  if (mappings.empty())
    return absl::StrCat("is of an operation without ", what, "s");
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string of = absl::StrCat(what, " ", i);
    if (!values[i].has_static_sizes()) {
      return absl::StrCat("maps ", of, ", which has no static shape");
    }
    if (mappings[i].size() != values[i].sizes.size()) {
      return absl::StrCat("maps ", mappings[i].size(), " dims of ", of,
                          ", which has ", values[i].sizes.size());
    }
    std::vector<bool> own(rule.factors.size());
    for (const std::vector<int64_t>& factors : mappings[i]) {
      if (factors.empty()) {
        return absl::StrCat("maps a dim of ", of, " to no factor");
      }
      for (const int64_t factor : factors) {
        const size_t at = static_cast<size_t>(factor);
        if (at >= own.size()) {
          return absl::StrCat("maps a dim of ", of, " to factor ", factor,
                              " of ", own.size());
        }
        if (own[at]) {
          return absl::StrCat("maps two dims of ", of, " to factor ", factor);
        }
        if (rule.factors[at] == 1 && factors.size() > 1) {
          return absl::StrCat("maps a dim of ", of,
                              " to several factors, one of size 1");
        }
        own[at] = (*used)[at] = true;
      }
    }
  }
  return "";
}

// Of a list of factors: in rising order, each at most once.
std::string FactorsFault(absl::Span<const int64_t> factors, size_t count) {
  for (size_t i = 0; i < factors.size(); ++i) {
    if (i > 0 && factors[i] <= factors[i - 1]) {
      return "lists factors out of order, or twice";
    }
    if (factors[i] >= static_cast<int64_t>(count)) {
      return absl::StrCat("lists factor ", factors[i], " of ", count);
    }
  }
  return "";
}

// Of the edges by themselves.
std::string FormOfEdgesFault(absl::Span<const ShardyEdge> edges) {
  for (size_t i = 0; i < edges.size(); ++i) {
    const ShardyEdge& edge = edges[i];
    for (size_t k = 0; k < edge.targets.size(); ++k) {
      if (edge.targets[k] == edge.source) {
        return absl::StrCat("leads from a value to itself in step ", edge.step);
      }
      for (size_t m = 0; m < k; ++m) {
        if (edge.targets[m] == edge.targets[k]) {
          return absl::StrCat("names a target twice in step ", edge.step);
        }
      }
    }
  }
  return "";
}

}  // namespace

bool ShardyValue::has_static_sizes() const {
  return kind == Kind::kRanked && !absl::c_linear_search(sizes, kUnknownSize);
}

std::string ShardyValue::ToString() const {
  return absl::StrCat("[",
                      absl::StrJoin(sizes, ",",
                                    [](std::string* out, int64_t size) {
                                      out->append(size == kUnknownSize
                                                      ? "?"
                                                      : absl::StrCat(size));
                                    }),
                      "]");
}

bool ShardsNothing(const Sharding::Named& sharding) {
  return sharding.mesh.is_maximal() || !HasAxes(sharding);
}

std::string ShardyFault(const Sharding::Named& sharding,
                        const ShardyValue& value,
                        absl::Span<const std::string> bound) {
  using Kind = ShardyValue::Kind;
  const Mesh& mesh = sharding.mesh;
  const bool is_maximal = mesh.is_maximal();
  if (value.kind == Kind::kTuple && !is_maximal) {
    return "is of a tuple, which must have one element";
  }
  if (is_maximal || value.kind == Kind::kNoTensor) {
    if (sharding.dims.empty() && !HasAxes(sharding)) return "";
    return absl::StrCat(
        "has dims or axes, but ",
        is_maximal ? "its mesh is one device" : "its value is no tensor");
  }
  if (value.kind == Kind::kUnranked) return "is of a tensor without a rank";
  if (sharding.dims.size() != value.sizes.size()) {
    return absl::StrCat("has ", sharding.dims.size(), " dims, but its value ",
                        value.sizes.size());
  }
  std::string fault = AxesFaultOf(sharding);
  if (!fault.empty()) return fault;
  ForEachAxis(sharding, [&](const AxisRef& axis) {
    const std::string& name = NameOfAxis(mesh, axis);
    if (!fault.empty() || !absl::c_linear_search(bound, name)) return;
    fault = absl::StrCat("names the axis \"", name,
                         "\", which a manual computation around it has for "
                         "itself");
  });
  return fault;
}

std::string ManualFault(const Sharding::Named& sharding,
                        const ShardyValue& whole, const ShardyValue& local,
                        absl::Span<const std::string> manual) {
  const Mesh& mesh = sharding.mesh;
  const auto is_manual = [&](const AxisRef& axis) {
    return absl::c_linear_search(manual, NameOfAxis(mesh, axis));
  };
  for (const Sharding::Dim& dim : sharding.dims) {
    const auto free = absl::c_find_if_not(dim.axes, is_manual);
    const auto after = std::find_if(free, dim.axes.end(), is_manual);
    if (after == dim.axes.end()) continue;
    return absl::StrCat("has the manual axis \"", NameOfAxis(mesh, *after),
                        "\" behind the axis \"", NameOfAxis(mesh, *free),
                        "\", which isn't manual");
  }
  if (whole.kind != ShardyValue::Kind::kRanked) return "";
  ShardyValue part = whole;
  for (size_t d = 0; d < sharding.dims.size() && d < part.sizes.size(); ++d) {
    int64_t& size = part.sizes[d];
    if (size == ShardyValue::kUnknownSize) continue;
    int64_t parts = 1;
    for (const AxisRef& axis : sharding.dims[d].axes) {
      if (is_manual(axis)) parts *= mesh.SizeOf(axis);
    }
    if (size % parts != 0) {
      return absl::StrCat("cuts dim ", d, " of size ", size, " into ", parts,
                          " parts, which don't divide it");
    }
    size /= parts;
  }
  if (local.kind == ShardyValue::Kind::kRanked && local.sizes == part.sizes) {
    return "";
  }
  return absl::StrCat("makes parts of ", part.ToString(), " of ",
                      whole.ToString(), ", but the region has ",
                      local.ToString());
}

std::string ManualAxesFault(absl::Span<const Sharding::Named* const> shardings,
                            absl::Span<const std::string> manual) {
  if (shardings.empty()) return "";
  const Mesh* const mesh = CommonMesh(shardings);
  if (mesh == nullptr) {
    return manual.empty() ? "" : "has shardings of several meshes";
  }
  for (const std::string& axis : manual) {
    if (!HasAxis(*mesh, axis)) {
      return absl::StrCat("has the manual axis \"", axis,
                          "\", which its mesh doesn't have");
    }
  }
  return "";
}

// --- Rules ------------------------------------------------------------------

std::string ShardyRuleFault(const ShardyRule& rule,
                            absl::Span<const ShardyValue> operands,
                            absl::Span<const ShardyValue> results) {
  const size_t count = rule.factors.size();
  std::vector<bool> in_operands(count), in_results(count);
  std::string fault =
      MappingsFault(rule, "operand", rule.operands, operands, &in_operands);
  if (!fault.empty()) return fault;
  fault = MappingsFault(rule, "result", rule.results, results, &in_results);
  if (!fault.empty()) return fault;
  for (size_t i = 0; i < count; ++i) {
    if (!in_operands[i] && !in_results[i]) {
      return absl::StrCat("has factor ", i, ", to which it maps no dim");
    }
  }
  std::vector<bool> special(count);
  for (const std::vector<int64_t>* list :
       {&rule.reduction, &rule.need_replication, &rule.permutation}) {
    fault = FactorsFault(*list, count);
    if (!fault.empty()) return fault;
    for (const int64_t factor : *list) {
      const size_t at = static_cast<size_t>(factor);
      if (special[at]) {
        return absl::StrCat("lists factor ", factor,
                            " in two of reduction, need_replication and "
                            "permutation");
      }
      special[at] = true;
    }
  }
  fault = FactorsFault(rule.blocked_propagation, count);
  if (!fault.empty()) return fault;
  for (const int64_t factor : rule.reduction) {
    if (in_results[static_cast<size_t>(factor)]) {
      return absl::StrCat("reduces factor ", factor,
                          ", to which it maps a dim of a result");
    }
  }
  return "";
}

// --- Edges ------------------------------------------------------------------

std::string ShardyEdgesFault(
    absl::Span<const ShardyEdge> edges, size_t operands, size_t results,
    absl::FunctionRef<const Sharding::Named*(const ShardyEdge::Value&)>
        sharding_of) {
  std::string fault = FormOfEdgesFault(edges);
  if (!fault.empty()) return fault;
  std::vector<const Sharding::Named*> shardings;
  const auto for_each_value = [&](const auto& f) {
    for (const ShardyEdge& edge : edges) {
      if (edge.axis.empty()) continue;
      f(edge.source);
      for (const ShardyEdge::Value& target : edge.targets) f(target);
    }
  };
  for_each_value([&](const ShardyEdge::Value& value) {
    if (value.index >=
        static_cast<int64_t>(value.is_result ? results : operands)) {
      fault = absl::StrCat("names ", value.is_result ? "result " : "operand ",
                           value.index, " of ",
                           value.is_result ? results : operands);
    } else if (const Sharding::Named* sharding = sharding_of(value)) {
      shardings.push_back(sharding);
    }
  });
  if (!fault.empty()) return fault;
  if (shardings.empty()) return "is of values without shardings";
  const Mesh* const mesh = CommonMesh(shardings);
  if (mesh == nullptr) return "is of values with shardings of several meshes";
  for (const ShardyEdge& edge : edges) {
    if (!edge.axis.empty() && !HasAxis(*mesh, edge.axis)) {
      return absl::StrCat("names the axis \"", edge.axis,
                          "\", which the mesh doesn't have");
    }
  }
  return "";
}

}  // namespace indim
