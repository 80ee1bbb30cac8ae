#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Prints wire_messages.def, the encoding of every field of every message that ROOTS reach in the schema:

  proto/wire/make_wire_messages.py proto/*.proto > wire_messages.def

Nothing is left out, and nothing added. All code that reads, sorts or rewrites bytes without generated classes uses the table.
tests/proto/wire/wire_table_test.cc compares it with protoc's descriptors. Include it with one or both macros defined:

  INDIM_WIRE_MESSAGE(message)
    Opens a message, named as protoc names its C++ class: nested names are joined by '_', the entry of map field `sequences`
    is SequencesEntry.
  INDIM_WIRE_FIELD(message, name, number, kind, label, presence, submessage)
    A field of the message, numbers ascending.
    name       in capitals, as protoc names its constant: TupleIndex
    kind       kInt32 kInt64 kUint32 kUint64 kBool kEnum (varints; a negative kInt32 or kEnum takes ten bytes), kFloat kDouble
               (four and eight bytes), kString (valid UTF-8), kBytes, kMessage, kMap (a repeated entry message: key 1, value 2,
               both always written, sorted by key; of entries with equal keys the last one counts).
    label      kSingular; kRepeated (one record per element); kPacked (one record in all; readers take unpacked elements too).
    presence   kImplicit: the default value and an empty list are not written; kExplicit: written whenever set; kOneof:
               likewise, and setting it clears the message's other kOneof fields. No message has two oneofs of more than one
               field, so the group needs no name. A oneof of one field is kExplicit.
    submessage the message of a kMessage or kMap field, else none.
"""

import re
import sys

ROOTS = ["HloModuleProto", "HloModuleProtoWithConfig", "HloProto", "HloSnapshot", "HloUnoptimizedSnapshot"]
NUMBERS = ["int32", "int64", "uint32", "uint64", "bool", "float", "double"]
SCALARS = NUMBERS + ["string", "bytes"]

# A statement of a .proto file: what stands before a semicolon or a brace, or a closing brace.
STATEMENT = re.compile(r"\s*(?:([^;{}]*)([;{])|(\}))")
FIELD = re.compile(r"(?:(repeated|optional) )?([\w.]+|map<(\w+), ?(\w+)>) (\w+) = (\d+)(?: \[.*\])?")


def camel(name):
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))


def read(path, messages, enums):
    """Adds the messages of a file, by the names of their classes, each a list of fields (number, name, how, type, oneof);
    and its enums."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"//.*", "", file.read())
    scopes = []  # (word, name) of each open brace
    for match in STATEMENT.finditer(text):
        statement = " ".join((match.group(1) or "").split())
        word, _, name = statement.partition(" ")
        if match.group(3):
            scopes.pop()
        elif match.group(2) == "{":
            scopes.append((word, name))
            full = "_".join(n for w, n in scopes if w == "message")
            if word == "message":
                messages[full] = []
            elif word == "enum":
                enums.add("_".join(filter(None, [full, name])))
        elif scopes and scopes[-1][0] != "enum" and word not in ("reserved", "option"):
            add_field(statement, "_".join(n for w, n in scopes if w == "message"), scopes[-1], messages)


def add_field(statement, message, scope, messages):
    field = FIELD.fullmatch(statement)
    if not field:
        raise SystemExit("not understood: " + statement)
    how, kind, key, value, name, number = field.groups()
    if key:
        how, kind = "map", camel(name) + "Entry"
        messages[message + "_" + kind] = [(1, "Key", None, key, None), (2, "Value", None, value, None)]
    messages[message].append((int(number), camel(name), how, kind, scope[1] if scope[0] == "oneof" else None))


def resolve(kind, message, names):
    """The message or enum that `kind` means within `message`, the innermost first."""
    scope = message.split("_")
    for depth in range(len(scope), -1, -1):
        name = "_".join(scope[:depth] + kind.split("."))
        if name in names:
            return name
    raise SystemExit("no type " + kind + " of " + message)


def rows(message, messages, enums):
    """(row, submessage or none) of each field of the message."""
    oneofs = [field[4] for field in messages[message] if field[4]]
    for number, name, how, kind, oneof in sorted(messages[message]):
        submessage = "none"
        if kind not in SCALARS:
            kind = resolve(kind, message, messages.keys() | enums)
            if kind in messages:
                kind, submessage = "map" if how == "map" else "message", kind
            else:
                kind = "enum"
        label = "kSingular"
        if how in ("repeated", "map"):
            label = "kPacked" if kind in NUMBERS + ["enum"] else "kRepeated"
        presence = "kImplicit"
        if oneofs.count(oneof) > 1:
            presence = "kOneof"
        elif oneof or how == "optional" or (kind == "message" and how != "repeated"):
            presence = "kExplicit"
        yield "%s, %s, %d, k%s, %s, %s, %s" % (message, name, number, camel(kind), label, presence, submessage), submessage


def main(paths):
    messages, enums = {}, set()
    for path in sorted(paths):
        read(path, messages, enums)
    todo, reached = list(ROOTS), {"none"}
    while todo:
        message = todo.pop()
        if message not in reached:
            reached.add(message)
            todo += [submessage for _, submessage in rows(message, messages, enums)]
    print("// Made by proto/wire/make_wire_messages.py, which says what it means.")
    macros = ["MESSAGE(message)", "FIELD(message, name, number, kind, label, presence, submessage)"]
    for macro in macros:
        print("#ifndef INDIM_WIRE_%s\n#define INDIM_WIRE_%s\n#endif" % (macro.partition("(")[0], macro))
    for message in messages:
        if message in reached:
            print("\nINDIM_WIRE_MESSAGE(%s)" % message)
            for row, _ in rows(message, messages, enums):
                print("INDIM_WIRE_FIELD(%s)" % row)
    print("\n#undef INDIM_WIRE_MESSAGE\n#undef INDIM_WIRE_FIELD")


if __name__ == "__main__":
    main(sys.argv[1:])
