"""What follows from the counts that the BuySideFlow paper prints (arXiv text in the shared papers), recomputed.

Confidence intervals, the mean Jaccard similarity and co-occurrences need records that are not printed; the reference
page of this room lists them.
"""

from __future__ import annotations

import pytest

from finassay.statistics import (
    Ratings,
    Undefined,
    agreement,
    bounds,
    cohen_kappa,
    compare,
    mcnemar,
    proportion,
)

# Table 7: endpoint, n, primary positive, independent positive, agreement in %, kappa (None: undefined)
TABLE_7 = [
    ("Any PIT", 200, 119, 105, 91.0, 0.818),
    ("Any PIT, result pass", 83, 39, 34, 94.0, 0.878),
    ("Any PIT, result fail", 117, 80, 71, 88.9, 0.759),
    ("A1", 200, 98, 80, 90.0, 0.799),
    ("A2", 200, 16, 14, 97.0, 0.784),
    ("A3", 200, 57, 28, 85.5, 0.580),
    ("A4", 200, 46, 37, 82.5, 0.470),
    ("B1", 200, 12, 14, 99.0, 0.918),
    ("B2", 200, 22, 16, 96.0, 0.768),
    ("C1", 200, 0, 0, 100.0, None),
    ("C2", 200, 48, 27, 83.5, 0.468),
    ("C3", 200, 83, 63, 81.0, 0.594),
    ("D1", 200, 11, 4, 96.5, 0.519),
    ("E1", 200, 38, 73, 80.5, 0.532),
    ("E2", 200, 0, 9, 95.5, 0.000),
    ("E3", 200, 1, 0, 99.5, 0.000),
    ("E4", 200, 0, 0, 100.0, None),
    ("F1", 197, 4, 1, 98.5, 0.395),
    ("F2", 200, 0, 0, 100.0, None),
    ("F3", 200, 8, 3, 97.5, 0.535),
    ("F4", 200, 0, 1, 99.5, 0.000),
    ("G1", 197, 2, 2, 100.0, 1.000),
    ("G3", 197, 0, 0, 100.0, None),
    ("Group A", 200, 132, 118, 90.0, 0.788),
    ("Group B", 200, 33, 30, 95.5, 0.831),
    ("Group C", 200, 102, 77, 78.5, 0.572),
    ("Group D", 200, 11, 4, 96.5, 0.519),
    ("Group E", 200, 39, 80, 76.5, 0.465),
    ("Group F", 200, 9, 5, 97.0, 0.557),
    ("Group G", 197, 2, 2, 100.0, 1.000),
    ("Other", 200, 3, 1, 99.0, 0.496),
    ("Task/reference issue", 200, 13, 1, 94.0, 0.135),
    ("Infrastructure/runtime", 200, 0, 1, 99.5, 0.000),
]


def table_7_ratings(n: int, primary: int, independent: int, percent: float) -> Ratings:
    """The 2x2 table that the printed counts fix: disagreements d = n - agreeing, both = (P + I - d) / 2."""
    disagreeing = n - round(n * percent / 100)
    both, odd = divmod(primary + independent - disagreeing, 2)
    assert odd == 0, "the printed counts contradict each other"
    rows = [(1, 1)] * both + [(1, 0)] * (primary - both) + [(0, 1)] * (independent - both)
    return Ratings.of(rows + [(0, 0)] * (n - len(rows)), [0, 1], raters=["primary", "independent"])


@pytest.mark.parametrize(
    ("endpoint", "n", "primary", "independent", "percent", "kappa"), TABLE_7, ids=[row[0] for row in TABLE_7]
)
def test_table_7(
    endpoint: str, n: int, primary: int, independent: int, percent: float, kappa: float | None
) -> None:
    ratings = table_7_ratings(n, primary, independent, percent)
    assert ratings.class_table["1"] == {"primary": primary, "independent": independent}
    if kappa is None:
        with pytest.raises(Undefined) as refusal:
            cohen_kappa(ratings)
        assert refusal.value.reason == "one_class"
        return
    found = cohen_kappa(ratings)
    assert round(100 * found.observed, 1) == percent
    assert f"{abs(found.value):.3f}" == f"{kappa:.3f}"


def test_section_4_3_counts_behind_the_agreement() -> None:
    """182/200 (91.0%) and 78/83 (94.0%); appendix C.4: complete label sets agree on 56/197 (28.4%)."""
    for right, n, percent in ((182, 200, "91.0%"), (78, 83, "94.0%"), (56, 197, "28.4%")):
        assert str(proportion(right, n)).startswith(f"{right}/{n} ({percent}")


def test_the_passing_and_failing_rows_of_table_7_together_are_its_first_row() -> None:
    _, n, primary, independent, percent, kappa = TABLE_7[0]
    strata = [table_7_ratings(*row[1:5]) for row in TABLE_7[1:3]]
    rows = [labels for one in strata for labels in one.codes.tolist()]
    together = Ratings.of(rows, [0, 1], raters=["primary", "independent"])
    assert together.class_table["1"] == {"primary": primary, "independent": independent}
    found = cohen_kappa(together)
    assert (len(rows), round(100 * found.observed, 1), round(found.value, 3)) == (n, percent, kappa)


def test_the_report_on_a_rare_label_shows_why_kappa_and_ac1_differ() -> None:
    """Task/reference issue: 94.0% agreement, kappa 0.135; AC1 is high, and the class table says why."""
    report = agreement(table_7_ratings(200, 13, 1, 94.0))
    # pi = 14 / 400; p_e = 2 pi (1 - pi)
    chance = 2 * (14 / 400) * (386 / 400)
    assert report.coefficients["gwet_ac1"].value == pytest.approx((0.94 - chance) / (1 - chance))
    assert report.class_table["1"] == {"primary": 13, "independent": 1}


# Printed shares: numerator, denominator, percent, where
SHARES = [
    (193, 380, "50.8%", "4.3, PIT violations among result passes"),
    (345, 520, "66.3%", "4.3, PIT violations among result failures"),
    (188, 380, "49.5%", "4.3, both disputed conditions as non-PIT"),
    (198, 380, "52.1%", "4.3, both as PIT, with the unannotated cases"),
    (347, 520, "66.7%", "C.6, result failures with the unannotated cases"),
    (113, 193, "58.5%", "4.3, discrepancy or failure under perturbation"),
    (102, 193, "52.8%", "C.6, without the two sets of records"),
    (104, 188, "55.3%", "C.6, disputed as non-PIT"),
    (117, 198, "59.1%", "C.6, disputed as PIT"),
    (113, 135, "83.7%", "C.6, of attempted executions"),
    (993, 3672, "27.0%", "4.2, passing runs"),
    (169, 408, "41.4%", "4.2, tasks that no configuration passes"),
    (10, 408, "2.5%", "4.2, tasks that all pass"),
    (208, 408, "51.0%", "C.1, tasks with a recorded issue"),
    (311, 408, "76.2%", "Table 1, disclosure cutoff"),
    (272, 408, "66.7%", "Table 1, historical state"),
    (23, 55, "41.8%", "D.1, violations among passes, with guidance"),
    (26, 44, "59.1%", "D.1, violations among passes, without"),
    (9, 380, "2.4%", "Figure 3, other errors among passes"),
    (13, 520, "2.5%", "Figure 3, other errors among failures"),
    (148, 216, "68.5%", "4.2, macroeconomic runs"),
]


@pytest.mark.parametrize(("right", "n", "percent", "where"), SHARES, ids=[row[3] for row in SHARES])
def test_printed_shares(right: int, n: int, percent: str, where: str) -> None:
    assert str(proportion(right, n)).startswith(f"{right}/{n} ({percent}, 95% CI ")


# Table 8: audit-positive H, flagged F, both T, precision, recall
TABLE_8 = [
    (538, 188, 182, "96.8%", "33.8%"),
    (538, 200, 188, "94.0%", "34.9%"),
    (193, 48, 46, "95.8%", "23.8%"),
    (193, 54, 49, "90.7%", "25.4%"),
    (449, 72, 59, "81.9%", "13.1%"),
    (88, 117, 81, "69.2%", "92.0%"),
    (289, 91, 75, "82.4%", "26.0%"),
    (119, 43, 39, "90.7%", "32.8%"),
    (104, 43, 36, "83.7%", "34.6%"),
    (39, 13, 11, "84.6%", "28.2%"),
    (34, 13, 8, "61.5%", "23.5%"),
]


@pytest.mark.parametrize(("positive", "flagged", "both", "precision", "recall"), TABLE_8)
def test_table_8(positive: int, flagged: int, both: int, precision: str, recall: str) -> None:
    assert f"({precision}," in str(proportion(both, flagged))
    assert f"({recall}," in str(proportion(both, positive))


def test_the_checker_on_passes_misses_between_two_thirds_and_four_fifths() -> None:
    """49/193 (25.4%), 144 unflagged. What the paper leaves unsaid: the Wilson interval of that recall."""
    recall = proportion(49, 193)
    assert recall.denominator - recall.numerator == 144
    assert 0.19 < recall.low < 49 / 193 < recall.high < 0.33


def test_the_disputed_labels_as_bounds() -> None:
    """C.6: 188 of 380 without the disputed labels, 198 with them: ten records decide, 182 are clear."""
    found = bounds(right=188, wrong=182, unknown=10)
    assert [str(rate).split(",")[0] for rate in (found.worst, found.best)] == [
        "188/380 (49.5%",
        "198/380 (52.1%",
    ]


# Table 2: configuration, then overall, equity, fund, fixed income, macro, SQL, SQL-Python, in percent
TABLE_2_TASKS = (408, 166, 125, 93, 24, 254, 154)
TABLE_2 = {
    "SWE-agent GPT-5.5": (35.0, 34.9, 32.0, 29.0, 75.0, 38.2, 29.9),
    "SWE-agent DeepSeek-V4-Flash": (30.9, 25.3, 30.4, 29.0, 79.2, 33.1, 27.3),
    "SWE-agent Claude-Opus-4.7": (29.9, 28.3, 23.2, 31.2, 70.8, 32.7, 25.3),
    "SWE-agent GLM-5.1": (19.6, 16.9, 12.0, 23.7, 62.5, 24.4, 11.7),
    "SWE-agent Qwen3.6-Plus": (16.2, 13.9, 13.6, 17.2, 41.7, 19.7, 10.4),
    "Claude Code Claude-Opus-4.7": (24.0, 22.3, 18.4, 23.7, 66.7, 25.2, 22.1),
    "Codex GPT-5.5": (36.8, 30.7, 40.8, 33.3, 70.8, 42.1, 27.9),
    "Spider-Agent-Lite GPT-5.5": (28.7, 27.1, 26.4, 21.5, 79.2, 31.9, 23.4),
    "Spider-Agent-Lite DeepSeek-V4-Flash": (22.3, 19.9, 14.4, 24.7, 70.8, 23.2, 20.8),
}


def passes(percents: tuple[float, ...]) -> list[int]:
    return [round(tasks * percent / 100) for tasks, percent in zip(TABLE_2_TASKS, percents, strict=True)]


@pytest.mark.parametrize("configuration", TABLE_2)
def test_table_2_rows_are_whole_counts_that_add_up(configuration: str) -> None:
    overall, equity, fund, fixed, macro, sql, python = passes(TABLE_2[configuration])
    assert equity + fund + fixed + macro == sql + python == overall
    for right, tasks, percent in zip(
        passes(TABLE_2[configuration]), TABLE_2_TASKS, TABLE_2[configuration], strict=True
    ):
        assert f"({percent:.1f}%," in str(proportion(right, tasks))


def test_table_2_columns_give_the_pooled_rates_of_section_4_2() -> None:
    counts = [passes(percents) for percents in TABLE_2.values()]
    for column, printed in ((0, "993/3672 (27.0%,"), (4, "148/216 (68.5%,")):
        pooled = proportion(sum(row[column] for row in counts), len(counts) * TABLE_2_TASKS[column])
        assert str(pooled).startswith(printed)


def test_pit_guidance_pairs() -> None:
    """D.1: 16 results turn from pass to fail without guidance, 5 the other way; violations 17 against 5.

    The paper prints no test. Exact McNemar: 2 * sum_{k<=5} C(21, k) / 2^21 = 2 * 27896 / 2097152.
    """
    results = mcnemar(only_first=16, only_second=5, n=100)
    assert results.difference == pytest.approx(0.55 - 0.44)
    assert results.p_value == pytest.approx(2 * 27896 / 2097152)
    violations = mcnemar(only_first=17, only_second=5, n=100)
    assert violations.difference == pytest.approx(0.66 - 0.54)
    # 2 * sum_{k<=5} C(22, k) / 2^22
    assert violations.p_value == pytest.approx(2 * 35443 / 4194304)


def test_figure_4_gives_the_rates_of_both_configurations() -> None:
    """Segments: pass with violation, pass without, fail with violation, fail without. D.1 prints the shares."""
    for segments, accuracy, violations, among_passes in (
        ((23, 32, 31, 14), "55/100 (55.0%,", "54/100 (54.0%,", "23/55 (41.8%,"),
        ((26, 18, 40, 16), "44/100 (44.0%,", "66/100 (66.0%,", "26/44 (59.1%,"),
    ):
        passed = segments[0] + segments[1]
        assert str(proportion(passed, sum(segments))).startswith(accuracy)
        assert str(proportion(segments[0] + segments[2], sum(segments))).startswith(violations)
        assert str(proportion(segments[0], passed)).startswith(among_passes)


def test_guidance_compared_on_its_common_tasks() -> None:
    """The 100 pairs rebuilt from 39 both, 16 and 5: the same difference, now with an interval."""
    with_guidance = {f"t{i}": i < 55 for i in range(100)}
    without = {f"t{i}": i < 39 or 55 <= i < 60 for i in range(100)}
    found = compare({"with": with_guidance, "without": without}, seed=20261012)
    pair = found.pairs[0]
    assert (pair.only_first, pair.only_second, round(pair.difference, 2)) == (16, 5, 0.11)
    # Exact: 21 discordant pairs, 2 * P(at most 5 of 21) = 2 * 27896 / 2**21, as above.
    assert pair.p_value == pytest.approx(2 * 27896 / 2**21)
    assert pair.low is not None
    assert pair.low > 0


def test_tables_9_and_10_give_the_share_that_perturbation_changes() -> None:
    """Table 9: of 193 records 111 differ and 2 fail; Table 10 splits the 111 by family."""
    differ = sum([28, 39, 22, 7, 10, 1, 4])
    records = sum([111, 2, 11, 8, 1, 2, 58])
    assert str(proportion(differ + 2, records)).startswith("113/193 (58.5%,")
