# SPDX-License-Identifier: Apache-2.0
"""What `bazel run //:install` copies: the library's own objects as one archive and one shared library, and its headers."""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

def _is_ours(label):
    return label.workspace_name == ""

def _objects(cc_info):
    objects = []
    for linked in cc_info.linking_context.linker_inputs.to_list():
        if _is_ours(linked.owner):
            for library in linked.libraries:
                objects += library.pic_objects or library.objects or []
    return objects

def _link_shared(ctx, toolchain, name, objects, flags):
    """A shared library of the objects, which shows what ctx.file.exported names; `flags` stand behind the objects."""
    shared = ctx.actions.declare_file(name)
    arguments = ctx.actions.args()
    arguments.add("-shared").add("-o").add(shared).add("-Wl,-soname," + name)
    arguments.add("-Wl,--version-script").add(ctx.file.exported)
    arguments.add_all(objects)
    arguments.add("-Wl,--as-needed").add_all(ctx.attr.links).add_all(flags)
    ctx.actions.run(
        executable = toolchain.compiler_executable,
        arguments = [arguments],
        inputs = depset(objects + [ctx.file.exported], transitive = [toolchain.all_files]),
        outputs = [shared],
        mnemonic = "IndimShared",
        # The compiler finds its linker there.
        use_default_shell_env = True,
    )
    return shared

def _library_impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    objects = _objects(ctx.attr.deps[CcInfo])
    # Objects of several folders have the same name, so each is added to what is there.
    archive = ctx.actions.declare_file("libindim.a")
    arguments = ctx.actions.args()
    arguments.add("qcsD").add(archive).add_all(objects)
    ctx.actions.run(
        executable = toolchain.ar_executable,
        arguments = [arguments],
        inputs = depset(objects, transitive = [toolchain.all_files]),
        outputs = [archive],
        mnemonic = "IndimArchive",
    )
    shared = _link_shared(ctx, toolchain, "libindim.so.0", objects, [])
    return DefaultInfo(files = depset([archive, shared]))

# libindim.a and libindim.so.0, of all in this repository that `deps` is made of. `links`: what else the shared library
# is linked with. `exported`: a version script.
indim_library = rule(
    implementation = _library_impl,
    attrs = {
        "deps": attr.label(providers = [CcInfo]),
        "exported": attr.label(allow_single_file = True),
        "links": attr.string_list(),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)

def _c_library_impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    objects = _objects(ctx.attr.deps[CcInfo])
    flags = ["-Wl,--gc-sections", "-lstdc++", "-lm", "-Wl,-z,defs"]
    shared = _link_shared(ctx, toolchain, ctx.attr.out, objects, flags)
    # A test that has it among its data has it beside it.
    return DefaultInfo(files = depset([shared]), runfiles = ctx.runfiles(files = [shared]))

# A shared library of all in this repository that `deps` is made of, which shows what `exported`, a version script, names.
indim_c_library = rule(
    implementation = _c_library_impl,
    attrs = {
        "deps": attr.label(providers = [CcInfo]),
        "exported": attr.label(allow_single_file = True),
        "links": attr.string_list(),
        "out": attr.string(),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)

def _is_header(file):
    """Of ours, and for programs: no public header includes what protoc makes."""
    return "/_virtual_includes/" in file.path and _is_ours(file.owner) and file.owner.package != "proto"

def _headers(ctx):
    """A folder of the headers as they are installed."""
    headers = [h for h in ctx.attr.headers_of[CcInfo].compilation_context.headers.to_list() if _is_header(h)]
    folder = ctx.actions.declare_directory(ctx.label.name + ".include")
    arguments = ctx.actions.args()
    arguments.add(ctx.file._sort_headers).add_all([folder], expand_directories = False)
    arguments.add_joined(ctx.attr.api, join_with = ",")
    arguments.add_all(headers)
    ctx.actions.run(
        executable = "/usr/bin/python3",
        arguments = [arguments],
        inputs = headers + [ctx.file._sort_headers],
        outputs = [folder],
        mnemonic = "IndimHeaders",
    )
    return folder

def _installer_impl(ctx):
    copies = []  # (file, name below the prefix, mode)
    headers = _headers(ctx)
    for target, folder in ctx.attr.files.items():
        for file in target.files.to_list():
            copies.append((file, folder + "/" + file.basename, "755" if folder == "bin" else "644"))
    lines = ["%s %s %s" % (mode, file.short_path, name) for file, name, mode in copies]
    files = [copy[0] for copy in copies] + [headers]
    manifest = ctx.actions.declare_file(ctx.label.name + ".manifest")
    ctx.actions.write(manifest, "\n".join(lines) + "\n")
    script = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.expand_template(
        template = ctx.file._script,
        output = script,
        substitutions = {
            "{HEADERS}": headers.short_path,
            "{MANIFEST}": manifest.short_path,
            "{MODE}": ctx.var["COMPILATION_MODE"],
        },
        is_executable = True,
    )
    return DefaultInfo(executable = script, runfiles = ctx.runfiles(files + [manifest]))

# A program that copies files below --prefix. `files`: folders there. `api`: the headers that programs include, as
# api.bzl names them; the others that these need are installed as internal.
indim_installer = rule(
    implementation = _installer_impl,
    executable = True,
    attrs = {
        "files": attr.label_keyed_string_dict(allow_files = True),
        "api": attr.string_list(),
        "headers_of": attr.label(providers = [CcInfo]),
        "_sort_headers": attr.label(default = "sort_headers.py", allow_single_file = True),
        "_script": attr.label(default = "install.sh", allow_single_file = True),
    },
)
