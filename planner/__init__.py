"""What we decide: closure, join graph, auxiliary views, maintenance expressions, sizes, advice."""

from planner.plan import MartPlan, Method
from planner.planner import plan_mart

__all__ = ["MartPlan", "Method", "plan_mart"]
