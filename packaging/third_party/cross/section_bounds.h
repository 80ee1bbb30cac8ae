// SPDX-License-Identifier: Apache-2.0
// Protobuf's bounds of its section pb_defaults, which the linker defines.
// Declared hidden before Protobuf declares them, they stay inside the library;
// otherwise zig's linker exports them, whatever the version script says.

#ifdef __cplusplus
extern "C" {
extern const char __start_pb_defaults __attribute__((visibility("hidden")));
extern const char __stop_pb_defaults __attribute__((visibility("hidden")));
}
#endif
