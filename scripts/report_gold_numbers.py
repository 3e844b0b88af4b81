"""Read the gold answers of public financial question files, and check each against what its file says beside it.

    python scripts/report_gold_numbers.py ../shared/data/questions
    python scripts/report_gold_numbers.py ../shared/data/questions --format json

Every expectation is formed without finassay: from the structured fields of the file (an executed program, a scale,
an arithmetic derivation, the unit in the question) or by a plain reading of the digits. Only answers that are one
number or one date are checked; the others are counted as texts and left alone.
"""

from __future__ import annotations

import argparse
import ast
import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import date
from fractions import Fraction
from pathlib import Path

from finassay.grading import Unparsed, parse_date, parse_period, parse_quantity

FILES = {
    "TAT-QA dev": "tatqa_dataset_dev.json.gz",
    "ConvFinQA subset": "convfinqa_subset.json.gz",
    "BizFinBench v1 numerical": "bizfinbench_v1_Financial_Numerical_Computation.jsonl.gz",
    "BizFinBench v1 entities": "bizfinbench_v1_Financial_Named_Entity_Recognition.jsonl.gz",
    "FinanceBench open": "financebench_open_150.jsonl.gz",
    "FinanceReasoning hard": "financereasoning_hard.json.gz",
    "FinQA subset": "finqa_subset.jsonl.gz",
}
SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "亿": 10**8, "万": 10**4}


@dataclass(frozen=True)
class Gold:
    """One gold answer and what its file says about it; None where the file says nothing."""

    file: str
    id: str
    kind: str  # number, date, text
    raw: object
    default_unit: str | None = None
    value: Fraction | None = None  # of the printed number, before its scale
    tolerance: Fraction = Fraction(0)
    magnitude: Fraction | None = None  # of the number with scale, and percent as a ratio
    scale: int = 1
    unit: str | None = None
    day: date | None = None
    evidence: str = "digits"


YEAR_ONLY = "the year alone"  # of a date whose day and month the file does not say in another way


@dataclass(frozen=True)
class Outcome:
    """What became of one gold."""

    file: str
    id: str
    kind: str
    raw: str
    outcome: str  # agreed, disagreed, unparsed, text
    reason: str
    evidence: str
    printed: bool  # a text, not a number of JSON


# ---- what a text says, read plainly ----

_NUMBER_WORDS = re.compile(
    r"(?<![a-z])(?:million|billion|thousand|m|approximately|about|us|usd|inr|rmb|s|a|au|rs|p|cents|per ordinary share"
    r"|days|years|months|percent|per cent|times)(?![a-z])"
)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"


def looks_like_a_number(text: str) -> bool:
    """Digits, punctuation of numbers and a few words; everything else is a text."""
    bare = _NUMBER_WORDS.sub("", text.lower())
    return bool(re.search(r"\d", text)) and not re.search(r"[^\d\s.,$€£¥`%()~+−–—-]", bare)


def looks_like_a_date(text: str) -> bool:
    return bool(
        re.fullmatch(
            rf"(?:\d{{1,2}} )?{_MONTH}\.? (?:\d{{1,2}}, ?)?\d{{4}}|\d{{4}}年\d{{1,2}}月\d{{1,2}}日",
            text.lower(),
        )
    )


def plain_value(text: str) -> Fraction:
    """The digits of an English number with its sign, and nothing else."""
    digits = re.sub(r"[^\d.]", "", text).strip(".")
    negative = bool(re.search(r"\(.*\d.*\)|[-–−]\s*[$€£]?\s*\d", text))
    return -Fraction(digits) if negative else Fraction(digits)


def plain_scale(text: str) -> int:
    if re.search(r"\dm\b", text):
        return 10**6
    return next((size for word, size in SCALES.items() if word in text.lower()), 1)


_SIGNS = {
    "%": "percent", "per cent": "percent", "US$": "USD", "USD": "USD", "S$": "SGD", "RMB": "CNY", "$": "USD",
    "€": "EUR", "£": "GBP", "INR": "INR", "Rs": "INR", "days": "day", "years": "year", "months": "month",
}  # fmt: skip


def plain_unit(text: str) -> str | None:
    if re.search(r"\dp$", text):  # pence
        return "GBX"
    return next((unit for sign, unit in _SIGNS.items() if sign in text), None)


# ---- the files ----


def load(folder: Path, name: str) -> list[dict]:
    with gzip.open(folder / name, "rt", encoding="utf-8") as stream:
        return [json.loads(line) for line in stream] if ".jsonl" in name else json.load(stream)


def tatqa(folder: Path) -> Iterator[Gold]:
    file = "TAT-QA dev"
    for question in (q for table in load(folder, FILES[file]) for q in table["questions"]):
        answer, scale = question["answer"], question["scale"] or None
        if question["answer_type"] == "arithmetic":
            printed = Fraction(str(answer))
            yield Gold(
                file, question["uid"], "number", answer, scale, printed, scale=SCALES.get(scale or "", 1),
                unit="percent" if scale == "percent" else None, evidence=_derivation_evidence(question),
            )  # fmt: skip
            continue
        for place, text in enumerate(answer if isinstance(answer, list) else [answer]):
            yield _tatqa_text(file, f"{question['uid']}/{place}", text, scale, question["question"])


def _tatqa_text(file: str, uid: str, text: str, scale: str | None, question: str) -> Gold:
    if looks_like_a_date(text):
        return Gold(file, uid, "date", text, evidence="digits")
    if re.fullmatch(r"20\d\d|19\d\d", text) and re.search(r"\b(?:years?|when)\b", question, re.IGNORECASE):
        return Gold(file, uid, "date", text, day=date(int(text), 12, 31), evidence="digits")
    if not looks_like_a_number(text):
        return Gold(file, uid, "text", text)
    stated = plain_scale(text)
    unit = plain_unit(text) or ("percent" if scale == "percent" else None)
    return Gold(
        file, uid, "number", text, scale, plain_value(text), unit=unit, evidence="scale field" if scale else "digits",
        scale=stated if stated != 1 or unit == "percent" else SCALES.get(scale or "", 1),
    )  # fmt: skip


def _derivation_evidence(question: dict) -> str:
    """Say whether the file's own arithmetic gives the file's own answer."""
    answer = Fraction(str(question["answer"]))
    decimals = len(str(question["answer"]).partition(".")[2])
    slack = Fraction(1, 2 * 10**decimals) * (1 + Fraction(1, 10**6))
    for negative_brackets in (False, True):
        result = evaluate(question["derivation"], negative_brackets)
        if result is not None:
            candidates = [result, 100 * result] if question["scale"] == "percent" else [result]
            if any(abs(candidate - answer) <= slack for candidate in candidates):
                return "derivation"
    return "scale field"


def plain_operand(text: str) -> Fraction:
    """The digits of an operand; brackets around it are its minus, and a percent sign changes nothing."""
    size = Fraction("0" + re.sub(r"[^\d.]", "", text))
    return -size if text.startswith("(") else size


_OPERAND = r"(?:[$£€]? ?\d[\d,]*(?:\.\d+)?%?|[$£€]? ?\.\d+%?)"


def evaluate(derivation: str, negative_brackets: bool) -> Fraction | None:
    """Work a derivation out, or None where it is not plain arithmetic."""
    text = derivation.strip().replace("–", "-").replace("×", "*").replace("[", "(").replace("]", ")")
    operands: list[Fraction] = []

    def keep(match: re.Match[str]) -> str:
        operands.append(plain_operand(match.group()))
        return f"v{len(operands) - 1}"

    try:
        if negative_brackets:
            text = re.sub(rf"(?:(?<=[-+*/( ])|^)\({_OPERAND}\)", keep, text)
        text = re.sub(rf"(?<![v\d]){_OPERAND}", keep, text)
        return _work_out(ast.parse(text, mode="eval").body, operands)
    except (SyntaxError, ZeroDivisionError, ValueError):
        return None


def _work_out(node: ast.expr, operands: list[Fraction]) -> Fraction:
    if isinstance(node, ast.Name) and re.fullmatch(r"v\d+", node.id):
        return operands[int(node.id[1:])]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_work_out(node.operand, operands)
    if isinstance(node, ast.BinOp):
        left, right = _work_out(node.left, operands), _work_out(node.right, operands)
        match node.op:
            case ast.Add():
                return left + right
            case ast.Sub():
                return left - right
            case ast.Mult():
                return left * right
            case ast.Div():
                return left / right
    raise ValueError("not plain arithmetic")


def convfinqa(folder: Path) -> Iterator[Gold]:
    file = "ConvFinQA subset"
    for item in load(folder, FILES[file])["dev"]:
        turns = item["dialogue"]
        rows = zip(turns["conv_answers"], turns["executed_answers"], turns["turn_program"], strict=True)
        for place, (text, executed, program) in enumerate(rows):
            if isinstance(executed, str):
                yield Gold(file, f"{item['id']}/{place}", "text", text)
                continue
            unit = plain_unit(text)
            last_digit = Fraction(1, 10 ** len(re.sub(r"[^\d.]", "", text).partition(".")[2]))
            in_percent = unit == "percent" and re.search(r"multiply\(#\d+, const_100\)$", program)
            size = Fraction(1, 100) if unit == "percent" else Fraction(1)
            yield Gold(
                file, f"{item['id']}/{place}", "number", text, unit=unit,
                magnitude=Fraction(str(executed)) / (100 if in_percent else 1),
                tolerance=last_digit * size + Fraction(1, 10**5), evidence="executed program",
            )  # fmt: skip


def bizfinbench(folder: Path) -> Iterator[Gold]:
    file = "BizFinBench v1 numerical"
    for place, item in enumerate(load(folder, FILES[file])):
        text = item["choices"][0]["message"]["content"][0]["text"]
        prompt = "".join(part["text"] for part in item["messages"][-1]["content"])
        question = (re.findall(r"question[:：] ?(.*)", prompt) or [""])[-1]
        digits = re.fullmatch(r"(20\d\d)(\d\d)(\d\d)|(20\d\d)年(\d+)月(\d+)日", text.strip())
        if digits:
            year, month, day = (int(group) for group in digits.groups() if group)
            yield Gold(file, str(place), "date", text, day=date(year, month, day), evidence="digits")
            continue
        asked = re.search(r"多少(亿元|万元|元|亿港元|港元|港币|亿美元|美元|%|％)", question)
        phrase = asked[1] if asked else None
        yield Gold(
            file, str(place), "number", text, phrase, plain_value(text), scale=plain_scale(phrase or ""),
            unit=_asked_unit(phrase), evidence="unit in the question" if phrase else "digits",
        )  # fmt: skip


def bizfinbench_entities(folder: Path) -> Iterator[Gold]:
    """The gold spans of dates and times; those that name no year ("last month") are texts."""
    file = "BizFinBench v1 entities"
    for place, item in enumerate(load(folder, FILES[file])):
        golds = item["choices"][0]["message"]["content"][0]["text"]
        for number, text in enumerate(re.findall(r'"type":"Date_Time"[^}]*"text":"([^"]*)"', golds)):
            kind = "date" if re.match(r"(?:19|20)\d\d", text) else "text"
            digits = re.fullmatch(r"(20\d\d)年(\d+)月(\d+)日", text)
            yield Gold(
                file,
                f"{place}/{number}",
                kind,
                text,
                day=_day(*map(int, digits.groups())) if digits else None,
            )


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:  # one gold prints 29 February 2023
        return None


def _asked_unit(phrase: str | None) -> str | None:
    if phrase is None:
        return None
    if phrase in "%％":
        return "percent"
    return "HKD" if "港" in phrase else "USD" if "美" in phrase else "CNY"


def financebench(folder: Path) -> Iterator[Gold]:
    file = "FinanceBench open"
    for item in load(folder, FILES[file]):
        text = item["answer"]
        if not looks_like_a_number(text):
            yield Gold(file, item["financebench_id"], "text", text)
            continue
        asked = re.search(r"USD (thousand|million|billion)s", item["question"])
        scale = SCALES[asked[1]] if asked and "$" in text else plain_scale(text)
        yield Gold(
            file, item["financebench_id"], "number", text, asked[0] if asked and "$" in text else None,
            plain_value(text), scale=scale, unit=plain_unit(text),
            evidence="unit in the question" if asked else "digits",
        )  # fmt: skip


def financereasoning(folder: Path) -> Iterator[Gold]:
    file = "FinanceReasoning hard"
    for item in load(folder, FILES[file]):
        truth = item["ground_truth"]
        if isinstance(truth, bool):
            yield Gold(file, item["question_id"], "text", truth)
        else:
            yield Gold(
                file, item["question_id"], "number", truth, value=Fraction(str(truth)), evidence="JSON number"
            )


def finqa(folder: Path) -> Iterator[Gold]:
    file = "FinQA subset"
    for item in load(folder, FILES[file]):
        yield Gold(
            file,
            item["id"],
            "number",
            item["gold_answer"],
            value=Fraction(item["gold_answer"]),
            evidence="digits",
        )


READERS = (tatqa, convfinqa, bizfinbench, bizfinbench_entities, financebench, financereasoning, finqa)


# ---- the check ----


def check(gold: Gold) -> Outcome:
    def outcome(word: str, reason: str = "") -> Outcome:
        return Outcome(
            gold.file,
            gold.id,
            gold.kind,
            str(gold.raw),
            word,
            reason,
            YEAR_ONLY if gold.kind == "date" and gold.day is None else gold.evidence,
            isinstance(gold.raw, str),
        )

    if gold.kind == "text":
        return outcome("text")
    try:
        wrong = _wrong_date(gold) if gold.kind == "date" else _wrong_number(gold)
    except Unparsed as error:
        return outcome("unparsed", error.reason)
    return outcome("disagreed", wrong) if wrong else outcome("agreed")


def _wrong_date(gold: Gold) -> str:
    if (
        gold.day is None
    ):  # "December 31, 2018", "27 May 2019", "May 2014": the year is all that can be read plainly
        return "" if str(parse_period(gold.raw).end.year) in str(gold.raw) else "year"
    if re.fullmatch(r"\d{4}", str(gold.raw)):
        return "" if parse_period(gold.raw).end == gold.day else "period"
    return "" if parse_date(gold.raw) == gold.day else "date"


def _wrong_number(gold: Gold) -> str:
    quantity = parse_quantity(gold.raw, default_unit=gold.default_unit)
    if gold.magnitude is not None:
        found = Fraction(quantity.to("ratio") if quantity.unit == "percent" else quantity.magnitude)
        if abs(found - gold.magnitude) > gold.tolerance:
            return "sign" if abs(found + gold.magnitude) <= gold.tolerance else "value"
    if gold.value is not None and abs(Fraction(quantity.value) - gold.value) > gold.tolerance:
        return "value"
    if quantity.scale != gold.scale:
        return "scale"
    return "" if quantity.unit == gold.unit else "unit"


def report(folder: Path) -> list[Outcome]:
    """Check every gold of every file."""
    return [check(gold) for reader in READERS for gold in reader(folder)]


def print_table(outcomes: list[Outcome]) -> None:
    print(
        "| file | golds | texts | numbers and dates | of them dates | parsed and agreed "
        "| agreed on the year alone | disagreed | not parsed |"
    )
    print("| --- | --: | --: | --: | --: | --: | --: | --: | --: |")
    for file in (*FILES, "all"):
        rows = [row for row in outcomes if file in {row.file, "all"}]
        count = Counter(row.outcome for row in rows)
        dates = sum(row.kind == "date" for row in rows)
        year_only = sum(row.outcome == "agreed" and row.evidence == YEAR_ONLY for row in rows)
        print(
            f"| {file} | {len(rows):,} | {count['text']:,} | {len(rows) - count['text']:,} | {dates:,} "
            f"| {count['agreed'] - year_only:,} | {year_only:,} | {count['disagreed']:,} | {count['unparsed']:,} |"
        )
    printed = [
        row for row in outcomes if row.outcome == "agreed" and row.printed and row.evidence != YEAR_ONLY
    ]
    numbers = sum(row.kind == "number" for row in printed)
    print(
        f"\nof the agreed without the year alone, {len(printed):,} are printed text ({numbers:,} numbers); "
        "the rest are numbers of JSON"
    )
    print("\nagreed, by the evidence they were checked against:")
    for (file, evidence), n in sorted(
        Counter(
            (r.file, f"{r.evidence}, of {'text' if r.printed else 'a JSON number'}")
            for r in outcomes
            if r.outcome == "agreed"
        ).items()
    ):
        print(f"  {n:5,}  {file}: {evidence}")
    for word in ("unparsed", "disagreed"):
        print(f"\n{word}:")
        for row in outcomes:
            if row.outcome == word:
                print(f"  {row.file}  {row.reason:<14} {row.raw!r}  ({row.id}; against: {row.evidence})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="the folder with the question files")
    parser.add_argument("--format", choices=("table", "json"), default="table")
    arguments = parser.parse_args()
    outcomes = report(arguments.folder)
    if arguments.format == "json":
        print(
            json.dumps(
                [asdict(row) for row in outcomes if row.outcome != "text"], ensure_ascii=False, indent=1
            )
        )
    else:
        print_table(outcomes)


if __name__ == "__main__":
    main()
