# SPDX-License-Identifier: Apache-2.0
"""Trees as jax has them: lists, tuples and dicts of leaves, in which None is no leaf."""

import collections
import copy
import itertools
from typing import Any, Iterator

from ._refusal import TYPE, refused
from .errors import WrongType


def _keys(tree: "dict[Any, Any]") -> "list[Any]":
    """In jax's order."""
    if isinstance(tree, collections.OrderedDict):
        return list(tree)
    try:
        return sorted(tree)
    except TypeError as error:
        raise refused(TYPE, "dicts whose keys have an order", repr(list(tree))[:60], kind=WrongType) from error


def leaves_of(tree: Any) -> "list[Any]":
    """Depth first, of dicts in the order of their keys, as jax has it."""
    if tree is None:
        return []
    if isinstance(tree, dict):
        return [leaf for key in _keys(tree) for leaf in leaves_of(tree[key])]
    if isinstance(tree, (list, tuple)):
        return [leaf for part in tree for leaf in leaves_of(part)]
    return [tree]


def places_of(tree: Any, place: str = "") -> "list[str]":
    """Where each of leaves_of() is: "[1]['a']"."""
    if tree is None:
        return []
    if isinstance(tree, dict):
        return [at for key in _keys(tree) for at in places_of(tree[key], f"{place}[{key!r}]")]
    if isinstance(tree, (list, tuple)):
        return [at for i, part in enumerate(tree) for at in places_of(part, f"{place}[{i}]")]
    return [place]


def filled(tree: Any, leaves: "Iterator[Any]") -> Any:
    """The tree with other leaves."""
    if tree is None:
        return None
    if isinstance(tree, dict):
        made = copy.copy(tree)
        made.update({key: filled(tree[key], leaves) for key in _keys(tree)})
        return made
    if isinstance(tree, (list, tuple)):
        parts = [filled(part, leaves) for part in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    return next(leaves)


def _structure(tree: Any) -> Any:
    """What is equal for trees that differ in their leaves alone."""
    if isinstance(tree, dict):
        return type(tree), {key: _structure(part) for key, part in tree.items()}
    if isinstance(tree, (list, tuple)):
        return type(tree), [_structure(part) for part in tree]
    return tree is None


class _Leaf:
    def __repr__(self) -> str:
        return "*"


def check_structure(tree: Any, like: Any, what: str) -> None:
    if _structure(tree) != _structure(like):
        has, wanted = (repr(filled(of, itertools.repeat(_Leaf()))) for of in (tree, like))
        raise refused(TYPE, f"a tree as {wanted[:60]} is", has[:60], what=what, kind=WrongType)
