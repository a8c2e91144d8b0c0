"""What updates of a relation can do to a view: exposed, protected or ignorable.

Quass et al., section 2, decided for each occurrence of a relation by itself.
"""

from __future__ import annotations

from catalog.relation import Schema
from catalog.scalar import columns_of
from catalog.view import View
from planner.plan import UpdateClass


def classify_updates(schema: Schema, view: View) -> dict[str, UpdateClass]:
    """Return the update class of every occurrence of a view."""
    tested: dict[str, set[str]] = {item.name: set() for item in view.occurrences}
    shown: dict[str, set[str]] = {item.name: set() for item in view.occurrences}
    for condition in view.conditions:
        for name in columns_of(condition):
            tested[name.occurrence].add(name.column)
    for output in view.outputs:
        for name in columns_of(output.expression):
            shown[name.occurrence].add(name.column)
    classes = {}
    for occurrence in view.occurrences:
        updatable = set(schema.relation(occurrence.relation).promise.updates)
        if tested[occurrence.name] & updatable:
            classes[occurrence.name] = UpdateClass.EXPOSED
        elif shown[occurrence.name] & updatable:
            classes[occurrence.name] = UpdateClass.PROTECTED
        else:
            classes[occurrence.name] = UpdateClass.IGNORABLE
    return classes
