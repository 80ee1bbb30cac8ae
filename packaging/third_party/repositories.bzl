# SPDX-License-Identifier: Apache-2.0
"""What Indim builds with, for its own WORKSPACE and for those of programs that use it.

    local_repository(name = "indim", path = "...")
    load("@indim//packaging/third_party:repositories.bzl", "indim_repositories")
    indim_repositories()

Everything comes from packages of Debian 12 (./bazelw installs them), so that a build needs no network: each repository
that Bazel 4.2 would download is replaced by a folder. Repositories that a WORKSPACE has already stay as they are.
"""

def _folder_of_indim_impl(ctx):
    for entry in ctx.path(ctx.attr.workspace).dirname.readdir():
        ctx.symlink(entry, entry.basename)

# A folder of this repository as a repository of its own, wherever this one lies.
_folder_of_indim = repository_rule(
    implementation = _folder_of_indim_impl,
    attrs = {"workspace": attr.label(allow_single_file = True)},
    local = True,
)

_BAZEL = "/usr/share/bazel"

def indim_repositories():
    """Repositories of Debian 12: libraries (@system), and what Bazel's own tools load."""
    known = native.existing_rules()

    # Abseil, Protobuf, GoogleTest, Google Benchmark.
    if "system" not in known:
        native.new_local_repository(
            name = "system",
            build_file = "@indim//packaging/third_party:system.BUILD",
            path = "/usr",
        )

    # The packaged rules_cc is too new for this Bazel; ours forwards to the native rules.
    if "rules_cc" not in known:
        _folder_of_indim(name = "rules_cc", workspace = "@indim//packaging/third_party:rules_cc/WORKSPACE")
    if "remote_coverage_tools" not in known:
        _folder_of_indim(name = "remote_coverage_tools", workspace = "@indim//packaging/third_party:coverage_tools/WORKSPACE")
    for name, folder in {
        "bazel_skylib": "tools/skylib",
        "platforms": "tools/platforms",
        "rules_java": "rules/java",
        "rules_proto": "rules/proto",
    }.items():
        if name not in known:
            native.local_repository(name = name, path = _BAZEL + "/" + folder)
