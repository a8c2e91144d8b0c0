"""Algorithm 3.1 of the paper, as printed: what it would store, to compare with.

Quass, Gupta, Mumick and Widom, section 3, with appendix B for general join graphs: an auxiliary
view for every relation, except one that depends on all others and that no relation needs;
projected on the key, the preserved columns and the columns of join conditions; reduced by its
local conditions and by semijoins with the auxiliary views of all its direct dependencies.
"""

from __future__ import annotations

from catalog.scalar import columns_of, occurrences_of
from planner.analysis import Analysis
from planner.auxiliary import Need
from planner.design import Request
from planner.need import needed_relations
from planner.shapes import shapes_of


def paper_needs(analysis: Analysis) -> list[Need]:
    """Return what Algorithm 3.1 stores for a view."""
    names = analysis.graph.occurrences
    needed = {
        other
        for name in names
        for other in needed_relations(
            analysis.graph, name, lambda item: analysis.key_match(item) is not None
        )
    }
    stored = [
        name
        for name in names
        if name in needed or set(analysis.transitive[name]) != set(names) - {name}
    ]
    reducers = {
        name: tuple(
            {
                edge.target: edge
                for edge in reversed(analysis.graph.outgoing[name])
                if edge.foreign_key is not None
                and edge.target in analysis.direct[name]
                and analysis.position[edge.target] < analysis.position[name]
            }.values()
        )
        for name in names
    }
    shapes = shapes_of(analysis, analysis.closure.local, reducers)
    needs = []
    for name in stored:
        relation = analysis.relation(name)
        columns = set(relation.primary_key)
        for output in analysis.view.outputs:
            columns.update(
                item.column for item in columns_of(output.expression) if item.occurrence == name
            )
        for tree in analysis.view.conditions:
            if len(occurrences_of(tree)) > 1:
                columns.update(item.column for item in columns_of(tree) if item.occurrence == name)
        request = Request(
            name,
            relation,
            analysis.closure.local[name],
            reducers[name],
            frozenset(edge.target for edge in reducers[name] if edge.target not in stored),
            tuple(item for item in relation.column_names if item in columns),
            True,
            "a relation needs it" if name in needed else "it does not depend on all others",
        )
        loading = frozenset(shapes[target] for target in request.loading)
        needs.append(Need(analysis.view.name, request, shapes[name], loading))
    return needs
