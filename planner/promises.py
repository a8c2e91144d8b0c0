"""What promises imply together: a row that arrives with a parent needs a parent that can arrive."""

from __future__ import annotations

from dataclasses import replace

from catalog.relation import ForeignKey, Promise, Relation, Schema


def implied_promises(schema: Schema) -> Schema:
    """Return the relations with every promise that follows from another relation's.

    A relation that arrives with a parent that never gets rows never gets rows itself, unless the
    foreign key may be null; the same for departures.
    """
    while True:
        relations = tuple(
            replace(relation, promise=_implied(schema, relation)) for relation in schema.relations
        )
        if relations == schema.relations:
            return schema
        schema = Schema(relations)


def _implied(schema: Schema, relation: Relation) -> Promise:
    promise = relation.promise
    never_inserted = any(
        _is_required(relation, foreign_key)
        and not schema.relation(foreign_key.parent).promise.inserts
        for foreign_key in promise.arrives_with
    )
    never_deleted = any(
        _is_required(relation, foreign_key)
        and not schema.relation(foreign_key.parent).promise.deletes
        for foreign_key in promise.departs_with
    )
    return replace(
        promise,
        inserts=promise.inserts and not never_inserted,
        deletes=promise.deletes and not never_deleted,
    )


def _is_required(relation: Relation, foreign_key: ForeignKey) -> bool:
    return not any(relation.column(name).nullable for name in foreign_key.columns)
