# SPDX-License-Identifier: Apache-2.0
"""The rules of @rules_cc that Bazel's own tools load, forwarded to Bazel's native ones."""

cc_library = native.cc_library
cc_binary = native.cc_binary
cc_test = native.cc_test
cc_import = native.cc_import
cc_toolchain = native.cc_toolchain
cc_toolchain_suite = native.cc_toolchain_suite
