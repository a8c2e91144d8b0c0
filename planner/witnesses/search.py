"""The search for two sources that a mart cannot tell apart and that must differ after a batch.

It starts from a small source in which a view has a row, varies it, and sorts the variations by what
the mart would hold of them. Two that look the same, but not to the table whose need is in question,
are tried with every simple batch that fits both. What is found is then made as small as possible.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, combinations, islice
from random import Random
from typing import ClassVar

from planner.witnesses.derivations import derivations
from planner.witnesses.evaluate import Bag
from planner.witnesses.question import Found, Question
from planner.witnesses.small_batches import Batches
from planner.witnesses.small_states import Batch, Row, State, rows_of
from planner.witnesses.variations import Variations

# For each of the four ways to choose states and batches, shared by the templates of all views.
_MOST_CHECKS = 20_000
_MOST_STATES = 1_000
_MOST_WALKS = 150
# For each template.
_MOST_BASES = 40
_MOST_PAIRS_PER_STATE = 12
# For each view.
_MOST_TEMPLATES = 6

Pair = tuple[State, State]
Candidate = tuple[State, State, Batch]


class Search:
    """A bounded search for the answer to one question."""

    def __init__(self, question: Question) -> None:
        """Find the small sources to start from."""
        self._question = question
        self._surroundings = list(self._all_surroundings())
        self._hidden: Found | None = None

    def _all_surroundings(self) -> Iterator[Surroundings]:
        views = [watched.view for watched in self._question.views]
        seen: set[_StateKey] = set()
        for view in views:
            for template in islice(derivations(view, self._question.completer), _MOST_TEMPLATES):
                if _key(template) not in seen:
                    seen.add(_key(template))
                    yield Surroundings(self._question, template)

    def find(self) -> Found | None:
        """Return the smallest proof that was found, one that readers see if there is one."""
        parts = len(self._surroundings)
        for way in Surroundings.WAYS:
            for surroundings in self._surroundings:
                for candidate in islice(way(surroundings, parts), _MOST_CHECKS // parts):
                    found = self._question.answer(*candidate)
                    if found is not None and found.is_read:
                        return self._smaller(found)
                    self._hidden = self._hidden or found
        return self._smaller(self._hidden) if self._hidden is not None else None

    def _smaller(self, found: Found) -> Found:
        """Leave out whatever is not needed for the proof."""
        for simpler in self._simplifications(found):
            proof = self._question.proof(*simpler)
            if proof is not None and proof.is_read >= found.is_read:
                return self._smaller(proof)
        return found

    def _simplifications(self, found: Found) -> Iterator[tuple[State, State, Batch]]:
        one, two, batch = found.one, found.two, found.batch
        rules = self._question.rules
        for position in range(len(batch)):
            yield one, two, batch[:position] + batch[position + 1 :]
        for relation, row in rows_of(one):
            key = rules.of[relation].key_of(row)
            fewer = rules.without_row(one, relation, row)
            rest = tuple(change for change in batch if change.before != row)
            other = two[relation].get(key)
            if other is not None:
                yield fewer, rules.without_row(two, relation, other), rest
            yield fewer, two, batch
        for relation, row in rows_of(two):
            yield one, rules.without_row(two, relation, row), batch
            original = one[relation].get(rules.of[relation].key_of(row))
            if original is not None and original != row:
                yield one, rules.with_row(two, relation, original), batch


class Surroundings:
    """The states around a template, the pairs of them that look the same, and batches for those."""

    def __init__(self, question: Question, template: State) -> None:
        """Start from a source in which a view has a row."""
        views = [watched.view for watched in question.views]
        self._question = question
        self._variations = Variations(
            question.completer, views, question.used, template, question.focus
        )
        self._batches = Batches(self._variations)
        self._bases = list(self._variations.bases(template, _MOST_BASES))
        # Every state around a large one takes longer, and there are more of them.
        self._effort = max(1, (sum(map(len, template.values())) // 5) ** 2)
        self._edited: list[State] = []
        self._pairs: list[Pair] = []
        self._seen: set[_StateKey] = set()
        self._paired: set[frozenset[_StateKey]] = set()

    def one_edit(self, parts: int) -> Iterator[Candidate]:
        """Yield pairs of states one edit away from a base, with every simple batch."""
        return self._around(self._bases[: self._share(_MOST_STATES, parts)])

    def two_edits(self, parts: int) -> Iterator[Candidate]:
        """Yield pairs of states two edits away from a base, with every simple batch."""
        return self._around(self._edited[: self._share(_MOST_STATES, parts)])

    def _share(self, limit: int, parts: int) -> int:
        return limit // (parts * self._effort) + 1

    def _around(self, states: Sequence[State]) -> Iterator[Candidate]:
        for state in states:
            around = list(self._variations.neighbours(state))
            self._edited.extend(other for other in around if self._is_new(other))
            for one, two in self._alike([state, *around]):
                self._pairs.append((one, two))
                for batch in self._batches.fitting(one, two):
                    yield one, two, batch

    def compound(self, parts: int) -> Iterator[Candidate]:
        """Yield the pairs that were found so far, with two simple batches in one."""
        random = Random(1996)
        share = _MOST_CHECKS // parts // max(len(self._pairs), 1) + 1
        for one, two in self._pairs:
            simple = list(self._batches.fitting(one, two))
            for _ in range(share if len(simple) > 1 else 0):
                first, second = random.sample(simple, 2)
                yield one, two, first + second

    def random_walks(self, parts: int) -> Iterator[Candidate]:
        """Yield pairs around random states, several edits away, with random batches."""
        random = Random(1996)
        for _ in range(self._share(_MOST_WALKS, parts)):
            state = random.choice(self._bases)
            for _ in range(random.randint(2, 4)):
                state = random.choice([state, *self._variations.neighbours(state)])
            for one, two in self._alike([state, *self._variations.neighbours(state)]):
                simple = list(self._batches.fitting(one, two))
                for batch in simple:
                    others = random.sample(simple, min(len(simple), random.randint(0, 2)))
                    yield one, two, tuple(dict.fromkeys(chain(batch, *others)))

    WAYS: ClassVar = (one_edit, two_edits, compound, random_walks)

    def _is_new(self, state: State) -> bool:
        key = _key(state)
        known = key in self._seen
        self._seen.add(key)
        return not known

    def _alike(self, states: Sequence[State]) -> list[Pair]:
        """Return the new pairs among states that look the same, but not to the missing table."""
        groups: dict[tuple[Bag, ...], list[State]] = {}
        for state in states:
            looks = self._question.looks(state)
            if looks is not None:
                groups.setdefault(looks, []).append(state)
        pairs = chain.from_iterable(combinations(group, 2) for group in groups.values())
        different = (
            (one, two)
            for one, two in pairs
            if self._question.missing(one) != self._question.missing(two)
            and self._is_new_pair(one, two)
        )
        return list(islice(different, _MOST_PAIRS_PER_STATE))

    def _is_new_pair(self, one: State, two: State) -> bool:
        key = frozenset((_key(one), _key(two)))
        known = key in self._paired
        self._paired.add(key)
        return not known


_StateKey = tuple[frozenset[Row], ...]


def _key(state: State) -> _StateKey:
    return tuple(frozenset(rows.values()) for rows in state.values())
