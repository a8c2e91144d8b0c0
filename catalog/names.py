"""Names: how a dialect folds them, and what the reader of a wrong one probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect, NormalizationStrategy


@dataclass(frozen=True, slots=True)
class Folding:
    """When two spellings of a name are the same name, in one SQL dialect.

    Declared names are kept as the database keeps them: as written where case never matters (Spark,
    DuckDB), folded unless quoted where it does (PostgreSQL). Two names are the same when their
    folded forms are equal.
    """

    dialect: str

    def declare(self, identifier: exp.Identifier) -> str:
        """Return the name that a declaration gives.

        Example:
            >>> bare, quoted = exp.to_identifier("Sale"), exp.to_identifier("Sale", quoted=True)
            >>> Folding("spark").declare(bare), Folding("spark").declare(quoted)
            ('Sale', 'Sale')
            >>> Folding("postgres").declare(bare), Folding("postgres").declare(quoted)
            ('sale', 'Sale')
        """
        dialect = Dialect.get_or_raise(self.dialect)
        if dialect.normalization_strategy is NormalizationStrategy.CASE_INSENSITIVE:
            return identifier.name
        return self.fold(identifier)

    def fold(self, identifier: exp.Identifier) -> str:
        """Return the form in which a name, as written in a query, is compared.

        Example:
            >>> Folding("spark").fold(exp.to_identifier("Sale", quoted=True))
            'sale'
        """
        return _fold(self.dialect, identifier.name, bool(identifier.args.get("quoted")))

    def fold_declared(self, name: str) -> str:
        """Return the form in which a declared name is compared."""
        return _fold(self.dialect, name, True)

    def find(self, name: exp.Identifier | str, declared: Iterable[str]) -> str | None:
        """Return the declared name that a reference means, or ``None``.

        A plain string, as it stands in ``mart.toml``, may be the exact name or an unquoted one.

        Example:
            >>> Folding("duckdb").find("SALE", ["store", "Sale"])
            'Sale'
        """
        candidates = {self.fold_declared(item): item for item in declared}
        if isinstance(name, exp.Identifier):
            return candidates.get(self.fold(name))
        exact = candidates.get(self.fold_declared(name))
        return exact or candidates.get(_fold(self.dialect, name, False))


@lru_cache(maxsize=65536)
def _fold(dialect: str, name: str, is_quoted: bool) -> str:
    identifier = exp.Identifier(this=name, quoted=is_quoted)
    return Dialect.get_or_raise(dialect).normalize_identifier(identifier).name


def quoted(names: Iterable[str]) -> str:
    """Return names as they are listed in a message.

    Example:
        >>> quoted(["a", "b"])
        "'a', 'b'"
    """
    return ", ".join(map(repr, names))


def suggest(wrong: str, known: Iterable[str], kind: str) -> str:
    """Return a hint: the name that was probably meant, or all names there are.

    Example:
        >>> suggest("sales", ["store", "sale"], "tables")
        "Did you mean 'sale'?"
        >>> suggest("x", ["store", "sale"], "tables")
        "The tables are 'store', 'sale'."
        >>> suggest("x", [], "tables")
        'There are no tables.'
    """
    names = {name.lower(): name for name in known}
    close = difflib.get_close_matches(wrong.lower(), names, n=1)
    if close:
        return f"Did you mean {names[close[0]]!r}?"
    return f"The {kind} are {quoted(names.values())}." if names else f"There are no {kind}."


def is_generated_name(name: str, relations: Iterable[str]) -> bool:
    """Whether a name is one that is made for a relation.

    Example:
        >>> is_generated_name("Inserted_sale", ["sale"]), is_generated_name("inserted_x", ["sale"])
        (True, False)
    """
    prefixes = ("aux_", "inserted_", "deleted_", "updated_")
    return name.lower() in {prefix + item.lower() for prefix in prefixes for item in relations}
