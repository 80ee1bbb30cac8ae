# SPDX-License-Identifier: Apache-2.0
"""Exceptions, and the diagnostics that they carry."""

import dataclasses
import re


@dataclasses.dataclass(frozen=True)
class Diagnostic:
    """One error or warning. Places are None where it names none."""

    # "IND0007", which docs/codes.md explains; "" for an error without a code.
    code: str
    slug: str
    # "error" or "warning".
    severity: str
    # One sentence.
    message: str
    operand: "int | None"
    # A dim of `operand`; with operand None, of the result.
    dim: "int | None"
    other_operand: "int | None"
    other_dim: "int | None"
    # The call that would have worked; "": none is known.
    fix: str
    # The broadcast_dimensions that would work.
    fix_dimensions: "tuple[int, ...] | None"
    # Of a module: the numbers of the computation and of the instruction.
    computation: "int | None"
    instruction: "int | None"
    # The source line of the builder's call or of the instruction; line 0: unknown.
    file: str
    line: int
    # The place in the text that the module was read from; line 0: none.
    text_file: str
    text_line: int
    text_column: int
    # All of it, as a compiler prints it.
    text: str

    def __str__(self) -> str:
        return self.text or self.message


class Error(Exception):
    """What the library or the package refused. The text is for people; `diagnostics` are its parts: there is at least one."""

    def __init__(
        self,
        message: str,
        status: int = 3,
        diagnostics: "tuple[Diagnostic, ...]" = (),
        place: "tuple[str, int]" = ("", 0),
    ) -> None:
        super().__init__(message)
        self.message = message
        # The number of the status: 3 is an invalid argument.
        self.status = status
        self.diagnostics = diagnostics
        # The file and the line of the program that called.
        self.place = place

    def __str__(self) -> str:
        # KeyError's own would be the text in quotes.
        return self.message

    @property
    def code(self) -> str:
        """The code of the first diagnostic that is an error, such as "IND0007"; "": none has one."""
        return next((d.code for d in self.diagnostics if d.severity == "error"), "")

    @property
    def fix(self) -> str:
        """The first fix that is known; "": none is."""
        return next((d.fix for d in self.diagnostics if d.fix), "")

    @property
    def file(self) -> str:
        """The file of the line that called the package; "": unknown."""
        return self.place[0]

    @property
    def line(self) -> int:
        """The line of the program that called the package; 0: unknown."""
        return self.place[1]

    def with_fix(self, fix: str) -> "Error":
        """The same error with this fix for its first diagnostic, in the place of the one that it has."""
        line, old = f"\n  to fix: {fix}", f"\n  to fix: {self.diagnostics[0].fix}"

        def told(text: str) -> str:
            return text.rstrip("\n").replace(old, "") + line

        first = dataclasses.replace(self.diagnostics[0], fix=fix, text=told(self.diagnostics[0].text))
        return type(self)(told(self.message), self.status, (first, *self.diagnostics[1:]), self.place)

    def named(self, name: str, instead: str) -> "Error":
        """The same error, which says `name` where it said `instead` at its beginning."""

        def told(text: str) -> str:
            return re.sub(rf"(\A|error: ){re.escape(instead)}(?=(?:'s [a-z0-9-]+)?: )", rf"\g<1>{name}", text)

        said = tuple(dataclasses.replace(d, message=told(d.message), text=told(d.text)) for d in self.diagnostics)
        return type(self)(told(self.message), self.status, said, self.place)

    def __reduce__(self) -> "tuple[object, ...]":
        return type(self), (self.message, self.status, self.diagnostics, self.place)


class InvalidArgument(Error, ValueError):
    """A wrong call, a wrong text, a module that isn't right."""


class WrongType(InvalidArgument, TypeError):
    """An argument of a type that isn't taken, or a recorded value where Python needs a number."""


class NotFound(Error, KeyError):
    """No such file, operation, instruction or pass."""


class NoAttribute(NotFound, AttributeError):
    """No such method."""


class OutOfRange(Error, IndexError, ValueError):
    """A number beyond the end."""


class ResourceExhausted(Error, MemoryError):
    """A limit, or memory that can't be had."""


class Unimplemented(Error, NotImplementedError):
    """What Indim or a plugin doesn't do."""


class Unshared(Unimplemented, BufferError):
    """Memory that another package asked for, and can't have."""


class IndimWarning(UserWarning):
    """What works, and is probably not meant: warnings.warn shows it at the line of the program, and `diagnostic` has its parts."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic)
        self.diagnostic = diagnostic

    def __str__(self) -> str:
        return f"{self.diagnostic.message}  [{self.diagnostic.code}]" if self.diagnostic.code else self.diagnostic.message


_CLASSES: "dict[int, type[Error]]" = {3: InvalidArgument, 5: NotFound, 8: ResourceExhausted, 11: OutOfRange, 12: Unimplemented}


def error_class(status: int) -> "type[Error]":
    """The exception for a status."""
    return _CLASSES.get(status, Error)
