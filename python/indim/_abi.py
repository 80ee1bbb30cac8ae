"""The C interface as ctypes sees it: made from capi/include/indim_c by python/make_abi.py; don't edit it."""

from ctypes import Structure, c_double, c_int32, c_int64, c_size_t, c_uint8, c_uint16, c_uint64, c_void_p
from typing import Any

OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16
SEVERITY_ERROR = 0
SEVERITY_WARNING = 1
LANGUAGE_CPP = 0
LANGUAGE_PYTHON = 1
SHAPE_NONE = 0
SHAPE_ARRAY = 1
SHAPE_TUPLE = 2
SHAPE_TOKEN = 3
SHAPE_OPAQUE = 4
SHAPE_BUFFER = 5
DIM_STATIC = 0
DIM_BOUNDED = 1
DIM_UNKNOWN = 2
DIM_INTERVAL = 3
DIM_SYMBOLIC = 4
ATTRIBUTES_TEXT = 0
ATTRIBUTES_PROTO = 1
BROADCAST_XLA = 0
BROADCAST_NONE = 1
BROADCAST_NUMPY = 2
BROADCAST_PDPD = 3
BROADCAST_BIDIRECTIONAL = 4
CAPTURE_NONE = 0
CAPTURE_PARAMETERS = 1
CAPTURE_SCALAR_PARAMETERS = 2
CAPTURE_TUPLE = 3
FORMAT_AUTO = 0
FORMAT_PROTO = 1
FORMAT_PROTO_TEXT = 2
FORMAT_HLO_TEXT = 3
FORMAT_STABLEHLO = 4
FORMAT_STABLEHLO_ARTIFACT = 5


class indim_text(Structure):
    data: int | None
    size: int
    _fields_ = [
        ("data", c_void_p),
        ("size", c_size_t),
    ]


class indim_diagnostic(Structure):
    struct_size: int
    code: int
    severity: int
    operand: int
    dim: int
    other_operand: int
    other_dim: int
    computation: int
    instruction: int
    line: int
    text_line: int
    text_column: int
    file: indim_text
    text_file: indim_text
    code_text: indim_text
    slug: indim_text
    message: indim_text
    fix: indim_text
    text: indim_text
    fix_dimensions: int | None
    fix_dimensions_count: int
    _fields_ = [
        ("struct_size", c_size_t),
        ("code", c_int32),
        ("severity", c_int32),
        ("operand", c_int64),
        ("dim", c_int64),
        ("other_operand", c_int64),
        ("other_dim", c_int64),
        ("computation", c_int64),
        ("instruction", c_int64),
        ("line", c_int64),
        ("text_line", c_int64),
        ("text_column", c_int64),
        ("file", indim_text),
        ("text_file", indim_text),
        ("code_text", indim_text),
        ("slug", indim_text),
        ("message", indim_text),
        ("fix", indim_text),
        ("text", indim_text),
        ("fix_dimensions", c_void_p),
        ("fix_dimensions_count", c_size_t),
    ]


class indim_refusal(Structure):
    struct_size: int
    status: int
    operand: int
    dim: int
    line: int
    file: indim_text
    code: indim_text
    what: indim_text
    fix: indim_text
    arguments: int | None
    argument_count: int
    _fields_ = [
        ("struct_size", c_size_t),
        ("status", c_int32),
        ("operand", c_int32),
        ("dim", c_int64),
        ("line", c_int64),
        ("file", indim_text),
        ("code", indim_text),
        ("what", indim_text),
        ("fix", indim_text),
        ("arguments", c_void_p),
        ("argument_count", c_size_t),
    ]


class indim_attributes(Structure):
    struct_size: int
    form: int
    broadcast_rule: int
    text: int | None
    text_size: int
    dimensions: int | None
    dimensions_count: int
    broadcast_dimensions: int | None
    broadcast_dimensions_count: int
    broadcast_axis: int
    _fields_ = [
        ("struct_size", c_size_t),
        ("form", c_int32),
        ("broadcast_rule", c_int32),
        ("text", c_void_p),
        ("text_size", c_size_t),
        ("dimensions", c_void_p),
        ("dimensions_count", c_size_t),
        ("broadcast_dimensions", c_void_p),
        ("broadcast_dimensions_count", c_size_t),
        ("broadcast_axis", c_int64),
    ]


class indim_signature(Structure):
    parameters: int | None
    parameter_count: int
    result: int | None
    _fields_ = [
        ("parameters", c_void_p),
        ("parameter_count", c_size_t),
        ("result", c_void_p),
    ]


class indim_broadcast_options(Structure):
    struct_size: int
    rule: int
    dimensions: int | None
    dimensions_count: int
    axis: int
    _fields_ = [
        ("struct_size", c_size_t),
        ("rule", c_int32),
        ("dimensions", c_void_p),
        ("dimensions_count", c_size_t),
        ("axis", c_int64),
    ]


class indim_builder_options(Structure):
    struct_size: int
    collect_errors: int
    strict_types: int
    omit_locations: int
    _fields_ = [
        ("struct_size", c_size_t),
        ("collect_errors", c_int32),
        ("strict_types", c_int32),
        ("omit_locations", c_int32),
    ]


class indim_op(Structure):
    struct_size: int
    opcode: int
    reserved: int
    name: int | None
    name_size: int
    operands: int | None
    operand_count: int
    attributes: int | None
    result: int | None
    callees: int | None
    callee_count: int
    location: int
    _fields_ = [
        ("struct_size", c_size_t),
        ("opcode", c_int32),
        ("reserved", c_int32),
        ("name", c_void_p),
        ("name_size", c_size_t),
        ("operands", c_void_p),
        ("operand_count", c_size_t),
        ("attributes", c_void_p),
        ("result", c_void_p),
        ("callees", c_void_p),
        ("callee_count", c_size_t),
        ("location", c_int64),
    ]


class indim_build_options(Structure):
    struct_size: int
    post_order: int
    reserved: int
    replicas: int
    partitions: int
    aliases: int | None
    alias_count: int
    _fields_ = [
        ("struct_size", c_size_t),
        ("post_order", c_int32),
        ("reserved", c_int32),
        ("replicas", c_int64),
        ("partitions", c_int64),
        ("aliases", c_void_p),
        ("alias_count", c_size_t),
    ]


class indim_read_options(Structure):
    struct_size: int
    format: int
    allow_elided_constants: int
    symbols: int
    reserved: int
    name: int | None
    name_size: int
    _fields_ = [
        ("struct_size", c_size_t),
        ("format", c_int32),
        ("allow_elided_constants", c_int32),
        ("symbols", c_int32),
        ("reserved", c_int32),
        ("name", c_void_p),
        ("name_size", c_size_t),
    ]


class indim_write_options(Structure):
    struct_size: int
    format: int
    for_xla: int
    omit_checks: int
    generic: int
    locations: int
    elide_constants: int
    release: int | None
    release_size: int
    _fields_ = [
        ("struct_size", c_size_t),
        ("format", c_int32),
        ("for_xla", c_int32),
        ("omit_checks", c_int32),
        ("generic", c_int32),
        ("locations", c_int32),
        ("elide_constants", c_int32),
        ("release", c_void_p),
        ("release_size", c_size_t),
    ]


class indim_check_options(Structure):
    struct_size: int
    max_per_code: int
    _fields_ = [
        ("struct_size", c_size_t),
        ("max_per_code", c_int64),
    ]


class indim_infer_options(Structure):
    struct_size: int
    drop: int
    only_missing: int
    _fields_ = [
        ("struct_size", c_size_t),
        ("drop", c_int32),
        ("only_missing", c_int32),
    ]


class indim_columns_view(Structure):
    struct_size: int
    computation_count: int
    instruction_count: int
    entry: int
    computation_first: int | None
    computation_root: int | None
    opcode: int | None
    id: int | None
    shape: int | None
    operand_first: int | None
    operand: int | None
    callee_first: int | None
    callee: int | None
    name_first: int | None
    names: int | None
    computation_name_first: int | None
    computation_names: int | None
    shape_count: int
    _fields_ = [
        ("struct_size", c_size_t),
        ("computation_count", c_int64),
        ("instruction_count", c_int64),
        ("entry", c_int64),
        ("computation_first", c_void_p),
        ("computation_root", c_void_p),
        ("opcode", c_void_p),
        ("id", c_void_p),
        ("shape", c_void_p),
        ("operand_first", c_void_p),
        ("operand", c_void_p),
        ("callee_first", c_void_p),
        ("callee", c_void_p),
        ("name_first", c_void_p),
        ("names", c_void_p),
        ("computation_name_first", c_void_p),
        ("computation_names", c_void_p),
        ("shape_count", c_int64),
    ]


class indim_dlpack(Structure):
    data: int | None
    device_type: int
    device_id: int
    rank: int
    type_code: int
    type_bits: int
    type_lanes: int
    sizes: int | None
    strides: int | None
    byte_offset: int
    context: int | None
    deleter: int | None
    _fields_ = [
        ("data", c_void_p),
        ("device_type", c_int32),
        ("device_id", c_int32),
        ("rank", c_int32),
        ("type_code", c_uint8),
        ("type_bits", c_uint8),
        ("type_lanes", c_uint16),
        ("sizes", c_void_p),
        ("strides", c_void_p),
        ("byte_offset", c_uint64),
        ("context", c_void_p),
        ("deleter", c_void_p),
    ]


class indim_eval_options(Structure):
    struct_size: int
    max_steps: int
    max_bytes: int
    _fields_ = [
        ("struct_size", c_size_t),
        ("max_steps", c_int64),
        ("max_bytes", c_int64),
    ]


class indim_compile_options(Structure):
    struct_size: int
    replicas: int
    partitions: int
    flags: int | None
    flag_count: int
    _fields_ = [
        ("struct_size", c_size_t),
        ("replicas", c_int64),
        ("partitions", c_int64),
        ("flags", c_void_p),
        ("flag_count", c_size_t),
    ]


class indim_extract_options(Structure):
    struct_size: int
    inputs: int | None
    input_count: int
    keep_parameters: int
    _fields_ = [
        ("struct_size", c_size_t),
        ("inputs", c_void_p),
        ("input_count", c_size_t),
        ("keep_parameters", c_int32),
    ]


class indim_reduce_options(Structure):
    struct_size: int
    fails: int | None
    context: int | None
    max_tests: int
    _fields_ = [
        ("struct_size", c_size_t),
        ("fails", c_void_p),
        ("context", c_void_p),
        ("max_tests", c_int64),
    ]


# Name, result, arguments.
FUNCTIONS: list[tuple[str, Any, list[Any]]] = [
    ("indim_version", c_void_p, [c_void_p]),
    ("indim_error_release", None, [c_void_p]),
    ("indim_error_status", c_int32, [c_void_p]),
    ("indim_error_message", c_void_p, [c_void_p, c_void_p]),
    ("indim_error_diagnostics", c_void_p, [c_void_p]),
    ("indim_diagnostics_release", None, [c_void_p]),
    ("indim_diagnostics_count", c_size_t, [c_void_p]),
    ("indim_diagnostics_error_count", c_size_t, [c_void_p]),
    ("indim_diagnostics_get", c_void_p, [c_void_p, c_size_t, c_void_p]),
    ("indim_set_language", None, [c_int32]),
    ("indim_refuse", c_void_p, [c_void_p]),
    ("indim_bytes_release", None, [c_void_p]),
    ("indim_bytes_data", c_void_p, [c_void_p, c_void_p]),
    ("indim_element_type_from_name", c_int32, [c_void_p, c_size_t]),
    ("indim_element_type_name", c_void_p, [c_int32, c_void_p]),
    ("indim_element_type_bytes", c_int32, [c_int32]),
    ("indim_opcode_from_name", c_int32, [c_void_p, c_size_t]),
    ("indim_opcode_name", c_void_p, [c_int32, c_void_p]),
    ("indim_op_table_json", c_void_p, [c_void_p]),
    ("indim_code_table_json", c_void_p, [c_void_p]),
    ("indim_shape_parse", c_void_p, [c_void_p, c_size_t, c_void_p]),
    ("indim_shape_array", c_void_p, [c_int32, c_void_p, c_void_p, c_size_t, c_void_p]),
    ("indim_shape_tuple", c_void_p, [c_void_p, c_size_t, c_void_p]),
    ("indim_shape_release", None, [c_void_p]),
    ("indim_shape_kind_of", c_int32, [c_void_p]),
    ("indim_shape_element_type", c_int32, [c_void_p]),
    ("indim_shape_rank", c_int64, [c_void_p]),
    ("indim_shape_dims", c_int64, [c_void_p, c_void_p, c_void_p, c_size_t]),
    ("indim_shape_minor_to_major", c_int64, [c_void_p, c_void_p, c_size_t]),
    ("indim_shape_element_count", c_size_t, [c_void_p]),
    ("indim_shape_element", c_void_p, [c_void_p, c_size_t, c_void_p]),
    ("indim_shape_text", c_void_p, [c_void_p, c_void_p]),
    ("indim_shape_equal", c_int32, [c_void_p, c_void_p]),
    ("indim_infer", c_void_p, [c_void_p, c_size_t, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p]),
    ("indim_broadcast", c_void_p, [c_void_p, c_void_p, c_size_t, c_void_p]),
    ("indim_broadcast_to", c_void_p, [c_void_p, c_void_p, c_void_p, c_void_p]),
    ("indim_plan_release", None, [c_void_p]),
    ("indim_plan_dims", c_int64, [c_void_p, c_void_p, c_void_p, c_size_t]),
    ("indim_plan_places", c_int64, [c_void_p, c_size_t, c_void_p, c_size_t]),
    ("indim_plan_condition_count", c_size_t, [c_void_p]),
    ("indim_plan_condition", c_void_p, [c_void_p, c_size_t, c_void_p]),
    ("indim_query_json", c_void_p, [c_void_p, c_size_t, c_void_p]),
    ("indim_explain", c_void_p, [c_void_p, c_size_t, c_void_p]),
    ("indim_builder_create", c_void_p, [c_void_p, c_size_t, c_void_p, c_void_p]),
    ("indim_builder_sub", c_void_p, [c_void_p, c_void_p, c_size_t, c_void_p]),
    ("indim_builder_release", None, [c_void_p]),
    ("indim_builder_file", c_void_p, [c_void_p, c_void_p, c_size_t, c_void_p]),
    ("indim_next_value", c_int64, [c_void_p]),
    ("indim_parameter", c_void_p, [c_void_p, c_int64, c_void_p, c_void_p, c_size_t, c_int64, c_void_p]),
    ("indim_constant", c_void_p, [c_void_p, c_void_p, c_int64, c_void_p]),
    ("indim_constant_array", c_void_p, [c_void_p, c_int32, c_void_p, c_size_t, c_void_p, c_size_t, c_int64, c_void_p]),
    ("indim_constant_double", c_void_p, [c_void_p, c_int32, c_double, c_int64, c_void_p]),
    ("indim_constant_int64", c_void_p, [c_void_p, c_int32, c_int64, c_int64, c_void_p]),
    ("indim_add", c_void_p, [c_void_p, c_void_p, c_void_p]),
    ("indim_add_many", c_void_p, [c_void_p, c_void_p, c_size_t, c_void_p, c_void_p]),
    ("indim_add_unary", c_void_p, [c_void_p, c_int32, c_int64, c_int64, c_void_p]),
    ("indim_add_binary", c_void_p, [c_void_p, c_int32, c_int64, c_int64, c_int32, c_int64, c_void_p]),
    ("indim_inline", c_void_p, [c_void_p, c_void_p, c_void_p, c_size_t, c_int64, c_void_p]),
    ("indim_composite", c_void_p, [c_void_p, c_void_p, c_size_t, c_void_p, c_size_t, c_void_p, c_size_t, c_int64, c_void_p, c_size_t, c_void_p]),
    ("indim_composite_table_json", c_void_p, [c_void_p]),
    ("indim_build_callee", c_void_p, [c_void_p, c_int64, c_void_p]),
    ("indim_module_callee", c_void_p, [c_void_p, c_void_p]),
    ("indim_callee_release", None, [c_void_p]),
    ("indim_begin_region", c_void_p, [c_void_p, c_void_p, c_size_t, c_void_p, c_size_t, c_int32, c_int64, c_void_p, c_void_p]),
    ("indim_end_region", c_void_p, [c_void_p, c_void_p, c_void_p, c_size_t, c_int64]),
    ("indim_drop_region", c_void_p, [c_void_p, c_void_p]),
    ("indim_region_release", None, [c_void_p]),
    ("indim_add_regions", c_void_p, [c_void_p, c_void_p, c_void_p, c_size_t, c_void_p, c_size_t, c_void_p]),
    ("indim_set_name", c_void_p, [c_void_p, c_int64, c_void_p, c_size_t]),
    ("indim_set_frontend_attribute", c_void_p, [c_void_p, c_int64, c_void_p, c_size_t, c_void_p, c_size_t]),
    ("indim_set_backend_config", c_void_p, [c_void_p, c_int64, c_void_p, c_size_t]),
    ("indim_add_control_dependency", c_void_p, [c_void_p, c_int64, c_int64]),
    ("indim_set_op_name", c_void_p, [c_void_p, c_void_p, c_size_t]),
    ("indim_set_op_type", c_void_p, [c_void_p, c_void_p, c_size_t]),
    ("indim_set_sharding", c_void_p, [c_void_p, c_void_p, c_size_t]),
    ("indim_value_shape", c_void_p, [c_void_p, c_int64, c_void_p]),
    ("indim_value_opcode", c_int32, [c_void_p, c_int64]),
    ("indim_value_dims", c_int64, [c_void_p, c_int64, c_void_p, c_void_p, c_void_p, c_size_t]),
    ("indim_value_literal", c_void_p, [c_void_p, c_int64, c_void_p]),
    ("indim_builder_diagnostics", c_void_p, [c_void_p, c_void_p]),
    ("indim_build", c_void_p, [c_void_p, c_int64, c_void_p, c_void_p, c_void_p]),
    ("indim_module_release", None, [c_void_p]),
    ("indim_module_read", c_void_p, [c_void_p, c_size_t, c_void_p, c_void_p]),
    ("indim_module_read_file", c_void_p, [c_void_p, c_size_t, c_void_p, c_void_p]),
    ("indim_module_write", c_void_p, [c_void_p, c_void_p, c_void_p]),
    ("indim_module_write_file", c_void_p, [c_void_p, c_void_p, c_size_t, c_void_p]),
    ("indim_module_check", c_void_p, [c_void_p, c_void_p, c_void_p]),
    ("indim_module_check_json", c_void_p, [c_void_p, c_void_p, c_size_t, c_void_p, c_void_p]),
    ("indim_module_infer", c_void_p, [c_void_p, c_void_p, c_void_p]),
    ("indim_module_refine", c_void_p, [c_void_p, c_void_p, c_size_t, c_void_p]),
    ("indim_module_expand", c_void_p, [c_void_p, c_void_p]),
    ("indim_module_diff", c_void_p, [c_void_p, c_void_p, c_void_p]),
    ("indim_module_name", c_void_p, [c_void_p, c_void_p]),
    ("indim_module_instruction_count", c_int64, [c_void_p]),
    ("indim_module_computation_count", c_int64, [c_void_p]),
    ("indim_module_is_recorded", c_int32, [c_void_p]),
    ("indim_module_columns", c_void_p, [c_void_p, c_void_p]),
    ("indim_columns_release", None, [c_void_p]),
    ("indim_columns_get", c_void_p, [c_void_p, c_void_p]),
    ("indim_columns_shape", c_void_p, [c_void_p, c_int32, c_void_p]),
    ("indim_columns_shape_text", c_void_p, [c_void_p, c_int32, c_void_p]),
    ("indim_instruction_shape", c_void_p, [c_void_p, c_int64, c_void_p]),
    ("indim_instruction_text", c_void_p, [c_void_p, c_int64, c_void_p]),
    ("indim_instruction_attributes", c_void_p, [c_void_p, c_int64, c_void_p]),
    ("indim_instruction_literal", c_void_p, [c_void_p, c_int64, c_void_p]),
    ("indim_instruction_metadata", c_void_p, [c_void_p, c_int64, c_void_p]),
    ("indim_instruction_location", c_void_p, [c_void_p, c_int64, c_void_p, c_void_p]),
    ("indim_command", c_int32, [c_void_p, c_size_t]),
    ("indim_literal_array", c_void_p, [c_int32, c_void_p, c_size_t, c_void_p, c_size_t, c_void_p]),
    ("indim_literal_doubles", c_void_p, [c_int32, c_void_p, c_size_t, c_void_p, c_size_t, c_void_p]),
    ("indim_literal_splat", c_void_p, [c_int32, c_void_p, c_size_t, c_double, c_void_p]),
    ("indim_literal_tuple", c_void_p, [c_void_p, c_size_t, c_void_p]),
    ("indim_literal_release", None, [c_void_p]),
    ("indim_literal_shape", c_void_p, [c_void_p, c_void_p]),
    ("indim_literal_data", c_void_p, [c_void_p, c_void_p, c_void_p]),
    ("indim_literal_element_count", c_size_t, [c_void_p]),
    ("indim_literal_element", c_void_p, [c_void_p, c_size_t, c_void_p]),
    ("indim_literal_text", c_void_p, [c_void_p, c_int64, c_void_p]),
    ("indim_literal_equal", c_int32, [c_void_p, c_void_p]),
    ("indim_literal_to_dlpack", c_void_p, [c_void_p, c_void_p]),
    ("indim_literal_from_dlpack", c_void_p, [c_void_p, c_void_p]),
    ("indim_evaluate", c_void_p, [c_void_p, c_void_p, c_size_t, c_void_p, c_void_p]),
    ("indim_client_create", c_void_p, [c_void_p, c_size_t, c_void_p, c_size_t, c_void_p]),
    ("indim_client_release", None, [c_void_p]),
    ("indim_client_platform", c_void_p, [c_void_p, c_void_p]),
    ("indim_client_device_count", c_size_t, [c_void_p]),
    ("indim_compile", c_void_p, [c_void_p, c_void_p, c_void_p, c_void_p]),
    ("indim_executable_release", None, [c_void_p]),
    ("indim_run", c_void_p, [c_void_p, c_void_p, c_size_t, c_void_p]),
    ("indim_execute", c_void_p, [c_void_p, c_void_p, c_size_t, c_void_p, c_size_t, c_void_p]),
    ("indim_executable_input_count", c_size_t, [c_void_p]),
    ("indim_executable_output_count", c_size_t, [c_void_p]),
    ("indim_buffer_from_literal", c_void_p, [c_void_p, c_void_p, c_int64, c_void_p]),
    ("indim_buffer_to_literal", c_void_p, [c_void_p, c_void_p]),
    ("indim_buffer_from_dlpack", c_void_p, [c_void_p, c_void_p, c_void_p]),
    ("indim_buffer_to_dlpack", c_void_p, [c_void_p, c_void_p]),
    ("indim_buffer_release", None, [c_void_p]),
    ("indim_editor_create", c_void_p, [c_void_p, c_void_p]),
    ("indim_editor_release", None, [c_void_p]),
    ("indim_editor_find", c_void_p, [c_void_p, c_void_p, c_size_t, c_void_p]),
    ("indim_editor_root", c_void_p, [c_void_p, c_int64, c_void_p]),
    ("indim_editor_operands", c_void_p, [c_void_p, c_int64, c_void_p, c_size_t, c_void_p]),
    ("indim_editor_users", c_void_p, [c_void_p, c_int64, c_void_p, c_size_t, c_void_p]),
    ("indim_editor_shape", c_void_p, [c_void_p, c_int64, c_void_p]),
    ("indim_editor_callees", c_void_p, [c_void_p, c_int64, c_void_p, c_size_t, c_void_p]),
    ("indim_editor_find_computation", c_void_p, [c_void_p, c_void_p, c_size_t, c_void_p]),
    ("indim_editor_exists", c_int32, [c_void_p, c_int64]),
    ("indim_editor_insert_before", c_void_p, [c_void_p, c_int64, c_void_p]),
    ("indim_editor_insert_after", c_void_p, [c_void_p, c_int64, c_void_p]),
    ("indim_editor_use", c_void_p, [c_void_p, c_void_p, c_int64, c_void_p]),
    ("indim_editor_insert", c_void_p, [c_void_p, c_void_p, c_int64, c_void_p]),
    ("indim_editor_clone", c_void_p, [c_void_p, c_int64, c_void_p]),
    ("indim_editor_clone_computation", c_void_p, [c_void_p, c_int64, c_void_p, c_size_t, c_void_p]),
    ("indim_editor_set_operand", c_void_p, [c_void_p, c_int64, c_int64, c_int64]),
    ("indim_editor_set_operands", c_void_p, [c_void_p, c_int64, c_void_p, c_size_t]),
    ("indim_editor_set_attributes", c_void_p, [c_void_p, c_int64, c_void_p]),
    ("indim_editor_set_shape", c_void_p, [c_void_p, c_int64, c_void_p]),
    ("indim_editor_set_name", c_void_p, [c_void_p, c_int64, c_void_p, c_size_t]),
    ("indim_editor_set_sharding", c_void_p, [c_void_p, c_int64, c_void_p, c_size_t]),
    ("indim_editor_set_metadata", c_void_p, [c_void_p, c_int64, c_void_p, c_size_t]),
    ("indim_editor_set_frontend_attribute", c_void_p, [c_void_p, c_int64, c_void_p, c_size_t, c_void_p, c_size_t]),
    ("indim_editor_replace_all_uses", c_void_p, [c_void_p, c_int64, c_int64]),
    ("indim_editor_set_root", c_void_p, [c_void_p, c_int64, c_int64]),
    ("indim_editor_set_callee", c_void_p, [c_void_p, c_int64, c_int64, c_int64]),
    ("indim_editor_set_entry", c_void_p, [c_void_p, c_int64]),
    ("indim_editor_erase", c_void_p, [c_void_p, c_int64]),
    ("indim_editor_add_parameter", c_void_p, [c_void_p, c_int64, c_void_p, c_void_p, c_size_t, c_void_p]),
    ("indim_editor_remove_parameter", c_void_p, [c_void_p, c_int64, c_int64]),
    ("indim_editor_add_result", c_void_p, [c_void_p, c_int64, c_int64, c_void_p]),
    ("indim_editor_remove_result", c_void_p, [c_void_p, c_int64, c_int64]),
    ("indim_editor_inline_call", c_void_p, [c_void_p, c_int64, c_void_p]),
    ("indim_editor_outline", c_void_p, [c_void_p, c_void_p, c_size_t, c_void_p, c_size_t, c_void_p]),
    ("indim_editor_pass", c_void_p, [c_void_p, c_void_p, c_size_t, c_void_p]),
    ("indim_editor_extract", c_void_p, [c_void_p, c_void_p, c_size_t, c_void_p]),
    ("indim_editor_finish", c_void_p, [c_void_p, c_void_p, c_void_p]),
    ("indim_reduce", c_void_p, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p]),
]
