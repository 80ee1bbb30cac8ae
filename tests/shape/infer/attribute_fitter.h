// SPDX-License-Identifier: Apache-2.0
// AttributeFitter: what fits operands and no declaration says. Windows,
// dimension numbers, slices, FFT lengths, computations that carry a state: a
// random operation gets such that go with the dims of its operands, and where
// sizes follow from attributes the operands get these.

#ifndef INDIM_TESTS_SHAPE_INFER_ATTRIBUTE_FITTER_H_
#define INDIM_TESTS_SHAPE_INFER_ATTRIBUTE_FITTER_H_

#include <cstdint>
#include <random>
#include <vector>

#include "indim/shape/fixes/owned_inputs.h"
#include "indim/shape/ops/attributes.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/element_type.h"
#include "indim/shape/types/shape.h"

namespace indim {

class AttributeFitter {
 public:
  explicit AttributeFitter(std::mt19937* random) : random_(*random) {}

  // Fits `inputs`, which has at least as many operands and computations as its
  // row asks for. Element types and whatever else the row declares is left to
  // who fixes it. Nothing happens where the row says all there is.
  void Fit(OwnedInputs* inputs);

 private:
  using Method = void (AttributeFitter::*)(OwnedInputs*);
  struct Row {
    Opcode opcode;
    Method fit;
  };
  static const Row kRows[];

  // --- Data movement
  void Slice(OwnedInputs* in);
  void DynamicSlice(OwnedInputs* in);
  void DynamicUpdateSlice(OwnedInputs* in);
  void Pad(OwnedInputs* in);
  void Broadcast(OwnedInputs* in);
  void Reshape(OwnedInputs* in);
  void Iota(OwnedInputs* in);
  void Gather(OwnedInputs* in);
  void Scatter(OwnedInputs* in);
  void TopK(OwnedInputs* in);
  // --- Linear algebra, windows
  void Fft(OwnedInputs* in);
  void TriangularSolve(OwnedInputs* in);
  void ScaledDot(OwnedInputs* in);
  void ReduceWindow(OwnedInputs* in);
  void SelectAndScatter(OwnedInputs* in);
  void Convolution(OwnedInputs* in);
  // --- Computations, random numbers
  void Map(OwnedInputs* in);
  void Scan(OwnedInputs* in);
  void Call(OwnedInputs* in);
  void While(OwnedInputs* in);
  void Conditional(OwnedInputs* in);
  void Rng(OwnedInputs* in);
  void RngBitGenerator(OwnedInputs* in);
  // --- Collectives of one device, asynchronous pairs
  void AllReduce(OwnedInputs* in);
  void OneShard(OwnedInputs* in);
  void RaggedAllToAll(OwnedInputs* in);
  void AsyncStart(OwnedInputs* in);
  void AsyncRest(OwnedInputs* in);

  // A fold of elements of these types.
  static Signature Fold(const std::vector<Shape>& elements);
  int64_t Between(int64_t low, int64_t high);
  bool OneIn(int64_t n) { return Between(1, n) == 1; }
  std::vector<int> Permutation(int n);
  ElementType IndexType();
  Shape Sizes(ElementType type, int rank);
  // Operand 0, of `least` dims or more; others are made into such.
  Shape& Ranked(OwnedInputs* in, int least = 0);
  void AddIndices(OwnedInputs* in, int count);
  WindowDim Window(int64_t size);

  // Slices of an operand, where indices say: what gather and scatter share.
  struct Slices {
    Shape operand, indices;
    DimIndices sizes;    // of a slice
    DimIndices dropped;  // dims of the operand that no slice keeps
    DimIndices map;      // the dims that indices are for
    DimIndices operand_batching, indices_batching;
    int64_t index_vector_dim = 0;
    DimVector dims;   // of all slices together
    DimIndices kept;  // of these, the ones that slices keep
  };
  Slices DrawSlices(const Shape& operand);
  void DrawIndices(Slices* s);

  std::mt19937& random_;
};

}  // namespace indim

#endif  // INDIM_TESTS_SHAPE_INFER_ATTRIBUTE_FITTER_H_
