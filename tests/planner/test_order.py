"""The order of propagation, and what is new together: design sections 5.2, 5.3 and 6."""

from __future__ import annotations

from planner.analysis import Analysis
from planner.order import companions, propagation_order
from planner.plan import Change, UpdateClass
from tests.planner.written import analysed, retail

SHIPPING = """
CREATE TABLE container (id INT PRIMARY KEY, vessel STRING);
CREATE TABLE shipment (id INT PRIMARY KEY, container_id INT REFERENCES container (id));
CREATE TABLE position (id INT PRIMARY KEY, shipment_id INT REFERENCES shipment (id));
CREATE TABLE form (id INT PRIMARY KEY, container_id INT REFERENCES container (id));
"""
ALL = """
SELECT position.id FROM position, shipment, container, form
WHERE position.shipment_id = shipment.id AND shipment.container_id = container.id
  AND form.container_id = container.id
"""
HEADS = """
CREATE TABLE department (id INT PRIMARY KEY, head_id INT REFERENCES employee (id));
CREATE TABLE employee (id INT PRIMARY KEY, department_id INT REFERENCES department (id));
"""
OWN_HEADS = """
SELECT {} FROM department, employee
WHERE department.head_id = employee.id AND employee.department_id = department.id
"""


def frozen(*names: str, **promises: str) -> str:
    return "\n".join(
        f"[relations.{name}]\nupdates = []\n{promises.get(name, '')}" for name in names
    )


SHIPPING_NAMES = ("container", "shipment", "position", "form")
NO_UPDATES = frozen(*SHIPPING_NAMES)


def test_what_is_referred_to_comes_first() -> None:
    mart = retail()
    assert Analysis(mart.schema, mart.views[0]).order == ("store", "sale", "item", "line")
    assert analysed(SHIPPING, ALL).order == ("container", "shipment", "position", "form")


def test_the_last_of_a_cycle_has_exposed_updates_or_a_preserved_key() -> None:
    analysis = analysed(HEADS, OWN_HEADS.format("department.id"), frozen("department", "employee"))
    graph = analysis.graph
    calm = dict.fromkeys(graph.occurrences, UpdateClass.PROTECTED)
    assert propagation_order(graph, calm, ["department"]) == ("employee", "department")
    assert propagation_order(graph, calm, ["employee"]) == ("department", "employee")
    exposed = {**calm, "employee": UpdateClass.EXPOSED}
    assert propagation_order(graph, exposed, ["department"]) == ("department", "employee")


def test_an_old_row_cannot_refer_to_a_new_one() -> None:
    graph = analysed(SHIPPING, ALL, NO_UPDATES).graph
    found = companions(graph, "container", Change.INSERT)
    assert found.by_reference == {
        "shipment": "container",
        "form": "container",
        "position": "shipment",
    }
    assert found.by_promise == {}
    assert "position" in found
    assert "container" not in found


def test_without_promises_a_child_brings_nothing_along() -> None:
    graph = analysed(SHIPPING, ALL, NO_UPDATES).graph
    for change in (Change.INSERT, Change.DELETE):
        assert companions(graph, "position", change).names() == ()


def test_promises_are_followed_through_all_three_ways_of_being_new() -> None:
    """By promise, by a promise of what is new, and by reference to what is new (design 5.3)."""
    settings = frozen(
        *SHIPPING_NAMES,
        position='arrives_with = ["shipment"]',
        shipment='arrives_with = ["container"]',
    )
    graph = analysed(SHIPPING, ALL, settings).graph
    found = companions(graph, "position", Change.INSERT)
    assert found.by_promise == {"shipment": "position", "container": "shipment"}
    assert found.by_reference == {"form": "container"}
    assert companions(graph, "position", Change.DELETE).names() == ()
    assert companions(graph, "form", Change.INSERT).names() == ()


def test_departure_reads_the_batch_backwards() -> None:
    settings = frozen(*SHIPPING_NAMES, form='departs_with = ["container"]')
    graph = analysed(SHIPPING, ALL, settings).graph
    found = companions(graph, "form", Change.DELETE)
    assert found.by_promise == {"container": "form"}
    assert found.by_reference == {"shipment": "container", "position": "shipment"}
    assert companions(graph, "form", Change.INSERT).names() == ()


def test_a_row_that_turns_to_a_new_one_brings_nothing_along() -> None:
    """An old shipment that may move to a new container is in the batch; its positions are not."""
    settings = NO_UPDATES.replace(
        "[relations.shipment]\nupdates = []", '[relations.shipment]\nupdates = ["container_id"]'
    )
    found = companions(analysed(SHIPPING, ALL, settings).graph, "container", Change.INSERT)
    assert found.by_reference == {"shipment": "container", "form": "container"}


def test_along_a_cycle_everything_is_new() -> None:
    settings = frozen("department", "employee")
    graph = analysed(HEADS, OWN_HEADS.format("employee.id"), settings).graph
    for change in (Change.INSERT, Change.DELETE):
        assert companions(graph, "employee", change).by_reference == {"department": "employee"}
        assert companions(graph, "department", change).by_reference == {"employee": "department"}
