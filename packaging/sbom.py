# SPDX-License-Identifier: Apache-2.0
"""What a release is made of, as an SPDX 2.3 document: packaging/release writes it as JSON.

Nothing is listed here by name but what lies inside of the tarball and the wheels: packages of PyPI are those of the lists in
packaging/third_party, packages of Debian those that bazelw installs, licences those that NOTICE says.
"""

import datetime
import pathlib
import re
import uuid

import portable

ROOT = pathlib.Path(__file__).resolve().parents[1]
THIRD_PARTY = ROOT / "packaging" / "third_party"

# What a list of packaging/third_party is for, as SPDX calls it; the others are of tools of those who work on Indim.
ROLES = {
    "cross/sources.txt": "BUILD_DEPENDENCY_OF",
    "cross/wheels.txt": "BUILD_TOOL_OF",
    "jax.txt": "TEST_DEPENDENCY_OF",
    "pjrt_accelerator_plugins.txt": "TEST_DEPENDENCY_OF",
    "pjrt_cpu_plugin.txt": "OPTIONAL_DEPENDENCY_OF",
    "pjrt_plugins.txt": "TEST_DEPENDENCY_OF",
    "requirements.txt": "TEST_DEPENDENCY_OF",
}
# Debian's, for another processor; bazelw names the same for this one.
NOT_OF_PYPI = ("CMakeLists.txt", "packages.txt")
# Debian's packages that are linked with what is built on Debian; the others of bazelw build and test it.
LINKED = {"libabsl-dev": "Abseil", "libprotobuf-dev": "Protocol Buffers"}
LICENCES = {
    "Apache License 2.0": "Apache-2.0",
    "Apache License 2.0 with LLVM exceptions": "Apache-2.0 WITH LLVM-exception",
    "BSD-3-Clause": "BSD-3-Clause",
    "MIT": "MIT",
}


def _id(*words: str) -> str:
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", "-".join(words))


def _package(name: str, spdx_id: str, **more: object) -> "dict[str, object]":
    return {"name": name, "SPDXID": spdx_id, "downloadLocation": "NOASSERTION", "filesAnalyzed": False, **more}


def _purl(locator: str) -> "list[dict[str, str]]":
    return [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": f"pkg:{locator}"}]


def _licences() -> "dict[str, str]":
    """What the last paragraph of NOTICE says: "Abseil (Apache License 2.0), ..."."""
    paragraph = " ".join((ROOT / "NOTICE").read_text(encoding="utf-8").strip().split("\n\n")[-1].split())
    return {name: LICENCES[licence] for name, licence in re.findall(r"([A-Z][\w+ ]*|[a-z][\w+]*) \(([^)]*)\)", paragraph)}


def _pinned() -> "dict[str, dict[str, object]]":
    """The packages of PyPI that the lists name, by name, each with its role; of two lists the first has it."""
    packages = {}
    for path in sorted(THIRD_PARTY.rglob("*.txt")):
        if path.name in NOT_OF_PYPI:
            continue
        name = str(path.relative_to(THIRD_PARTY))
        for line in path.read_text(encoding="utf-8").splitlines():
            match = re.match(r"([\w.-]+)==([\w.]+)((?: --hash=sha256:[0-9a-f]{64})*)$", line)
            if not match and not line.startswith("#"):
                raise SystemExit(f"packaging/third_party/{name}: {line}")
            if match and match.group(1) not in packages:
                package, version, hashes = match.groups()
                hashes = re.findall("[0-9a-f]{64}", hashes)
                more = {"checksums": [{"algorithm": "SHA256", "checksumValue": hashes[0]}]} if len(hashes) == 1 else {}
                packages[package] = dict(
                    role=ROLES.get(name, "DEV_TOOL_OF"),
                    package=_package(package, _id("pypi", package), versionInfo=version, externalRefs=_purl(f"pypi/{package.lower()}@{version}"), **more),
                )
    return packages


def _debian() -> "list[str]":
    """The packages that bazelw may install."""
    table = re.search(r"declare -A file_of=\(\n(.*?)^\)", (ROOT / "bazelw").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    return re.findall(r"^  \[([^]]+)\]=", table.group(1), re.MULTILINE) if table else []


def document(version: str, commit: str, seconds: str, archive_sha256: str) -> "dict[str, object]":
    """The document of a commit that was made `seconds` after 1970."""
    licences = _licences()
    created = datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    packages = [
        _package(
            "indim", "SPDXRef-indim", versionInfo=version, licenseConcluded="Apache-2.0", licenseDeclared="Apache-2.0",
            copyrightText="NOASSERTION", primaryPackagePurpose="LIBRARY", packageFileName=f"indim-{version}.tar.gz",
            sourceInfo=f"git commit {commit}", checksums=[{"algorithm": "SHA256", "checksumValue": archive_sha256}],
        )
    ]  # fmt: skip
    relationships = []

    def relate(subject: str, kind: str, other: str, comment: str = "") -> None:
        row = {"spdxElementId": subject, "relationshipType": kind, "relatedSpdxElement": other}
        relationships.append({**row, "comment": comment} if comment else row)

    relate("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-indim")
    pinned = _pinned()
    for name, (source, _) in portable.INSIDE.items():
        inside = _id("inside", name)
        licence = {"licenseConcluded": licences[name], "licenseDeclared": licences[name], "copyrightText": "NOASSERTION"}
        from_package = pinned[source]["package"]
        packages.append(_package(name, inside, sourceInfo=f"of {source} {from_package['versionInfo']}", **licence))
        relate("SPDXRef-indim", "STATIC_LINK", inside, "the tarball and the wheels")
        relate(inside, "GENERATED_FROM", from_package["SPDXID"])
    for row in pinned.values():
        packages.append(row["package"])
        relate(row["package"]["SPDXID"], row["role"], "SPDXRef-indim")
    for name in _debian():
        linked = LINKED.get(name)
        licence = {"licenseDeclared": licences[linked]} if linked else {}
        packages.append(_package(name, _id("deb", name), externalRefs=_purl(f"deb/debian/{name.replace('+', '%2B')}?distro=bookworm"), **licence))
        if linked:
            relate("SPDXRef-indim", "DYNAMIC_LINK", _id("deb", name), "what is built from source on Debian 12")
        else:
            relate(_id("deb", name), "DEV_TOOL_OF", "SPDXRef-indim")
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"indim-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/indim-{version}-{uuid.uuid5(uuid.NAMESPACE_OID, commit)}",
        "creationInfo": {"created": created, "creators": ["Tool: packaging/release"]},
        "packages": packages,
        "relationships": relationships,
    }
