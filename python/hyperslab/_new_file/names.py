"""Names of what is created, and errors that say which object they are about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hyperslab.errors import HyperslabError, InvalidError, OutOfRangeError, WrongTypeError


def text_of(name: Any) -> str:
    """Return a name or path, which is a `str`, or `bytes` in UTF-8.

    Raises:
        TypeError: it is something else.
        ValueError: the bytes are not UTF-8.
    """
    if isinstance(name, bytes):
        try:
            return name.decode()
        except UnicodeDecodeError:
            raise InvalidError(f"the name {name!r} is not UTF-8") from None
    if not isinstance(name, str):
        raise WrongTypeError(f"a name is a str or bytes, not {name!r} of the type {type(name).__name__}")
    return name


def checked_text(name: Any) -> str:
    """Return the name of an attribute or the target of a link.

    Raises:
        TypeError: it is not a text.
        ValueError: files cannot have it.
    """
    text = text_of(name)
    if not text:
        raise InvalidError("the name is empty")
    if "\0" in text:
        raise InvalidError(f"the name {text!r} has a NUL")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidError(f"the name {text!r} is not UTF-8") from None
    return text


@contextmanager
def about(where: str, *others: str) -> Iterator[None]:
    """Name an object in errors, NumPy's included, that do not begin with its name or one of the others."""
    try:
        yield
    except HyperslabError as error:
        if error.message.startswith((f"{where}:", f"{where} ", *(f"{name}:" for name in others))):
            raise
        raise type(error)(f"{where}: {error.message}", hint=error.hint, file=error.file) from error
    except IndexError as error:
        raise OutOfRangeError(f"{where}: {error}") from error
    except ValueError as error:
        raise InvalidError(f"{where}: {error}") from error
    except TypeError as error:
        raise WrongTypeError(f"{where}: {error}") from error
