// SPDX-License-Identifier: Apache-2.0
// PlanBroadcast on shapes given as text, and what it says in short: what the
// tests of broadcasting ask with.
#ifndef INDIM_TESTS_SHAPE_BROADCAST_BROADCAST_TESTING_H_
#define INDIM_TESTS_SHAPE_BROADCAST_BROADCAST_TESTING_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "indim/shape/broadcast/broadcast.h"
#include "indim/shape/diagnostics/diagnostic.h"

namespace indim {

// A call of PlanBroadcast and what came out.
struct Outcome {
  std::vector<Shape> shapes;
  bool ok = false;
  BroadcastPlan plan;
  std::vector<Diagnostic> diagnostics;

  std::vector<const Shape*> pointers() const {
    std::vector<const Shape*> result;
    for (const Shape& shape : shapes) result.push_back(&shape);
    return result;
  }
  // "[2,<=3]", "[*]" or the id of the error.
  std::string text() const {
    if (!ok) return CodeText(diagnostics.at(0).code);
    if (plan.unranked) return "[*]";
    return absl::StrCat("[",
                        absl::StrJoin(plan.dims, ",",
                                      [](std::string* out, Dim d) {
                                        out->append(d.ToString());
                                      }),
                        "]");
  }
  std::vector<std::string> conditions() const {
    std::vector<std::string> result;
    for (const Condition& c : plan.conditions) {
      result.push_back(ToString(c));
    }
    return result;
  }
};

// `d` as it reads for an add of the outcome's operands.
inline std::string Message(const Outcome& o, const Diagnostic& d) {
  const std::vector<const Shape*> operands = o.pointers();
  DiagnosticSubject subject;
  subject.op = "add";
  subject.operands = operands;
  return FormatMessage(d, subject);
}

inline std::vector<Shape> Parse(const std::vector<std::string>& texts) {
  std::vector<Shape> shapes;
  for (const std::string& text : texts) {
    shapes.push_back(ParseShape(text).value());
  }
  return shapes;
}

// Shapes, and what points to them.
struct Operands {
  explicit Operands(const std::vector<std::string>& texts)
      : shapes(Parse(texts)) {
    for (const Shape& shape : shapes) pointers.push_back(&shape);
  }

  std::vector<Shape> shapes;
  std::vector<const Shape*> pointers;
};

inline Outcome Plan(const BroadcastSpec& spec, std::vector<Shape> shapes) {
  Outcome o;
  o.shapes = std::move(shapes);
  o.ok = PlanBroadcast(spec, o.pointers(), &o.plan, &o.diagnostics);
  return o;
}

inline BroadcastSpec Spec(BroadcastRule rule, int64_t axis = -1) {
  BroadcastSpec spec;
  spec.rule = rule;
  spec.axis = axis;
  return spec;
}

inline Outcome Plan(BroadcastRule rule, const std::vector<std::string>& texts,
                    int64_t axis = -1) {
  return Plan(Spec(rule, axis), Parse(texts));
}

inline Outcome Xla(const std::string& lhs, const std::string& rhs,
                   std::optional<DimIndices> dimensions = std::nullopt) {
  BroadcastSpec spec;
  spec.dimensions = std::move(dimensions);
  return Plan(spec, Parse({lhs, rhs}));
}

}  // namespace indim

#endif  // INDIM_TESTS_SHAPE_BROADCAST_BROADCAST_TESTING_H_
