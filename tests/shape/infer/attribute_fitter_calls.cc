// SPDX-License-Identifier: Apache-2.0
// What operations that call computations, random numbers, collectives and
// asynchronous pairs are made of.

#include <cstddef>
#include <vector>

#include "indim/tests/shape/infer/attribute_fitter.h"

namespace indim {

// --- Computations, random numbers -------------------------------------------

void AttributeFitter::Map(OwnedInputs* in) {
  const Shape first = Ranked(in);
  DimensionsAttributes map;
  for (int i = 0; i < first.rank(); ++i) map.dimensions.push_back(i);
  in->attributes = map;
  const auto count = static_cast<size_t>(Between(1, 3));
  const Shape element = Shape::Scalar(first.element_type());
  in->operands.assign(count, first);
  in->callees = {{std::vector<Shape>(count, element), element}};
}

void AttributeFitter::Scan(OwnedInputs* in) {
  const Shape first = Ranked(in, 1);
  ScanAttributes scan;
  const int along = static_cast<int>(Between(0, first.rank() - 1));
  scan.dimensions = {along};
  scan.num_carries = Between(0, 2);
  scan.is_reverse = OneIn(2);
  DimVector dims(first.dims().begin(), first.dims().end());
  dims.erase(dims.begin() + along);
  const Shape slice = Shape::Array(first.element_type(), dims);
  Signature step;
  std::vector<Shape> results;
  in->operands.clear();
  for (int64_t k = Between(1, 2); k > 0; --k) {
    in->operands.push_back(first);
    step.parameters.push_back(slice);
    results.push_back(slice);
  }
  for (int64_t k = 0; k < scan.num_carries; ++k) {
    const Shape carry = Sizes(ElementType::kS32, static_cast<int>(k));
    in->operands.push_back(carry);
    step.parameters.push_back(carry);
    results.push_back(carry);
  }
  const bool bare = results.size() == 1 && OneIn(2);
  step.result = bare ? results[0] : Shape::Tuple(results);
  in->callees = {step};
  in->attributes = scan;
}

// Returns some of its arguments.
void AttributeFitter::Call(OwnedInputs* in) {
  if (in->operands.empty()) Ranked(in);
  Signature callee;
  std::vector<Shape> some;
  for (const Shape& operand : in->operands) {
    callee.parameters.push_back(operand.WithoutLayout());
    if (OneIn(2)) some.push_back(callee.parameters.back());
  }
  callee.result = some.size() == 1 && OneIn(2) ? some[0] : Shape::Tuple(some);
  in->callees = {callee};
}

// The first part of the state says whether it goes on.
void AttributeFitter::While(OwnedInputs* in) {
  const Shape goes_on = Shape::Scalar(ElementType::kPred);
  const Shape state = OneIn(4) ? goes_on : Shape::Tuple({goes_on, Ranked(in)});
  in->operands = {state};
  in->callees = {{{state}, state}, {{state}, goes_on}};  // body, condition
}

void AttributeFitter::Conditional(OwnedInputs* in) {
  const Shape argument = Ranked(in);
  const bool by_pred = OneIn(2);
  const int64_t branches = by_pred ? 2 : Between(1, 4);
  in->operands = {
      Shape::Scalar(by_pred ? ElementType::kPred : ElementType::kS32)};
  in->callees.clear();
  for (int64_t k = 0; k < branches; ++k) {
    in->operands.push_back(argument);
    in->callees.push_back({{argument}, argument});
  }
}

void AttributeFitter::Rng(OwnedInputs* in) {
  RngAttributes rng;
  rng.distribution = static_cast<RandomDistribution>(Between(1, 2));
  in->attributes = rng;
  in->declared = Sizes(OneIn(2) ? ElementType::kF32 : ElementType::kF64,
                       static_cast<int>(Between(0, 2)));
  in->operands.assign(2, Shape::Scalar(in->declared.element_type()));
}

void AttributeFitter::RngBitGenerator(OwnedInputs* in) {
  constexpr ElementType kBits[] = {ElementType::kU8, ElementType::kU16,
                                   ElementType::kU32, ElementType::kU64};
  RngBitGeneratorAttributes rng;
  rng.algorithm = static_cast<RandomAlgorithm>(Between(0, 2));
  in->attributes = rng;
  const Shape state = Shape::Of(ElementType::kU64, {2});
  in->operands = {state};
  in->declared = Shape::Tuple(
      {state, Sizes(kBits[Between(0, 3)], static_cast<int>(Between(0, 3)))});
}

// --- Collectives of one device, asynchronous pairs --------------------------

void AttributeFitter::AllReduce(OwnedInputs* in) {
  const Shape first = Ranked(in);
  in->operands.assign(static_cast<size_t>(Between(1, 2)), first);
  in->callees = {Fold({Shape::Scalar(first.element_type())})};
  in->attributes = CollectiveAttributes();
}

void AttributeFitter::OneShard(OwnedInputs* in) {
  const Shape first = Ranked(in, 1);
  in->operands = {first};
  CollectiveAttributes collective;
  collective.dimensions = {Between(0, first.rank() - 1)};
  collective.shard_count = 1;
  collective.replica_groups.groups = {{0}};
  in->attributes = collective;
  if (!in->callees.empty()) {
    in->callees = {Fold({Shape::Scalar(first.element_type())})};
  }
  if (in->declared.is_none()) return;
  in->declared = in->opcode == Opcode::kAllGatherStart
                     ? Shape::Tuple({first, first})
                     : first;
}

void AttributeFitter::RaggedAllToAll(OwnedInputs* in) {
  const Shape input = Ranked(in, 1);
  Shape output = input;
  output.set_dim(0, Dim::Static(Between(0, 4)));
  const Shape parts = Shape::Of(ElementType::kS32, {OneIn(2) ? 0 : 1});
  in->operands = {input, output, parts, parts, parts, parts};
  CollectiveAttributes collective;
  collective.replica_groups.groups = {{0}};
  in->attributes = collective;
}

void AttributeFitter::AsyncStart(OwnedInputs* in) {
  Call(in);
  in->declared = Shape::Tuple(
      {Shape::Tuple(in->callees[0].parameters), in->callees[0].result});
}

// What was started is the operand.
void AttributeFitter::AsyncRest(OwnedInputs* in) {
  AsyncStart(in);
  in->operands = {in->declared};
}

}  // namespace indim
