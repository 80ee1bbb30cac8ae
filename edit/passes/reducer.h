// SPDX-License-Identifier: Apache-2.0
// Reducer: the state of ReduceModule, and its reductions.

#ifndef INDIM_EDIT_PASSES_REDUCER_H_
#define INDIM_EDIT_PASSES_REDUCER_H_

#include <cstdint>
#include <tuple>
#include <vector>

#include "absl/functional/function_ref.h"
#include "indim/edit/editor.h"
#include "indim/edit/passes/reduce.h"
#include "indim/ir/module.h"
#include "indim/shape/types/shape.h"

namespace indim::internal {

class Reducer {
 public:
  Reducer(Module module, absl::FunctionRef<bool(const Module&)> fails,
          const ReduceOptions& options);

  ReduceResult Run();

 private:
  // Where an instruction is in module_.
  struct Place {
    int computation, instruction;
  };
  InstructionRef At(const Editor& editor, Place place) const {
    return editor.Of(
        module_.computation(place.computation).instruction(place.instruction));
  }
  std::vector<Place> Places(bool entry, bool called) const;

  // How large a module is: what ReduceModule makes smaller.
  struct Cost {
    int64_t nodes;   // instructions but parameters, and computations
    uint64_t sizes;  // the sum of all sizes of dims
    uint64_t bytes;
    friend bool operator<(const Cost& a, const Cost& b) {
      return std::tie(a.nodes, a.sizes, a.bytes) <
             std::tie(b.nodes, b.sizes, b.bytes);
    }
  };
  static Cost CostOf(const Module& module);

  bool spent() const { return tests_ >= options_.max_tests; }
  // Takes the module if the test fails on it.
  bool TryModule(Module module);
  // TryModule of a module that must still be verified.
  bool TryUnverified(Module module);
  // Edits a copy of module_, removes what nothing needs, and tries that if it
  // is valid and smaller.
  bool Try(absl::FunctionRef<void(Editor*)> edit);
  // Tries `edit` on the places in parts of half the size each time, the last
  // places first.
  using EditPlaces =
      absl::FunctionRef<void(Editor*, const std::vector<Place>&)>;
  bool TryParts(std::vector<Place> places, EditPlaces edit);

  // Reductions. True: the module is smaller now.
  bool ReduceRoot();
  bool EnterCalled();
  bool RemoveResults();
  bool CutToParameters();
  bool Bypass();
  bool ToZero();
  bool InlineOne();
  bool StripInstructions();
  bool StripModule();
  bool ShrinkConstants();
  bool ShrinkDims();

  Module module_;
  const bool valid_;  // the first module is
  absl::FunctionRef<bool(const Module&)> fails_;
  const ReduceOptions& options_;
  int64_t tests_ = 0;
};

// Calls f(size) for each static size of a shape, at any depth.
void ForEachSize(const Shape& shape, absl::FunctionRef<void(int64_t)> f);

// Erases what nothing needs, and parameters of the entry that nothing uses.
void CleanUp(Editor* editor);

}  // namespace indim::internal

#endif  // INDIM_EDIT_PASSES_REDUCER_H_
