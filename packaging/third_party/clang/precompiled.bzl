# SPDX-License-Identifier: Apache-2.0
"""Headers of others, compiled once: half of what clang does for a file is to read them again.

A folder of it, @clang_headers, holds a NAME.pch for each kind of sanitizer, which .bazelrc names with -include-pch.
"""

# What a precompiled header and the files that include it must have in common: the rest of .bazelrc's flags, and the
# toolchain's, say nothing about what a header means.
_COMMON = [
    "-std=c++17",
    "-fPIC",
    "-U_FORTIFY_SOURCE",
    "-Wno-builtin-macro-redefined",
    "-D__DATE__=\"redacted\"",
    "-D__TIMESTAMP__=\"redacted\"",
    "-D__TIME__=\"redacted\"",
]
_SANITIZERS = {
    "address": "-fsanitize=address,undefined",
    "thread": "-fsanitize=thread",
}

# What very many files include. The last is the one that is compiled: Bazel wants to know each file that is read, and a
# header of our own would be none that it knows.
_HEADERS = [
    "algorithm",
    "cstdint",
    "functional",
    "map",
    "memory",
    "optional",
    "string",
    "utility",
    "vector",
    "absl/container/flat_hash_map.h",
    "absl/container/flat_hash_set.h",
    "absl/container/inlined_vector.h",
    "absl/status/statusor.h",
    "absl/strings/match.h",
    "absl/strings/str_cat.h",
    "absl/strings/str_format.h",
    "absl/strings/str_join.h",
    "absl/strings/str_replace.h",
    "absl/strings/str_split.h",
    "absl/types/span.h",
    "gtest/gtest.h",
]
_LAST_HEADER = "/usr/include/gmock/gmock.h"

def _clang_headers_impl(ctx):
    includes = []
    for header in _HEADERS:
        includes += ["-include", header]
    for name, sanitizer in _SANITIZERS.items():
        done = ctx.execute(
            ["/usr/bin/clang-16", "-x", "c++-header"] + _COMMON + [sanitizer, "-fpch-instantiate-templates"] + includes +
            [_LAST_HEADER, "-o", name + ".pch"],
        )
        if done.return_code != 0:
            fail("clang-16 could not compile the headers that most files include:\n" + done.stderr)
    ctx.file("BUILD", """filegroup(
    name = "headers",
    srcs = glob(["*.pch"]),
    visibility = ["//visibility:public"],
)
""")

# Made again whenever Bazel's server starts: a package that was installed anew has other headers.
clang_headers = repository_rule(
    implementation = _clang_headers_impl,
    local = True,
)
