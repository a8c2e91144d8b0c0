"""Estimated rows and bytes, from the mart's statistics alone, under uniform distributions.

Where a statistic is missing the answer is ``None``, never a guess, and the estimator remembers what
it would have needed, so that the report can ask for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import prod

from networkx.utils import UnionFind
from sqlglot import exp

from catalog.relation import Column, ColumnStatistics, Relation, Schema
from catalog.scalar import ColumnRef, columns_of, occurrences_of
from planner.analysis import Analysis
from planner.values import Constant, constant

# Bytes of a value where the mart does not say: what Parquet keeps before compression.
_WIDTHS = {
    exp.DType.BOOLEAN: 1,
    exp.DType.TINYINT: 1,
    exp.DType.SMALLINT: 2,
    exp.DType.INT: 4,
    exp.DType.DATE: 4,
    exp.DType.FLOAT: 4,
}
_TEXT_WIDTH = 20
_DEFAULT_WIDTH = 8
_TOO_MANY = 10**300
_LOWER, _UPPER = (exp.GT, exp.GTE), (exp.LT, exp.LTE)


class Estimator:
    """Estimates sizes, and notes which statistics were missing."""

    def __init__(self, schema: Schema) -> None:
        """Start with nothing missing."""
        self._schema = schema
        self.missing: dict[str, None] = {}

    def relation_rows(self, relation: Relation) -> float | None:
        """Return the rows of a relation."""
        if relation.statistics.rows is None:
            self.missing[f"rows of {relation.name}"] = None
        return relation.statistics.rows

    def width(self, relation: Relation, names: Iterable[str]) -> float:
        """Return the bytes of a row with these columns."""
        return sum(self._column_width(relation, relation.column(name)) for name in names)

    def _column_width(self, relation: Relation, column: Column) -> float:
        stated = relation.statistics.column(column.name).width
        if stated is not None:
            return stated
        if column.type.this in exp.DataType.TEXT_TYPES:
            return _TEXT_WIDTH
        return _WIDTHS.get(column.type.this, _DEFAULT_WIDTH)

    def selected_rows(self, relation: Relation, conditions: Sequence[exp.Expr]) -> float | None:
        """Return the rows of a relation that meet local conditions."""
        rows = self.relation_rows(relation)
        share = self.share(relation, conditions)
        return None if rows is None or share is None else rows * share

    def share(self, relation: Relation, conditions: Sequence[exp.Expr]) -> float | None:
        """Return the share of rows that meet local conditions, which are taken as independent."""
        ranges: dict[ColumnRef, list[exp.Binary]] = {}
        shares: list[float | None] = []
        for condition in conditions:
            if isinstance(condition, _LOWER + _UPPER) and len(columns_of(condition)) == 1:
                ranges.setdefault(columns_of(condition)[0], []).append(condition)
            else:
                shares.append(self._share_of(relation, condition))
        shares.extend(self._range(relation, name, parts) for name, parts in ranges.items())
        return None if None in shares else prod(share for share in shares if share is not None)

    def _share_of(self, relation: Relation, condition: exp.Expr) -> float | None:
        bare = condition.unnest()
        match bare:
            case exp.And():
                return self.share(relation, tuple(bare.flatten()))
            case exp.Or():
                shares = [self._share_of(relation, part) for part in bare.flatten()]
                known = [1 - share for share in shares if share is not None]
                return 1 - prod(known) if len(known) == len(shares) else None
            case exp.Not():
                share = self._share_of(relation, bare.this)
                return None if share is None else 1 - share
            case exp.Boolean():
                return 1.0 if bare.this else 0.0
            case _:
                return self._simple_share(relation, bare)

    def _simple_share(self, relation: Relation, condition: exp.Expr) -> float | None:
        names = columns_of(condition)
        if len(names) != 1:
            self.missing[f"selectivity of {condition.sql()}"] = None
            return None
        column = relation.column(names[0].column)
        if isinstance(condition, exp.Is) and isinstance(condition.expression, exp.Null):
            return self._nulls(relation, column)
        if isinstance(condition, _LOWER + _UPPER):
            return self._range(relation, names[0], [condition])
        if isinstance(condition, exp.EQ | exp.NEQ | exp.In):
            literals = (
                condition.expressions
                if isinstance(condition, exp.In)
                else [side for side in (condition.left, condition.right) if not _is_column(side)]
            )
            values = [constant(literal, column.type) for literal in literals]
            shares = [
                None if value is None else self._value(relation, column, value) for value in values
            ]
            known = [share for share in shares if share is not None]
            if values and len(known) == len(shares):
                share = min(1.0, sum(known))
                nulls = relation.statistics.column(column.name).nulls or 0.0
                return max(0.0, 1 - share - nulls) if isinstance(condition, exp.NEQ) else share
        self.missing[f"selectivity of {condition.sql()}"] = None
        return None

    def _nulls(self, relation: Relation, column: Column) -> float | None:
        if not column.nullable:
            return 0.0
        nulls = relation.statistics.column(column.name).nulls
        if nulls is None:
            self.missing[f"nulls of {relation.name}.{column.name}"] = None
        return nulls

    def _value(self, relation: Relation, column: Column, value: Constant) -> float | None:
        known = relation.statistics.column(column.name)
        written = dict(known.frequencies)
        if str(value) in written:
            return written[str(value)]
        distinct = self.distinct(relation, column.name)
        if distinct is None or distinct <= len(written):
            self.missing[f"distinct or frequencies of {relation.name}.{column.name}"] = None
            return None
        return max(0.0, 1 - sum(written.values())) / (distinct - len(written))

    def distinct(self, relation: Relation, name: str) -> float | None:
        """Return the number of different values of a column, as stated or as a key implies."""
        stated = relation.statistics.column(name).distinct
        if stated is not None:
            return stated
        if (name,) in relation.unique_keys:
            return relation.statistics.rows
        for foreign_key in relation.foreign_keys:
            if foreign_key.columns == (name,):
                parent = self._schema.relation(foreign_key.parent).statistics.rows
                own = relation.statistics.rows
                return None if parent is None or own is None else min(parent, own)
        return None

    def _range(
        self, relation: Relation, name: ColumnRef, conditions: Sequence[exp.Binary]
    ) -> float | None:
        column = relation.column(name.column)
        statistics = relation.statistics.column(column.name)
        first, last = _bounds(statistics)
        if first is None or last is None or last <= first:
            self.missing[f"min and max of {relation.name}.{column.name}"] = None
            return None
        low, high = first, last
        for condition in conditions:
            flipped = not _is_column(condition.left)
            value = _number(constant(condition.left if flipped else condition.right, column.type))
            if value is None:
                self.missing[f"selectivity of {condition.sql()}"] = None
                return None
            if isinstance(condition, _LOWER) != flipped:
                low = max(low, value)
            else:
                high = min(high, value)
        share = max(0.0, min(1.0, (high - low) / (last - first)))
        return share * (1 - (statistics.nulls or 0.0))

    def view_rows(self, analysis: Analysis) -> float | None:
        """Return the rows of a view: its relations' product times every condition's share."""
        stated: dict[str, list[exp.Expr]] = {name: [] for name in analysis.graph.occurrences}
        for condition in analysis.view.conditions:
            used = occurrences_of(condition)
            if len(used) == 1:
                stated[next(iter(used))].append(condition)
        factors = [
            self.selected_rows(analysis.relation(name), conditions)
            for name, conditions in stated.items()
        ]
        factors.extend(self._join_shares(analysis))
        if analysis.closure.residual:
            self.missing[f"selectivity of {analysis.closure.residual[0].sql()}"] = None
            return None
        if None in factors:
            return None
        # The product of the relations alone may be larger than any float.
        exact = prod(Fraction(item) for item in factors if item is not None)
        return float(exact) if exact < _TOO_MANY else None

    def _join_shares(self, analysis: Analysis) -> Iterable[float | None]:
        """Yield the share that each join keeps, joins along foreign keys first."""
        united: UnionFind[ColumnRef] = UnionFind()
        stated = {
            columns_of(tree)[0]
            for tree in analysis.view.conditions
            if isinstance(tree, exp.EQ) and len(columns_of(tree)) == 1
        }

        def unite(left: ColumnRef, right: ColumnRef) -> bool:
            fresh = united[left] != united[right]
            united.union(left, right)
            return fresh

        for edge in sorted(analysis.graph.edges, key=lambda edge: edge.foreign_key is None):
            pairs = [
                (ColumnRef(edge.source, own), ColumnRef(edge.target, key))
                for own, key in edge.pairs
            ]
            # Where the view equates both sides with a constant, their shares are counted already.
            if all(left in stated and right in stated for left, right in pairs):
                continue
            fresh = [unite(left, right) for left, right in pairs]
            if any(fresh):
                rows = self.relation_rows(analysis.relation(edge.target))
                yield None if rows is None else 1 / max(rows, 1)
                for own, _ in edge.pairs:
                    nulls = self._nulls(
                        analysis.relation(edge.source), analysis.relation(edge.source).column(own)
                    )
                    yield None if nulls is None else 1 - nulls
        for names in analysis.closure.distinct_classes:
            for left, right in pairwise(names):
                if not (left in stated and right in stated) and unite(left, right):
                    counts = [
                        self.distinct(analysis.relation(name.occurrence), name.column)
                        for name in (left, right)
                    ]
                    known = [count for count in counts if count is not None]
                    if len(known) < len(counts):
                        self.missing[f"distinct of {left} and {right}"] = None
                        yield None
                    else:
                        yield 1 / max(*known, 1)

    def output_width(self, analysis: Analysis, expression: exp.Expr) -> float:
        """Return the bytes of an output; a computed one counts as its widest input."""
        widths = [
            self._column_width(analysis.relation(name.occurrence), analysis.declared(name))
            for name in columns_of(expression)
        ]
        return max(widths, default=_DEFAULT_WIDTH)

    def counted_rows(self, analysis: Analysis, rows: float | None) -> float | None:
        """Return the number of different rows of a view that repeats rows, if it is known."""
        factors: list[float | None] = []
        for output in analysis.view.outputs:
            for name in columns_of(output.expression):
                if analysis.closure.constant_of(name) is None:
                    relation = analysis.relation(name.occurrence)
                    factors.append(self.distinct(relation, name.column))
        if rows is None or None in factors:
            return None
        return min(rows, prod(item for item in factors if item is not None))


def whole(rows: float | None) -> int | None:
    """Round an estimate to whole rows or bytes."""
    return None if rows is None else round(rows)


def _is_column(tree: exp.Expr) -> bool:
    return isinstance(tree.unnest(), exp.Column)


def _number(value: Constant | None) -> float | None:
    if isinstance(value, Decimal):
        return float(value)
    return float(value.toordinal()) if isinstance(value, date) else None


def _bounds(statistics: ColumnStatistics) -> tuple[float | None, float | None]:
    def bound(stated: int | float | str | None) -> float | None:
        if isinstance(stated, str):
            return _number(constant(exp.Literal.string(stated), exp.DataType.build("date")))
        return None if stated is None else float(stated)

    return bound(statistics.minimum), bound(statistics.maximum)
