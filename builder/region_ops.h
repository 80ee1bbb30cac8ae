// RegionOps: the operations of ComputationBuilder with regions, computations
// that are recorded inside another one (region.h). lambda_ops.h has a form for
// C++ lambdas of each.

#ifndef INDIM_BUILDER_REGION_OPS_H_
#define INDIM_BUILDER_REGION_OPS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "indim/builder/device_ops.h"
#include "indim/builder/op.h"
#include "indim/builder/region.h"
#include "indim/shape/dims/dim.h"
#include "indim/shape/ops/opcode.h"
#include "indim/shape/types/element_type.h"
#include "indim/shape/types/shape.h"

namespace indim {

// How a reduction folds two elements. kAnd, kOr and kXor work bit by bit; for
// pred, kAdd and kMax are "or", kMul and kMin "and".
enum class ReduceKind : uint8_t { kAdd, kMul, kMin, kMax, kAnd, kOr, kXor };

// A part of ComputationBuilder; the comment at the head of
// computation_builder.h applies to every call.
class RegionOps : public DeviceOps {
 public:
  using DeviceOps::Map;

  // Begins a region whose arguments have these shapes; from now on this builder
  // records in it. `name` names the computation; "" or no UTF-8: "region".
  // Errors: IND0604, a shape that no file can hold.
  Region BeginRegion(absl::string_view name, absl::Span<const Shape> arguments,
                     CaptureForm form, Caller caller = Caller::Here());
  // Gives an open region of form kTuple one more argument. The region must be
  // the innermost one that is open (IND0627).
  Op AddArgument(Region* region, const Shape& shape,
                 Caller caller = Caller::Here());
  // Ends a region; its results are Ops of the region, or Ops that it captures.
  // Then this builder records in the enclosing computation again, and Ops of
  // the region are gone (IND0601). A region inside it that is still open is
  // dropped (IND0629). After an error inside the region the op that calls it is
  // poisoned, without a further message.
  void EndRegion(Region* region, absl::Span<const Op> results,
                 Caller caller = Caller::Here());

  // The calls of ended regions that were begun in the computation that is
  // recorded now, in the form that a comment names (else IND0627). They take
  // the region over. Each returns an Op for each result.

  // Two regions of form kTuple with `init` as arguments: `condition` gives one
  // pred[], and `body` the next values, one for each of `init` (IND0628). The
  // state is one tuple: the values, then what the regions capture. Errors also:
  // IND0402..IND0404.
  std::vector<Op> While(absl::Span<const Op> init, Region condition,
                        Region body, Caller caller = Caller::Here());
  // Regions of form kTuple without arguments and with equally many results
  // (IND0628): two, for a pred[] (true first), or n, for an s32[] (IND0405).
  std::vector<Op> Conditional(Op predicate, Region on_true, Region on_false,
                              Caller caller = Caller::Here());
  std::vector<Op> Conditional(Op branch_index, std::vector<Region> branches,
                              Caller caller = Caller::Here());
  // A region of form kParameters.
  std::vector<Op> Call(Region body, absl::Span<const Op> operands,
                       Caller caller = Caller::Here());
  // A region of form kScalarParameters with one result. What it captures is
  // broadcast to the dims of the operands.
  Op Map(absl::Span<const Op> operands, Region body,
         absl::Span<const int64_t> dimensions, Caller caller = Caller::Here());
  // A region of form kNone, as the computation of a reduce, sort, scatter ...
  Callee CalleeOf(Region region, Caller caller = Caller::Here());

 protected:
  using DeviceOps::DeviceOps;
  ~RegionOps() = default;
  RegionOps(RegionOps&&) noexcept = default;
  RegionOps& operator=(RegionOps&&) noexcept = default;

  // The shapes of the operands of `opcode`. False: an operand is misused or
  // poisoned, and *failed is the result of the call.
  bool ShapesOf(Opcode opcode, absl::Span<const Op> operands,
                std::vector<Shape>* shapes, Op* failed, Caller caller);
  // Scalars of the operands' element types. Each is an array (IND0101).
  bool ScalarShapesOf(Opcode opcode, absl::Span<const Op> operands,
                      std::vector<Shape>* shapes, Op* failed, Caller caller);
  // `operands` with numbers as constants of the type of operand `typed`. False:
  // an error was recorded, and *failed is the result of the call.
  bool WithScalars(Opcode opcode, absl::Span<const Operand> operands,
                   size_t typed, std::vector<Op>* ops, Op* failed,
                   Caller caller);
  // Whether the computation of a lambda was built; else *failed is the result
  // of the op that calls it. The lambda's own error was recorded.
  bool IsBuilt(Opcode opcode, const Callee& computation, Op* failed,
               Caller caller);
  // The elements of a tuple, `count` of them, which are a call's results.
  std::vector<Op> ElementsOf(Op tuple, size_t count, Caller caller);
  // While(), whose first `own` values are the call's own.
  std::vector<Op> Loop(absl::Span<const Op> init, size_t own, Region condition,
                       Region body, Caller caller);
  // A loop's counter, 0, and its end, as scalars of one integer type: that of
  // an Op (else IND0638), or s32 or s64 for a number.
  bool MakeCounter(const Operand& count, Op* counter, Op* end, Op* failed,
                   Caller caller);

  // How many steps a scan takes, as a Dim and as an s32[].
  struct ScanSteps {
    Dim size;
    Op count;
  };
  // The inputs are arrays whose dims 0 are equal (IND0203), static or named,
  // and whose other dims are static.
  bool BeginScan(absl::Span<const Op> inputs, ScanSteps* steps, Op* failed,
                 Caller caller);
  // Element `index` of an input along dim 0.
  Op ElementAt(Op array, Op index, Caller caller);
  // `array` with `element` at `index` along dim 0.
  Op WithElement(Op array, Op element, Op index, Caller caller);
  // The shapes of arrays of as many elements as there are steps. The elements
  // are static arrays (IND0617).
  bool Stacked(absl::Span<const Op> elements, const ScanSteps& steps,
               std::vector<Shape>* stacked, Op* failed, Caller caller);
  // An array of zeros, with static or named sizes.
  Op Zeros(const Shape& shape, Caller caller);

  // Reduces `dimensions`, or all.
  Op ReduceBy(ReduceKind kind, Op operand,
              const std::optional<absl::Span<const int64_t>>& dimensions,
              Caller caller);
};

}  // namespace indim

#endif  // INDIM_BUILDER_REGION_OPS_H_
