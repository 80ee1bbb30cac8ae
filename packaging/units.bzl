# SPDX-License-Identifier: Apache-2.0
"""Folders as libraries, programs and tests: one cc_library a folder, compiled as one unit.

A source of 200 lines takes a compiler as long as 5,000, nearly all of it headers that every other source of the folder reads
too. So a folder's sources, which stay small files, are compiled together: a generated unit includes them one after the other.
With --define unity=off each source is compiled by itself, and beside it a source for each header that includes that header
alone: each file goes on including what it uses. .ci/run does so for the folders that a change touches, .ci/thorough for all.
"""

load("//packaging:floors.bzl", "FLOORS")

# A unit includes "builder/op.cc", which compilers call "./builder/op.cc": errors, tests and modules name files as ever.
COPTS = ["-fmacro-prefix-map=./="]

# Of the library itself: a number is narrowed where someone wrote so. libFuzzer (--config=fuzz) wants to see which code of
# the library runs, and tools/coverage which lines.
LIBRARY_COPTS = COPTS + [
    "-Wconversion",
    "-Wno-sign-conversion",
] + select({
    "//:fuzzed": [
        "-fsanitize-coverage=inline-8bit-counters,indirect-calls,trace-cmp,pc-table,stack-depth",
    ],
    "//:covered": [
        "-fprofile-instr-generate",
        "-fcoverage-mapping",
    ],
    "//conditions:default": [],
}) + select({
    # As compilers do where nobody asks them; Bazel asks for frame pointers.
    "//:optimized": ["-fomit-frame-pointer"],
    "//conditions:default": [],
})

# Folders whose speed nobody waits for, by their first names: optimized builds compile them for size. StableHLO stays several
# times faster than MLIR (docs/measurements.md).
SMALL = ["builder/composites", "grad", "passes/sizes", "run", "shape/fixes", "sharding", "stablehlo", "tools"]

def _is_small(package):
    return any([package == folder or package.startswith(folder + "/") for folder in SMALL])

def _included_impl(ctx):
    ctx.actions.write(ctx.outputs.out, "".join(["#include \"%s\"\n" % path for path in ctx.attr.paths]))

# A source that includes `paths`.
_included = rule(
    implementation = _included_impl,
    attrs = {
        "out": attr.output(),
        "paths": attr.string_list(),
    },
)

def _units(name, sources, count):
    """The names of `count` generated sources that include `sources` of this package, as equal parts of the list."""
    size = -(-len(sources) // count)
    units = []
    for i in range(count):
        part = sources[i * size:(i + 1) * size]
        if not part:
            continue
        unit = "%s.unit%s.cc" % (name, "" if count == 1 else i + 1)
        _included(
            name = unit + "_source",
            out = unit,
            paths = [native.package_name() + "/" + source for source in part],
        )
        units.append(unit)
    return units

def _headers_alone(name, headers):
    """The names of generated sources, each of which includes one of `headers` of this package."""
    sources = []
    for header in headers:
        if header.endswith(".h"):
            source = "%s.%s.alone.cc" % (name, header)
            _included(
                name = source + "_source",
                out = source,
                paths = ["indim/%s/%s" % (native.package_name(), header)],
                tags = ["manual"],
            )
            sources.append(source)
    return sources

def _compiled(name, srcs, hdrs, units, testonly):
    """(srcs, deps) of a target that compiles `srcs` of this package as units, or, with unity=off, file by file."""
    if not srcs:
        return [], []

    # As headers of a library of its own, which has no include_prefix: errors show the file's path in the checkout.
    native.cc_library(
        name = name + ".sources",
        testonly = testonly,
        textual_hdrs = srcs,
        visibility = ["//visibility:private"],
    )
    return select({
        "//:file_by_file": srcs + _headers_alone(name, hdrs),
        "//conditions:default": _units(name, srcs, units),
    }), [":" + name + ".sources"]

def _own_name():
    return native.package_name().split("/")[-1]

def _glob(patterns, exclude = []):
    return sorted(native.glob(patterns, exclude = exclude, allow_empty = True))

def names_of(table, names):
    """The file `names`: the number and the name of each row of `table`."""
    native.genrule(
        name = names + "_made",
        srcs = [table],
        outs = [names],
        cmd = "/usr/bin/python3 $(location //packaging:make_names.py) $< > $@",
        tools = ["//packaging:make_names.py"],
    )

def folder_library(
        name = None,
        apart = [],
        units = 1,
        deps = None,
        srcs = None,
        hdrs = None,
        made = [],
        copts = [],
        **kwargs):
    """The library of this folder, //FOLDER, of all its sources and headers. Those may use it whose row of floors.bzl says so.

    Args:
      name: another name than the folder's, for a library beside it.
      apart: files, without the dot and what follows, that belong to another library or program of the folder.
      units: how many parts the sources are compiled in.
      deps: what it uses; when None, the folders of its row of floors.bzl.
      srcs: the sources; when None, all of the folder.
      hdrs: the headers; when None, all of the folder.
      made: headers that rules of the folder make, beside those that stand there.
      copts: flags of this folder alone.
      **kwargs: of cc_library.
    """
    package = native.package_name()
    exclude = [stem + ".*" for stem in apart]
    if srcs == None:
        srcs = _glob(["*.cc"], exclude + ["*_main.cc"])
    if hdrs == None:
        hdrs = _glob(["*.h", "*.def"], exclude) + made
    if deps == None:
        deps = ["//" + folder for folder in FLOORS[package]]
    name = name or _own_name()
    sources, more = _compiled(name, srcs, hdrs, units, False)
    users = package.replace("/", "_") + "_users" if package in FLOORS else "top"

    if _is_small(package):
        copts = copts + select({
            "//:optimized": ["-Os"],
            "//conditions:default": [],
        })

    # For rules that read them as texts.
    native.filegroup(
        name = name + "_header_files",
        srcs = hdrs,
        visibility = ["//:top"],
    )
    native.cc_library(
        name = name,
        srcs = sources,
        hdrs = hdrs,
        copts = LIBRARY_COPTS + copts,
        include_prefix = "indim/" + package,
        visibility = ["//:" + users],
        deps = depset(deps + more + ["@system//:absl"]).to_list(),
        **kwargs
    )

def _without_exceptions_impl(settings, _):
    copts = settings["//command_line_option:copt"]
    if str(settings["//command_line_option:compilation_mode"]) == "opt":
        copts = copts + ["-fno-exceptions", "-fno-asynchronous-unwind-tables"]
    return {"//command_line_option:copt": copts}

_without_exceptions = transition(
    implementation = _without_exceptions_impl,
    inputs = ["//command_line_option:compilation_mode", "//command_line_option:copt"],
    outputs = ["//command_line_option:copt"],
)

def _lean_binary_impl(ctx):
    program = ctx.attr.program[0][DefaultInfo]
    executable = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(output = executable, target_file = ctx.executable.program, is_executable = True)
    return [DefaultInfo(executable = executable, runfiles = program.default_runfiles)]

# A cc_binary that catches no exceptions, with all that it is made of: optimized, without what only catching them takes, a
# fifth of its size. The C interface catches what is thrown where there is no memory, and programs that use the library may.
lean_binary = rule(
    implementation = _lean_binary_impl,
    attrs = {
        "program": attr.label(cfg = _without_exceptions, executable = True, mandatory = True),
        "_allowlist_function_transition": attr.label(default = "@bazel_tools//tools/allowlists/function_transition_allowlist"),
    },
    executable = True,
)

def folder_tests(
        name = None,
        deps = [],
        data = [],
        apart = {},
        programs = {},
        units = 1,
        excluded = [],
        helper_data = [],
        helper_deps = [],
        **kwargs):
    """The tests of this folder: one program, //FOLDER:NAME_test, of all *_test.cc; //FOLDER:testing, of the other
    sources and headers.

    Args:
      name: another name than the folder's and "_test", for the program.
      deps: what the tests use beside :testing, the folder that they test, and the folders of that one's row of floors.bzl.
      data: files that they read.
      apart: tests that are programs of their own, by their names without ".cc": what each has beside deps and data, as a
        dictionary of cc_test's attributes. "srcs" names several sources, when the program is not one test.
      units: how many parts the tests are compiled in.
      programs: sources with a main function, by their names without ".cc": what each uses beside deps.
      excluded: patterns of files that belong to another target of the folder, not to :testing.
      helper_data: files that :testing reads.
      helper_deps: what :testing uses beside that folder and that row.
      **kwargs: of cc_test, whose size is "medium" unless it is here.
    """
    package = native.package_name()
    tested = package[len("tests/"):]
    common = ["@system//:absl", "@system//:gtest_main", "@system//:protobuf"]
    if tested in FLOORS:
        common = ["//" + folder for folder in [tested] + FLOORS[tested]] + common
    deps = common + deps
    helpers = _glob(["*.cc"], excluded + ["*_test.cc", "*_main.cc"] + [name + ".cc" for name in programs])
    hdrs = _glob(["*.h", "*.def"], excluded)
    if helpers or hdrs:
        sources, more = _compiled("testing", helpers, hdrs, 1, True)
        native.cc_library(
            name = "testing",
            testonly = True,
            srcs = sources,
            hdrs = hdrs,
            copts = COPTS,
            data = helper_data,
            include_prefix = "indim/" + package,
            visibility = ["//tests:__subpackages__"],
            deps = depset(common + helper_deps + more).to_list(),
        )
        deps = deps + [":testing"]
    deps = depset(deps).to_list()
    own_sources = {name: attributes.get("srcs", [name + ".cc"]) for name, attributes in apart.items()}
    tests = _glob(["*_test.cc"], [source for sources in own_sources.values() for source in sources])
    if tests:
        name = name or _own_name() + "_test"
        sources, more = _compiled(name, tests, [], units, True)
        native.cc_test(
            name = name,
            srcs = sources,
            copts = COPTS,
            data = data,
            deps = deps + more,
            **dict({"size": "medium"}, **kwargs)
        )
    for name, attributes in apart.items():
        attributes = dict({"size": "medium"}, **attributes)
        attributes.pop("srcs", None)
        native.cc_test(
            name = name,
            srcs = own_sources[name],
            data = depset(data + attributes.pop("data", [])).to_list(),
            deps = depset(deps + attributes.pop("deps", [])).to_list(),
            **attributes
        )
    for name, more in programs.items():
        native.cc_binary(
            name = name,
            testonly = True,
            srcs = [name + ".cc"],
            visibility = ["//tests:__subpackages__"],
            deps = depset(deps + more).to_list(),
        )
