"""The recorded cases of faults seen in the field (tests/cases, MET-01 to MET-08).

Their rates are the `answered` reading; the strict one stands beside it.
"""

from __future__ import annotations

import pytest

from judging.statistics.advice import AdviceCode, advise
from judging.statistics.binary import binary_readings
from judging.statistics.calibration import Calibration, MissingAs, Share
from judging.statistics.correction import corrected_pass_rate
from judging.statistics.counts import Counts
from judging.statistics.pairwise import PairKind, PairVerdict, swap_summary
from judging.statistics.values import Estimate, Undefined
from judging.statistics.voting import Outcome, more_than_half


def value_of(figure):
    return figure.value if isinstance(figure, Estimate) else None


def correctable(counts):
    calibration = Calibration.of(counts, missing=MissingAs.LEFT_OUT)
    return isinstance(corrected_pass_rate(calibration, Share(1, 2)).estimate, Estimate)


def counts_of(table):
    return Counts(tp=table["TP"], fn=table["FN"], fp=table["FP"], tn=table["TN"])


WORDS = {"correct": "pass", "incorrect": "fail"}


@pytest.mark.parametrize("name", ["MET-01", "MET-02", "MET-03", "MET-04"])
def test_a_table_of_verdicts_gives_the_expected_figures(name, table_case, expected):
    rows = [(WORDS.get(human, human), WORDS.get(judge, judge)) for human, judge in table_case(name)]
    want = expected[name]

    counts = Counts.of(rows)
    answered = binary_readings(counts).answered

    assert (counts.tp, counts.fp, counts.fn, counts.tn) == (want["tp"], want["fp"], want["fn"], want["tn"])
    assert counts.answered == want["n"]
    assert counts.total == want.get("labelled", want["n"])
    assert counts.no_verdict == want.get("not_judged", 0)
    for measure in ("accuracy", "tpr", "tnr", "kappa"):
        got = value_of(getattr(answered, measure))
        assert got == (None if want[measure] is None else pytest.approx(want[measure], abs=1e-12)), measure
    assert correctable(counts) is want["correctable"]


def test_full_agreement_in_one_class_is_undefined_by_name(table_case):
    figures = binary_readings(Counts.of(table_case("MET-01")))
    assert figures.strict.tnr == Undefined("no data: there are no fails")
    assert isinstance(figures.strict.kappa, Undefined)
    assert "one and the same class" in figures.strict.kappa.reason


def test_always_pass_has_kappa_of_exactly_zero_and_is_called_out(table_case):
    figures = binary_readings(Counts.of(table_case("MET-02")))
    assert value_of(figures.strict.kappa) == 0.0
    assert value_of(figures.always_pass_accuracy) == value_of(figures.strict.accuracy) == 0.9
    assert advise(figures).code is AdviceCode.PASSES_EVERYTHING


def test_row_order_changes_nothing(table_case):
    rows = [(WORDS[human], WORDS[judge]) for human, judge in table_case("MET-03")]
    assert Counts.of(rows) == Counts.of(reversed(rows))


def test_missing_verdicts_stand_against_the_judge_in_the_strict_reading(table_case):
    strict = binary_readings(Counts.of(table_case("MET-04"))).strict
    # 7 passes, 2 of them without a verdict; 5 fails, 1 without: TPR 4/7, TNR 3/5, accuracy 7/12.
    assert (strict.tpr.k, strict.tpr.n) == (4, 7)
    assert (strict.tnr.k, strict.tnr.n) == (3, 5)
    assert (strict.accuracy.k, strict.accuracy.n) == (7, 12)


def test_a_correction_outside_0_to_1_is_clipped_and_says_so(json_case, expected):
    case, want = json_case("MET-05"), expected["MET-05"]
    calibration = Calibration.of(counts_of(case["test"]))
    results = [
        corrected_pass_rate(calibration, Share(rows["pass"], rows["n"])) for rows in case["unlabelled"]
    ]
    assert calibration.passes.value == want["tpr"]
    assert calibration.fails.value == want["tnr"]
    assert [result.raw for result in results] == pytest.approx(want["raw"])
    assert [value_of(result.estimate) for result in results] == pytest.approx(want["shown"])
    assert [result.clipped for result in results] == [True, True, False]
    assert [bool(result.note) for result in results] == [True, True, False]


def test_a_judge_no_better_than_chance_gets_no_corrected_rate(json_case, expected):
    case, want = json_case("MET-06"), expected["MET-06"]
    observed = Share(case["unlabelled"]["pass"], case["unlabelled"]["n"])
    for table, total in zip(case["tests"], want["tpr_plus_tnr"], strict=True):
        result = corrected_pass_rate(Calibration.of(counts_of(table)), observed)
        assert isinstance(result.estimate, Undefined)
        assert value_of(result.youden) == pytest.approx(total - 1)
        assert f"= {total:.2f} must be above 1" in result.estimate.reason


def test_a_judge_always_wrong_hints_at_inverted_labels(json_case):
    counts = counts_of(json_case("MET-06")["tests"][2])
    figures = binary_readings(counts)
    assert value_of(figures.strict.kappa) == -1.0
    assert advise(figures).code is AdviceCode.INVERTED
    assert "inverted" in corrected_pass_rate(Calibration.of(counts), Share(5, 10)).estimate.reason


def test_swapped_slots_are_mapped_back_before_they_are_compared(json_case, expected):
    rows, want = json_case("MET-07"), expected["MET-07"]
    # The letters name slots: in the second order slot A holds response 2.
    first = {"A": "A", "B": "B", "tie": "tie"}
    second = {"A": "B", "B": "A", "tie": "tie"}
    pairs = [PairVerdict(first.get(row["order_12"]), second.get(row["order_21"])) for row in rows]

    summary = swap_summary(pairs)

    consistent = [
        row["pair"] for row, pair in zip(rows, pairs, strict=True) if pair.kind is PairKind.CONSISTENT
    ]
    assert consistent == want["consistent_pairs"]
    assert (summary.agreement.k, summary.agreement.n) == (4, want["usable"])
    assert summary.agreement.value == pytest.approx(want["consistency"])
    assert (summary.a_wins, summary.b_wins, summary.ties) == (
        want["response1"],
        want["response2"],
        want["tie"],
    )
    no_winner = summary.first_biased + summary.second_biased + summary.half
    assert no_winner == want["no_winner"]
    assert (summary.pairs, summary.no_verdict) == (8, 1)


def test_a_majority_needs_more_than_half_of_the_votes_asked_for(json_case, expected):
    def outcome(votes):
        result = more_than_half([vote if vote in ("pass", "fail") else None for vote in votes])
        return result.winner if result.outcome is Outcome.DECIDED else str(result.outcome)

    got = {row["id"]: outcome(row["votes"]) for row in json_case("MET-08")}
    assert got == expected["MET-08"]
    assert sorted(got.values()).count("undecided") == 4
