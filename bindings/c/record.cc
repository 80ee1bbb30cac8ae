// SPDX-License-Identifier: Apache-2.0
// Recording calls of any operation, one by one and in batches.

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "indim/bindings/c/guard.h"
#include "indim/bindings/c/handles.h"
#include "indim/bindings/c/recording.h"

namespace indim::capi {
namespace {

using internal::Recorder;

indim_error* ReadCallees(const indim_op& op, std::vector<Callee>* callees) {
  if (!IsList(op.callees, op.callee_count)) return NullArgument("callees");
  for (size_t i = 0; i < op.callee_count; ++i) {
    if (op.callees[i] == nullptr) return NullArgument("a callee");
    callees->push_back(op.callees[i]->callee);
  }
  return nullptr;
}

indim_error* Add(indim_builder* builder, const indim_op& op,
                 indim_value* value) {
  Opcode opcode;
  if (indim_error* error = FindOpcode(op, &opcode)) return error;
  if (!IsList(op.operands, op.operand_count)) return NullArgument("operands");
  OpList operands;
  if (indim_error* error =
          FindOps(*builder, List(op.operands, op.operand_count), &operands)) {
    return error;
  }
  const KnownAttributes* attributes;
  if (indim_error* error =
          KnowAttributes(builder, opcode, op.attributes, &attributes)) {
    return error;
  }
  std::vector<Callee> callees;
  if (indim_error* error = ReadCallees(op, &callees)) return error;
  return RecordValue(
      builder, op.location, value, [&](Recorder& recorder, Caller caller) {
        return RecordCall(&recorder, opcode, operands, attributes,
                          op.result == nullptr ? nullptr : &op.result->shape,
                          callees, caller);
      });
}

// The calls of a batch until one fails; *done gets how many didn't.
indim_error* AddMany(indim_builder* builder, const indim_op* ops, size_t count,
                     indim_value* values, size_t* done) {
  *done = 0;
  if (count == 0) return nullptr;
  const size_t step = ops->struct_size;
  const char* next = reinterpret_cast<const char*>(ops);
  for (; *done < count; ++*done, next += step) {
    const auto* const given = reinterpret_cast<const indim_op*>(next);
    indim_op op;
    if (given->struct_size != step || !ReadOptions(given, &op)) {
      return Misuse(absl::StrCat("call ", *done,
                                 " of the batch has struct_size ",
                                 given->struct_size, ", the first one ", step));
    }
    indim_value value;
    if (indim_error* error = Add(builder, op, &value)) return error;
    if (values != nullptr) values[*done] = value;
  }
  return nullptr;
}

// The opcode of a hot form.
indim_error* HotOpcode(int32_t number, Opcode* opcode) {
  indim_op op = {};
  op.opcode = number;
  if (number == 0) return Misuse("no operation has the number 0");
  return FindOpcode(op, opcode);
}

}  // namespace
extern "C" {

indim_error* indim_add(indim_builder* builder, const indim_op* op,
                       indim_value* value) {
  return GuardOptions(
      {{"builder", builder}, {"op", op}, {"value", value}}, "indim_op", op,
      [&](const indim_op& given) { return Add(builder, given, value); });
}

indim_error* indim_add_many(indim_builder* builder, const indim_op* ops,
                            size_t count, indim_value* values, size_t* done) {
  size_t recorded = 0;
  indim_error* const error =
      Guard({{"builder", builder}, {"ops", ops, count}},
            [&] { return AddMany(builder, ops, count, values, &recorded); });
  if (done != nullptr) *done = recorded;
  return error;
}

indim_error* indim_add_unary(indim_builder* builder, int32_t opcode,
                             indim_value operand, indim_location location,
                             indim_value* value) {
  return Guard({{"builder", builder}, {"value", value}}, [&] {
    Opcode known;
    if (indim_error* error = HotOpcode(opcode, &known)) return error;
    const Op* const op = FindOp(*builder, operand);
    if (op == nullptr) return NoSuchValue(*builder, operand);
    return RecordValue(builder, location, value,
                       [&](Recorder& recorder, Caller caller) {
                         return recorder.Unary(known, *op, caller);
                       });
  });
}

indim_error* indim_add_binary(indim_builder* builder, int32_t opcode,
                              indim_value lhs, indim_value rhs, int32_t rule,
                              indim_location location, indim_value* value) {
  return Guard({{"builder", builder}, {"value", value}}, [&] {
    Opcode known;
    if (indim_error* error = HotOpcode(opcode, &known)) return error;
    const std::optional<BroadcastRule> broadcast = RuleOf(rule);
    if (!broadcast) {
      return Misuse(absl::StrCat(rule, " is no indim_broadcast_rule"));
    }
    const bool elementwise =
        Info(known).attributes == AttributesKind::kElementwise;
    if (!elementwise && *broadcast != BroadcastRule::kXla) {
      return Misuse(absl::StrCat(Name(known), " has no broadcast_rule"));
    }
    const Op* const first = FindOp(*builder, lhs);
    if (first == nullptr) return NoSuchValue(*builder, lhs);
    const Op* const second = FindOp(*builder, rhs);
    if (second == nullptr) return NoSuchValue(*builder, rhs);
    BroadcastSpec spec;
    spec.rule = *broadcast;
    return RecordValue(
        builder, location, value, [&](Recorder& recorder, Caller caller) {
          if (elementwise) {
            return recorder.Binary(known, *first, *second, spec, caller);
          }
          const Op operands[] = {*first, *second};
          return recorder.Record({known, operands}, caller);
        });
  });
}

}  // extern "C"
}  // namespace indim::capi
