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
    tested = {name for condition in view.conditions for name in columns_of(condition)}
    shown = {name for output in view.outputs for name in columns_of(output.expression)}
    classes = {}
    for occurrence in view.occurrences:
        updatable = set(schema.relation(occurrence.relation).promise.updates)
        if any(name.occurrence == occurrence.name and name.column in updatable for name in tested):
            classes[occurrence.name] = UpdateClass.EXPOSED
        elif any(name.occurrence == occurrence.name and name.column in updatable for name in shown):
            classes[occurrence.name] = UpdateClass.PROTECTED
        else:
            classes[occurrence.name] = UpdateClass.IGNORABLE
    return classes
