// All of Indim's API (docs/api.md). A program that includes single headers
// compiles faster.

#ifndef INDIM_INDIM_H_
#define INDIM_INDIM_H_

#include "indim/builder/arguments.h"                    // IWYU pragma: export
#include "indim/builder/array_ops.h"                    // IWYU pragma: export
#include "indim/builder/build_options.h"                // IWYU pragma: export
#include "indim/builder/call_diagnostic.h"              // IWYU pragma: export
#include "indim/builder/composites/constants.h"         // IWYU pragma: export
#include "indim/builder/composites/cumulative.h"        // IWYU pragma: export
#include "indim/builder/composites/einsum.h"            // IWYU pragma: export
#include "indim/builder/composites/limits.h"            // IWYU pragma: export
#include "indim/builder/composites/math.h"              // IWYU pragma: export
#include "indim/builder/composites/matrix.h"            // IWYU pragma: export
#include "indim/builder/composites/reductions.h"        // IWYU pragma: export
#include "indim/builder/composites/slicing.h"           // IWYU pragma: export
#include "indim/builder/computation_builder.h"          // IWYU pragma: export
#include "indim/builder/device_ops.h"                   // IWYU pragma: export
#include "indim/builder/elementwise_ops.h"              // IWYU pragma: export
#include "indim/builder/op.h"                           // IWYU pragma: export
#include "indim/builder/sharding.h"                     // IWYU pragma: export
#include "indim/codec/device_counts.h"                  // IWYU pragma: export
#include "indim/codec/literal.h"                        // IWYU pragma: export
#include "indim/edit/edit_result.h"                     // IWYU pragma: export
#include "indim/edit/editor.h"                          // IWYU pragma: export
#include "indim/edit/insertion.h"                       // IWYU pragma: export
#include "indim/edit/passes/common_subexpressions.h"    // IWYU pragma: export
#include "indim/edit/passes/constants_to_parameters.h"  // IWYU pragma: export
#include "indim/edit/passes/dead_code.h"                // IWYU pragma: export
#include "indim/edit/passes/extract.h"                  // IWYU pragma: export
#include "indim/edit/passes/fold_constants.h"           // IWYU pragma: export
#include "indim/edit/passes/inline_calls.h"             // IWYU pragma: export
#include "indim/edit/passes/reduce.h"                   // IWYU pragma: export
#include "indim/edit/pattern.h"                         // IWYU pragma: export
#include "indim/edit/refs.h"                            // IWYU pragma: export
#include "indim/eval/evaluator.h"                       // IWYU pragma: export
#include "indim/eval/fold.h"                            // IWYU pragma: export
#include "indim/eval/ops/eval_options.h"                // IWYU pragma: export
#include "indim/eval/values/npy.h"                      // IWYU pragma: export
#include "indim/eval/values/random_literal.h"           // IWYU pragma: export
#include "indim/hlo_proto/external_constants.h"         // IWYU pragma: export
#include "indim/hlo_proto/module_wrapper.h"             // IWYU pragma: export
#include "indim/io/read.h"                              // IWYU pragma: export
#include "indim/io/write.h"                             // IWYU pragma: export
#include "indim/ir/module.h"                            // IWYU pragma: export
#include "indim/ir/report.h"                            // IWYU pragma: export
#include "indim/passes/check/infer_and_verify.h"        // IWYU pragma: export
#include "indim/passes/check/infer_shapes.h"            // IWYU pragma: export
#include "indim/passes/check/verify_module.h"           // IWYU pragma: export
#include "indim/passes/check/verify_shapes.h"           // IWYU pragma: export
#include "indim/passes/export/expand_broadcasts.h"      // IWYU pragma: export
#include "indim/passes/export/export.h"                 // IWYU pragma: export
#include "indim/passes/sizes/conditions.h"              // IWYU pragma: export
#include "indim/passes/sizes/refine.h"                  // IWYU pragma: export
#include "indim/passes/sizes/run_time_checks.h"         // IWYU pragma: export
#include "indim/passes/sizes/symbol_notes.h"            // IWYU pragma: export
#include "indim/shape/broadcast/broadcast.h"            // IWYU pragma: export
#include "indim/shape/broadcast/broadcastable.h"        // IWYU pragma: export
#include "indim/shape/dims/dim.h"                       // IWYU pragma: export
#include "indim/shape/dims/dim_expr.h"                  // IWYU pragma: export
#include "indim/shape/fixes/fix.h"                      // IWYU pragma: export
#include "indim/shape/infer/infer.h"                    // IWYU pragma: export
#include "indim/shape/ops/attributes.h"                 // IWYU pragma: export
#include "indim/shape/ops/opcode.h"                     // IWYU pragma: export
#include "indim/shape/rules/diagnostic.h"               // IWYU pragma: export
#include "indim/shape/types/element_type.h"             // IWYU pragma: export
#include "indim/shape/types/layout.h"                   // IWYU pragma: export
#include "indim/shape/types/shape.h"                    // IWYU pragma: export
#include "indim/structure/structure.h"                  // IWYU pragma: export
#include "indim/text/base/print_options.h"              // IWYU pragma: export
#include "indim/text/parse/module_format.h"             // IWYU pragma: export
#include "indim/text/print/print_hlo_text.h"            // IWYU pragma: export

#endif  // INDIM_INDIM_H_
