# The files of Indim, for CMakeLists.txt. Made from the BUILD files: install/cmake/make_sources.py writes this file.

# The library.
set(INDIM_SOURCES
  builder/arguments.cc
  builder/calls.cc
  builder/collectives.cc
  builder/composites/composite.cc
  builder/composites/constants.cc
  builder/composites/cumulative.cc
  builder/composites/einsum.cc
  builder/composites/limits.cc
  builder/composites/math.cc
  builder/composites/matrix.cc
  builder/composites/reductions.cc
  builder/composites/slicing.cc
  builder/composites/subscripts.cc
  builder/computation_builder.cc
  builder/contraction.cc
  builder/control_block.cc
  builder/custom_calls.cc
  builder/elementwise.cc
  builder/link.cc
  builder/op.cc
  builder/post_order.cc
  builder/recorder.cc
  builder/recorder_build.cc
  builder/recorder_checks.cc
  builder/recorder_errors.cc
  builder/recorder_fields.cc
  builder/shapes.cc
  builder/sharding.cc
  builder/shared_state.cc
  builder/structured.cc
  builder/transfers.cc
  builder/unique_names.cc
  builder/windows.cc
  codec/attribute_wire.cc
  codec/device_counts.cc
  codec/frontend_attributes.cc
  codec/layout_wire.cc
  codec/literal.cc
  codec/literal_proto.cc
  codec/literal_text.cc
  codec/literal_wire.cc
  codec/shape_wire.cc
  codec/special_bindings.cc
  eval/evaluator.cc
  eval/fold.cc
  eval/least_steps.cc
  eval/ops/custom_calls.cc
  eval/ops/element_function.cc
  eval/ops/eval_bitcast.cc
  eval/ops/eval_calls.cc
  eval/ops/eval_collectives.cc
  eval/ops/eval_contraction.cc
  eval/ops/eval_convolution.cc
  eval/ops/eval_dynamic.cc
  eval/ops/eval_elementwise.cc
  eval/ops/eval_gather.cc
  eval/ops/eval_linalg.cc
  eval/ops/eval_movement.cc
  eval/ops/eval_product.cc
  eval/ops/eval_random.cc
  eval/ops/eval_reduce.cc
  eval/ops/eval_reshape.cc
  eval/ops/eval_scan.cc
  eval/ops/eval_sort.cc
  eval/ops/eval_util.cc
  eval/ops/evaluation.cc
  eval/ops/interpreter.cc
  eval/ops/memory.cc
  eval/ops/memory_movement.cc
  eval/ops/window_positions.cc
  eval/values/complex_functions.cc
  eval/values/npy.cc
  eval/values/random_literal.cc
  eval/values/scalar.cc
  eval/values/scalar_binary.cc
  eval/values/scalar_unary.cc
  eval/values/value.cc
  hlo_proto/computation_reader.cc
  hlo_proto/inline_literals.cc
  hlo_proto/instruction_encoder.cc
  hlo_proto/module_file.cc
  hlo_proto/module_reader.cc
  hlo_proto/module_scanner.cc
  hlo_proto/module_serializer.cc
  hlo_proto/module_writer.cc
  hlo_proto/wrapped_module.cc
  ir/final_names.cc
  ir/missing_values.cc
  ir/module.cc
  ir/module_data.cc
  ir/pools.cc
  ir/report.cc
  ir/shape_table.cc
  ir/text_positions.cc
  passes/check/infer_and_verify.cc
  passes/check/infer_shapes.cc
  passes/check/node_checker.cc
  passes/check/node_inputs.cc
  passes/check/verify_module.cc
  passes/check/verify_shapes.cc
  passes/export/expand_broadcasts.cc
  passes/export/expanded_writer.cc
  passes/export/expansion.cc
  passes/export/export.cc
  passes/export/instruction_emitter.cc
  passes/export/lay_out.cc
  passes/export/node_expander.cc
  passes/export/xla_spelling.cc
  passes/sizes/called_checks.cc
  passes/sizes/conditions.cc
  passes/sizes/fold_known_sizes.cc
  passes/sizes/refine.cc
  passes/sizes/render_refinement.cc
  passes/sizes/run_time_checks.cc
  passes/sizes/symbol_notes.cc
  shape/broadcast/broadcast.cc
  shape/broadcast/broadcast_internal.cc
  shape/broadcast/broadcast_xla.cc
  shape/broadcast/broadcastable.cc
  shape/dims/checked_math.cc
  shape/dims/dim.cc
  shape/dims/dim_expr.cc
  shape/dims/dim_expr_atoms.cc
  shape/dims/dim_expr_bounds.cc
  shape/dims/dim_expr_identities.cc
  shape/dims/dim_expr_table.cc
  shape/dims/dim_expr_text.cc
  shape/dims/dim_math.cc
  shape/dims/symbol_scope.cc
  shape/fixes/contraction_fixes.cc
  shape/fixes/fix.cc
  shape/fixes/fix_candidates.cc
  shape/fixes/fix_text.cc
  shape/fixes/owned_inputs.cc
  shape/infer/builder_forms.cc
  shape/infer/builder_forms_tuple.cc
  shape/infer/check_attributes.cc
  shape/infer/check_constraint.cc
  shape/infer/dim_condition.cc
  shape/infer/infer.cc
  shape/infer/infer_async.cc
  shape/infer/infer_calls.cc
  shape/infer/infer_collective.cc
  shape/infer/infer_components.cc
  shape/infer/infer_convolution.cc
  shape/infer/infer_declared.cc
  shape/infer/infer_dot.cc
  shape/infer/infer_dynamic.cc
  shape/infer/infer_elementwise.cc
  shape/infer/infer_gather.cc
  shape/infer/infer_linalg.cc
  shape/infer/infer_movement.cc
  shape/infer/infer_reduce.cc
  shape/infer/infer_scan.cc
  shape/infer/infer_sizes.cc
  shape/infer/infer_sort.cc
  shape/infer/infer_util.cc
  shape/infer/infer_window.cc
  shape/infer/reducer.cc
  shape/infer/verify_node.cc
  shape/infer/warnings.cc
  shape/infer/window.cc
  shape/ops/attributes.cc
  shape/ops/constraint.cc
  shape/ops/opcode.cc
  shape/ops/replica_groups.cc
  shape/rules/diagnostic.cc
  shape/types/element_type.cc
  shape/types/layout.cc
  shape/types/layout_reader.cc
  shape/types/parse_shape.cc
  shape/types/print_shape.cc
  shape/types/shape.cc
  shape/types/shape_lexer.cc
  shape/types/suggest.cc
  storage/byte_pieces.cc
  storage/byte_pool.cc
  storage/checksum.cc
  storage/column.cc
  storage/external_files.cc
  storage/file.cc
  storage/float_format.cc
  storage/float_text.cc
  storage/system_file_posix.cc
  storage/system_file_windows.cc
  structure/aliasing.cc
  structure/append_without_repeats.cc
  structure/async.cc
  structure/async_chains.cc
  structure/attributes.cc
  structure/buffers.cc
  structure/call_shardings.cc
  structure/calls.cc
  structure/device_counts.cc
  structure/devices.cc
  structure/entry.cc
  structure/groups.cc
  structure/layouts.cc
  structure/mesh.cc
  structure/pairs.cc
  structure/schedule.cc
  structure/sharding.cc
  structure/sharding_errors.cc
  structure/sharding_form.cc
  structure/structure.cc
  structure/threads.cc
  text/attributes/attribute_table.cc
  text/attributes/attribute_text.cc
  text/attributes/attribute_values.cc
  text/attributes/attribute_values_names.cc
  text/attributes/attribute_values_notes.cc
  text/attributes/attribute_values_origin.cc
  text/attributes/attribute_values_plain.cc
  text/attributes/attribute_values_shape.cc
  text/attributes/attribute_values_slices.cc
  text/attributes/attribute_values_window.cc
  text/attributes/implied_fields.cc
  text/attributes/literal_reader.cc
  text/attributes/literal_scan.cc
  text/attributes/mesh_text.cc
  text/attributes/metadata_text.cc
  text/attributes/named_sharding_text.cc
  text/attributes/replica_groups_text.cc
  text/attributes/sharding_text.cc
  text/attributes/tile_assignment.cc
  text/base/braced_members.cc
  text/base/escaped_text.cc
  text/base/json_text.cc
  text/base/lexer.cc
  text/base/name_uniquer.cc
  text/base/old_names.cc
  text/base/scalar_text.cc
  text/base/shape_text.cc
  text/base/text_errors.cc
  text/parse/async_sugar.cc
  text/parse/hlo_header.cc
  text/parse/hlo_header_frames.cc
  text/parse/hlo_op_rules.cc
  text/parse/hlo_parser.cc
  text/parse/hlo_parser_attributes.cc
  text/parse/hlo_parser_finish.cc
  text/parse/hlo_parser_instruction.cc
  text/parse/hlo_parser_known.cc
  text/parse/hlo_parser_operands.cc
  text/parse/hlo_parser_signature.cc
  text/parse/line_cache.cc
  text/parse/shape_cache.cc
  text/print/frame_table.cc
  text/print/hlo_printer.cc
  text/print/hlo_printer_attributes.cc
  text/print/hlo_printer_callees.cc
  text/print/hlo_printer_forms.cc
  text/print/hlo_printer_operands.cc
  text/print/hlo_printer_shapes.cc
  text/print/module_header.cc
  text/print/print_order.cc
  text/print/printed_metadata.cc
  text/print/printed_names.cc
  text/print/printed_shape.cc
  text/print/symbol_facts.cc
  wire/attribute_bytes.cc
  wire/canonical.cc
  wire/field_list.cc
  wire/printable.cc
  wire/wire.cc
  wire/wire_buffer.cc
  wire/wire_check.cc
  wire/wire_table.cc
)

set(INDIM_HEADERS
  builder/arguments.h
  builder/array_ops.h
  builder/build_options.h
  builder/call_diagnostic.h
  builder/composites/composite.h
  builder/composites/constants.h
  builder/composites/cumulative.h
  builder/composites/einsum.h
  builder/composites/limits.h
  builder/composites/math.h
  builder/composites/matrix.h
  builder/composites/reductions.h
  builder/composites/slicing.h
  builder/composites/subscripts.h
  builder/computation_builder.h
  builder/control_block.h
  builder/device_ops.h
  builder/elementwise_ops.h
  builder/link.h
  builder/op.h
  builder/post_order.h
  builder/record_util.h
  builder/recorder.h
  builder/sharding.h
  builder/shared_state.h
  builder/unique_names.h
  codec/attribute_bindings.h
  codec/attribute_fields.h
  codec/attribute_wire.h
  codec/device_counts.h
  codec/frontend_attributes.h
  codec/layout_wire.h
  codec/literal.h
  codec/literal_wire.h
  codec/shape_wire.h
  codec/special_bindings.h
  eval/evaluator.h
  eval/fold.h
  eval/least_steps.h
  eval/ops/custom_calls.h
  eval/ops/element_function.h
  eval/ops/eval_options.h
  eval/ops/eval_product.h
  eval/ops/eval_util.h
  eval/ops/evaluation.h
  eval/ops/evaluation_functions.h
  eval/ops/interpreter.h
  eval/ops/memory.h
  eval/ops/window_positions.h
  eval/values/complex_functions.h
  eval/values/evaluations.def
  eval/values/npy.h
  eval/values/random_literal.h
  eval/values/scalar.h
  eval/values/scalar_functions.h
  eval/values/value.h
  hlo_proto/computation_reader.h
  hlo_proto/inline_literals.h
  hlo_proto/instruction_encoder.h
  hlo_proto/module_file.h
  hlo_proto/module_reader.h
  hlo_proto/module_scanner.h
  hlo_proto/module_serializer.h
  hlo_proto/module_writer.h
  hlo_proto/wrapped_module.h
  ir/final_names.h
  ir/ids.h
  ir/instruction_ids.h
  ir/missing_values.h
  ir/module.h
  ir/module_data.h
  ir/pools.h
  ir/report.h
  ir/shape_table.h
  ir/text_positions.h
  passes/check/infer_and_verify.h
  passes/check/infer_shapes.h
  passes/check/node_checker.h
  passes/check/node_inputs.h
  passes/check/verify_module.h
  passes/check/verify_shapes.h
  passes/export/expand_broadcasts.h
  passes/export/expanded_writer.h
  passes/export/expansion.h
  passes/export/export.h
  passes/export/instruction_emitter.h
  passes/export/lay_out.h
  passes/export/node_expander.h
  passes/export/write_plan.h
  passes/export/xla_spelling.h
  passes/sizes/called_checks.h
  passes/sizes/check_writer.h
  passes/sizes/conditions.h
  passes/sizes/fold_known_sizes.h
  passes/sizes/refine.h
  passes/sizes/run_time_checks.h
  passes/sizes/symbol_notes.h
  shape/broadcast/broadcast.h
  shape/broadcast/broadcast_internal.h
  shape/broadcast/broadcastable.h
  shape/dims/checked_math.h
  shape/dims/dim.h
  shape/dims/dim_expr.h
  shape/dims/dim_expr_internal.h
  shape/dims/dim_math.h
  shape/fixes/contraction_fixes.h
  shape/fixes/fix.h
  shape/fixes/fix_candidates.h
  shape/fixes/owned_inputs.h
  shape/infer/builder_forms.h
  shape/infer/check_constraint.h
  shape/infer/constraint_checker.h
  shape/infer/dim_condition.h
  shape/infer/infer.h
  shape/infer/infer_components.h
  shape/infer/infer_sizes.h
  shape/infer/infer_util.h
  shape/infer/reducer.h
  shape/infer/shape_functions.h
  shape/infer/warnings.def
  shape/infer/warnings.h
  shape/infer/window.h
  shape/ops/attribute_members.def
  shape/ops/attribute_words.h
  shape/ops/attributes.h
  shape/ops/constraint.h
  shape/ops/declare.h
  shape/ops/declare_attributes.h
  shape/ops/opcode.h
  shape/ops/ops.def
  shape/ops/replica_groups.h
  shape/rules/diagnostic.h
  shape/rules/rules.def
  shape/types/element_type.h
  shape/types/element_types.def
  shape/types/for_each_dim.h
  shape/types/layout.h
  shape/types/layout_reader.h
  shape/types/shape.h
  shape/types/shape_lexer.h
  shape/types/suggest.h
  storage/byte_hash.h
  storage/byte_pieces.h
  storage/byte_pool.h
  storage/checksum.h
  storage/column.h
  storage/external_files.h
  storage/file.h
  storage/float_format.h
  storage/float_text.h
  storage/id_index.h
  storage/intern_index.h
  storage/literal_bytes.h
  storage/memo.h
  storage/memory.h
  storage/sole_owner.h
  storage/system_file.h
  structure/checks.h
  structure/group_form.h
  structure/mesh.h
  structure/sharding_form.h
  structure/structure.h
  text/attributes/attribute_table.h
  text/attributes/attribute_text.def
  text/attributes/attribute_text.h
  text/attributes/attribute_values.h
  text/attributes/literal_reader.h
  text/attributes/literal_scan.h
  text/attributes/mesh_text.h
  text/attributes/metadata_text.h
  text/attributes/named_sharding_text.h
  text/attributes/sharding_text.h
  text/attributes/tile_assignment.h
  text/base/braced_members.h
  text/base/char_lanes.h
  text/base/copy_text.h
  text/base/escaped_text.h
  text/base/json_text.h
  text/base/lexer.h
  text/base/line_counter.h
  text/base/name_uniquer.h
  text/base/old_names.h
  text/base/print_options.h
  text/base/scalar_text.h
  text/base/shape_text.h
  text/base/text_buffer.h
  text/base/text_colors.h
  text/base/text_errors.h
  text/parse/hlo_header.h
  text/parse/hlo_op_rules.h
  text/parse/hlo_parser.h
  text/parse/line_cache.h
  text/parse/parse_hlo_text.h
  text/parse/shape_cache.h
  text/print/frame_table.h
  text/print/hlo_printer.h
  text/print/module_header.h
  text/print/print_hlo_text.h
  text/print/print_order.h
  text/print/printed_metadata.h
  text/print/printed_names.h
  text/print/printed_shape.h
  text/print/symbol_facts.h
  wire/attribute_bytes.h
  wire/canonical.h
  wire/field_index.h
  wire/field_list.h
  wire/field_numbers.h
  wire/printable.h
  wire/wire.h
  wire/wire_buffer.h
  wire/wire_check.h
  wire/wire_fields.h
  wire/wire_messages.def
  wire/wire_scalar.h
  wire/wire_table.h
)

# The schema that protoc reads; only the command and tests use it.
set(INDIM_PROTOS
  proto/hlo.proto
  proto/hlo_config.proto
  proto/metrics.proto
  proto/xla_data.proto
)

# The command, beside the library: the file with main, and the others.
set(INDIM_COMMAND_MAIN
  tools/indim_main.cc
)

set(INDIM_COMMAND_SOURCES
  hlo_proto/proto_text.cc
  shape/ops/constraint_text.cc
  shape/ops/docs.cc
  shape/types/version.cc
  text/parse/module_format.cc
  tools/arguments.cc
  tools/check_command.cc
  tools/compare_values.cc
  tools/eval_command.cc
  tools/explain/explain.cc
  tools/explain/explain_broadcast.cc
  tools/explain/explain_call.cc
  tools/explain/explain_call_module.cc
  tools/explain/explain_diagnostics.cc
  tools/explain/explain_names.cc
  tools/explain/explain_node.cc
  tools/explain/explain_op.cc
  tools/explain/explain_question.cc
  tools/explain/explain_steps.cc
  tools/explain/explain_svg.cc
  tools/explain/explain_values.cc
  tools/explain/explain_values_text.cc
  tools/explain/explain_verify.cc
  tools/explain/explain_words.cc
  tools/explain/question_shape.cc
  tools/explain_command.cc
  tools/formats.cc
  tools/instruction_matcher.cc
  tools/module_commands.cc
  tools/module_diff.cc
  tools/output/diagnostic_json.cc
  tools/output/json_writer.cc
  tools/output/svg_canvas.cc
  tools/output/text_table.cc
  tools/query/case_fields.cc
  tools/query/case_reader.cc
  tools/query/hlo_spelling.cc
  tools/query/infer_case.cc
  tools/query/onnx_case.cc
  tools/query/query.cc
  tools/query/question_fields.cc
  tools/query_command.cc
  tools/return_types.cc
  tools/return_types_command.cc
  tools/settings.cc
  tools/shape_changes.cc
  tools/text_commands.cc
)

set(INDIM_COMMAND_HEADERS
  hlo_proto/proto_text.h
  shape/ops/constraint_text.h
  shape/ops/docs.h
  shape/ops/op_docs.def
  shape/rules/rule_docs.def
  shape/types/version.h
  text/parse/module_format.h
  tools/arguments.h
  tools/commands.h
  tools/compare_values.h
  tools/explain/explain.h
  tools/explain/explain_call.h
  tools/explain/explain_call_module.h
  tools/explain/explain_node.h
  tools/explain/explain_parts.h
  tools/explain/explain_question.h
  tools/explain/explain_svg.h
  tools/explain/explain_values.h
  tools/explain/question_shape.h
  tools/explain_command.h
  tools/formats.h
  tools/instruction_matcher.h
  tools/module_diff.h
  tools/output/diagnostic_json.h
  tools/output/json_writer.h
  tools/output/svg_canvas.h
  tools/output/text_table.h
  tools/query/case_fields.h
  tools/query/case_reader.h
  tools/query/hlo_spelling.h
  tools/query/infer_case.h
  tools/query/onnx_case.h
  tools/query/query.h
  tools/query/question_fields.h
  tools/return_types.h
  tools/settings.h
  tools/shape_changes.h
)

# Code that tests share.
set(INDIM_TESTING_SOURCES
  tests/codec/attribute_bytes_samples.cc
  tests/codec/attribute_samples.cc
  tests/hlo_proto/module_bytes.cc
  tests/oracle_cases.cc
  tests/page.cc
  tests/proof/documents.cc
  tests/proof/plan_conditions.cc
  tests/proof/questions.cc
  tests/proof/small_shapes.cc
  tests/proof/tally.cc
  tests/shape/infer/attribute_fitter.cc
  tests/shape/infer/attribute_fitter_calls.cc
  tests/shape/infer/declared_inputs.cc
  tests/shape/infer/infer_testing.cc
  tests/wire/wire_oracle.cc
)

set(INDIM_TESTING_HEADERS
  tests/allocation_counter.h
  tests/codec/attribute_bytes_samples.h
  tests/codec/attribute_samples.h
  tests/hlo_proto/module_bytes.h
  tests/ir/module_maker.h
  tests/oracle_cases.h
  tests/page.h
  tests/proof/documents.h
  tests/proof/plan_conditions.h
  tests/proof/questions.h
  tests/proof/small_shapes.h
  tests/proof/tally.h
  tests/sample.h
  tests/shape/broadcast/broadcast_testing.h
  tests/shape/infer/attribute_fitter.h
  tests/shape/infer/declared_inputs.h
  tests/shape/infer/infer_cases.h
  tests/shape/infer/infer_testing.h
  tests/wire/wire_oracle.h
)

# The tests; behind ARGS, patterns of the files that a test takes as arguments.
function(indim_tests)
  indim_test(codec/attribute_wire_test tests/codec/attribute_wire_test.cc ARGS tests/data/jax/*.pb)
  indim_test(codec/literal_proto_test tests/codec/literal_proto_test.cc)
  indim_test(codec/literal_test tests/codec/literal_test.cc)
  indim_test(codec/shape_wire_test tests/codec/shape_wire_test.cc)
  indim_test(ir/module_test tests/ir/module_test.cc)
  indim_test(ir/pools_test tests/ir/pools_test.cc)
  indim_test(ir/report_test tests/ir/report_test.cc)
  indim_test(ir/shape_table_test tests/ir/shape_table_test.cc)
  indim_test(shape/broadcast/broadcast_oracle_test tests/shape/broadcast/broadcast_oracle_test.cc)
  indim_test(shape/broadcast/broadcast_property_test tests/shape/broadcast/broadcast_property_test.cc)
  indim_test(shape/broadcast/broadcast_test tests/shape/broadcast/broadcast_test.cc)
  indim_test(shape/broadcast/broadcast_xla_test tests/shape/broadcast/broadcast_xla_test.cc)
  indim_test(shape/broadcast/broadcastable_page_test tests/shape/broadcast/broadcastable_page_test.cc)
  indim_test(shape/broadcast/broadcastable_test tests/shape/broadcast/broadcastable_test.cc)
  indim_test(shape/dims/dim_expr_identities_test tests/shape/dims/dim_expr_identities_test.cc)
  indim_test(shape/dims/dim_expr_test tests/shape/dims/dim_expr_test.cc)
  indim_test(shape/dims/dim_math_test tests/shape/dims/dim_math_test.cc)
  indim_test(shape/dims/dim_test tests/shape/dims/dim_test.cc)
  indim_test(shape/infer/builder_forms_test tests/shape/infer/builder_forms_test.cc)
  indim_test(shape/infer/dim_condition_test tests/shape/infer/dim_condition_test.cc)
  indim_test(shape/infer/infer_async_test tests/shape/infer/infer_async_test.cc)
  indim_test(shape/infer/infer_calls_test tests/shape/infer/infer_calls_test.cc)
  indim_test(shape/infer/infer_collective_test tests/shape/infer/infer_collective_test.cc)
  indim_test(shape/infer/infer_dot_test tests/shape/infer/infer_dot_test.cc)
  indim_test(shape/infer/infer_dynamic_test tests/shape/infer/infer_dynamic_test.cc)
  indim_test(shape/infer/infer_elementwise_test tests/shape/infer/infer_elementwise_test.cc)
  indim_test(shape/infer/infer_gather_test tests/shape/infer/infer_gather_test.cc)
  indim_test(shape/infer/infer_linalg_test tests/shape/infer/infer_linalg_test.cc)
  indim_test(shape/infer/infer_movement_test tests/shape/infer/infer_movement_test.cc)
  indim_test(shape/infer/infer_reduce_test tests/shape/infer/infer_reduce_test.cc)
  indim_test(shape/infer/infer_scan_test tests/shape/infer/infer_scan_test.cc)
  indim_test(shape/infer/infer_sort_test tests/shape/infer/infer_sort_test.cc)
  indim_test(shape/infer/infer_soundness_test tests/shape/infer/infer_soundness_test.cc)
  indim_test(shape/infer/infer_window_test tests/shape/infer/infer_window_test.cc)
  indim_test(shape/infer/symbolic_soundness_test tests/shape/infer/symbolic_soundness_test.cc)
  indim_test(shape/infer/verify_node_test tests/shape/infer/verify_node_test.cc)
  indim_test(shape/infer/xla_oracle_test tests/shape/infer/xla_oracle_test.cc)
  indim_test(shape/ops/constraint_test tests/shape/ops/constraint_test.cc)
  indim_test(shape/ops/opcode_test tests/shape/ops/opcode_test.cc)
  indim_test(shape/rules/diagnostic_test tests/shape/rules/diagnostic_test.cc)
  indim_test(shape/types/element_type_test tests/shape/types/element_type_test.cc)
  indim_test(shape/types/shape_test tests/shape/types/shape_test.cc)
  indim_test(shape/types/shape_text_test tests/shape/types/shape_text_test.cc)
  indim_test(shape/types/suggest_test tests/shape/types/suggest_test.cc)
  indim_test(storage/byte_pieces_test tests/storage/byte_pieces_test.cc)
  indim_test(storage/byte_pool_test tests/storage/byte_pool_test.cc)
  indim_test(storage/checksum_test tests/storage/checksum_test.cc)
  indim_test(storage/column_test tests/storage/column_test.cc)
  indim_test(storage/file_test tests/storage/file_test.cc)
  indim_test(storage/float_format_test tests/storage/float_format_test.cc ARGS tests/data/ir/small_floats.txt)
  indim_test(storage/index_test tests/storage/index_test.cc)
  indim_test(storage/memo_test tests/storage/memo_test.cc)
  indim_test(wire/attribute_bytes_test tests/wire/attribute_bytes_test.cc)
  indim_test(wire/canonical_memory_test tests/wire/canonical_memory_test.cc)
  indim_test(wire/canonical_test tests/wire/canonical_test.cc ARGS tests/data/jax/*.pb)
  indim_test(wire/printable_test tests/wire/printable_test.cc)
  indim_test(wire/wire_buffer_test tests/wire/wire_buffer_test.cc)
  indim_test(wire/wire_lookup_test tests/wire/wire_lookup_test.cc)
  indim_test(wire/wire_table_test tests/wire/wire_table_test.cc)
  indim_test(wire/wire_test tests/wire/wire_test.cc)
endfunction()
