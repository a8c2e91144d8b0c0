"""Simple batches: what may happen to two small sources alike."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations, islice

from planner.witnesses.small_states import Batch, Row, RowChange, State, pick, replaced, rows_of
from planner.witnesses.variations import LocatedRow, Variations

_MOST_GROUPS = 40


class Batches:
    """Insertions, updates, deletions and replacements of rows around a template."""

    def __init__(self, variations: Variations) -> None:
        """Use the values, and the new rows, that variations have."""
        self._variations = variations
        self._rules = variations.completer.rules

    def fitting(self, one: State, two: State) -> Iterator[Batch]:
        """Yield simple batches for two states; most fit both and keep the sources' promises."""
        for batch in self._simple(one, two):
            if all(map(self._rules.is_promised, batch)):
                yield batch

    def _simple(self, one: State, two: State) -> Iterator[Batch]:
        # A row that differs in the two states cannot be in the batch, but can be referred to.
        common = {
            relation: {key: row for key, row in rows.items() if two[relation].get(key) == row}
            for relation, rows in one.items()
        }
        either = {name: {**one[name], **two[name]} for name in one}
        yield from self._insertions(one, either)
        for relation, row in rows_of(common):
            for values in self._variations.alternatives(one, relation, row):
                yield (RowChange(relation, row, replaced(row, values)),)
            yield from self._deletions(one, two, common, relation, row)
            yield from self._replacements(one, either, relation, row)

    def _insertions(self, one: State, either: State) -> Iterator[Batch]:
        """Yield insertions of what is missing of the template, or of rows like it."""
        missing = [
            (relation, row)
            for relation, row in self._variations.template
            if self._rules.of[relation].key_of(row) not in either[relation]
        ]
        sizes = (len(missing), *range(1, len(missing)))
        groups = chain.from_iterable(combinations(missing, size) for size in sizes if size)
        for group in islice(groups, _MOST_GROUPS):
            yield tuple(RowChange(relation, None, row) for relation, row in group)
        copies = (item for item in self._variations.template if item not in missing)
        new = [
            *missing,
            *((name, self._variations.clone(either, name, row)) for name, row in copies),
        ]
        for relation, row in new:
            yield (RowChange(relation, None, row),)
            yield self._with_parents(one, relation, row)
            for reference in self._rules.of[relation].references:
                parent = self._rules.parent(one, reference, pick(row, reference.places))
                if parent is not None:
                    copy = self._variations.clone(either, reference.parent, parent)
                    child = replaced(row, reference.values(copy))
                    yield RowChange(reference.parent, None, copy), RowChange(relation, None, child)
            for values in self._variations.alternatives(one, relation, row):
                yield (RowChange(relation, None, replaced(row, values)),)

    def _with_parents(self, state: State, relation: str, row: Row) -> Batch:
        """Return the insertion of a row with the rows that it refers to and that are not there."""
        grown = self._variations.completer.closed(self._rules.with_row(state, relation, row))
        added = rows_of(grown) if grown is not None else ()
        return tuple(
            RowChange(name, None, other)
            for name, other in added
            if other not in state[name].values()
        )

    def _deletions(
        self, one: State, two: State, common: State, relation: str, row: Row
    ) -> Iterator[Batch]:
        """Yield the deletion of a row with all that refers to it and all that departs with it."""
        rules = self._rules
        gone: dict[LocatedRow, None] = {}
        waiting = [(relation, row)]
        while waiting:
            name, item = waiting.pop()
            if (name, item) in gone:
                continue
            if common[name].get(rules.of[name].key_of(item)) != item:
                return
            gone[name, item] = None
            for state in (one, two):
                waiting.extend(rules.children(state, name, item))
            for reference in rules.of[name].departs_with:
                parent = rules.parent(one, reference, pick(item, reference.places))
                if parent is not None:
                    waiting.append((reference.parent, parent))
        yield tuple(RowChange(name, item, None) for name, item in gone)

    def _replacements(self, one: State, either: State, relation: str, row: Row) -> Iterator[Batch]:
        """Yield batches in which another row takes over a unique key that is referred to."""
        rules = self._rules.of[relation]
        copy = self._variations.clone(either, relation, row)
        targets = {item.parent_places for item in self._rules.references_to[relation]}
        for places in targets.intersection(rules.other_keys):
            heir = replaced(copy, dict(zip(places, pick(row, places), strict=True)))
            for values in ({}, *self._variations.alternatives(one, relation, heir)):
                yield (
                    RowChange(relation, row, None),
                    RowChange(relation, None, replaced(heir, values)),
                )
