"""Which functions give the same value for the same arguments, at any time, on any machine."""

from __future__ import annotations

from sqlglot import exp

DETERMINISTIC_FUNCTIONS: frozenset[type[exp.Expr]] = frozenset(
    {
        # choice and conversion
        exp.Case,
        exp.Cast,
        exp.Coalesce,
        exp.Greatest,
        exp.If,
        exp.Least,
        exp.Nullif,
        exp.Nvl2,
        exp.TryCast,
        # numbers
        exp.Abs,
        exp.Ceil,
        exp.Exp,
        exp.Floor,
        exp.Ln,
        exp.Log,
        exp.Mod,
        exp.Pow,
        exp.Round,
        exp.Sign,
        exp.Sqrt,
        # text
        exp.Concat,
        exp.ConcatWs,
        exp.Contains,
        exp.EndsWith,
        exp.Initcap,
        exp.Left,
        exp.Length,
        exp.Lower,
        exp.Pad,
        exp.RegexpExtract,
        exp.RegexpLike,
        exp.RegexpReplace,
        exp.Repeat,
        exp.Replace,
        exp.Reverse,
        exp.Right,
        exp.StartsWith,
        exp.StrPosition,
        exp.Substring,
        exp.Trim,
        exp.Upper,
        # dates
        exp.AddMonths,
        exp.DateAdd,
        exp.DateDiff,
        exp.DateSub,
        exp.DateTrunc,
        exp.Day,
        exp.DayOfMonth,
        exp.DayOfWeek,
        exp.DayOfYear,
        exp.Extract,
        exp.Hour,
        exp.LastDay,
        exp.Minute,
        exp.Month,
        exp.Quarter,
        exp.Second,
        exp.TimestampTrunc,
        exp.TsOrDsAdd,
        exp.TsOrDsDiff,
        exp.TsOrDsToDate,
        exp.Week,
        exp.WeekOfYear,
        exp.Year,
    }
)

NON_DETERMINISTIC_FUNCTIONS: tuple[type[exp.Expr], ...] = (
    exp.CurrentDate,
    exp.CurrentDatetime,
    exp.CurrentSchema,
    exp.CurrentTime,
    exp.CurrentTimestamp,
    exp.CurrentUser,
    exp.Localtime,
    exp.Localtimestamp,
    exp.Rand,
    exp.Randn,
    exp.SessionUser,
    exp.Uuid,
)

# Functions that sqlglot has no class for.
NON_DETERMINISTIC_NAMES = frozenset(
    {
        "age",
        "clock_timestamp",
        "current_catalog",
        "current_database",
        "current_timezone",
        "gen_random_uuid",
        "getdate",
        "input_file_name",
        "monotonically_increasing_id",
        "nextval",
        "now",
        "random",
        "shuffle",
        "spark_partition_id",
        "statement_timestamp",
        "sysdate",
        "timeofday",
        "today",
        "transaction_timestamp",
        "txid_current",
        "unix_timestamp",
        "uuid",
        "version",
    }
)

# Texts that become the time of the query when they are cast to a date or a time.
CURRENT_TIME_TEXTS = frozenset({"now", "today", "tomorrow", "yesterday"})
