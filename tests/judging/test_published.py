"""Published figures are claims, and what does not follow from them is worked out, not written down."""

from __future__ import annotations

import pytest

from judging.published import CLAIMS, inconsistencies, rows_behind


def test_whole_rows_behind_the_published_accuracies() -> None:
    assert {claim.name: claim.right for claim in CLAIMS} == {
        "plain": 226,
        "self-critique": None,
        "first": 259,
        "majority": 272,
        "critique": 275,
    }


@pytest.mark.parametrize(("per_cent", "rows", "expected"), [(50.0, 2, 1), (33.3, 3, 1), (33.4, 3, None)])
def test_rows_behind_a_percentage(per_cent: float, rows: int, expected: int | None) -> None:
    assert rows_behind(per_cent, rows) == expected


def test_what_does_not_follow_is_said_with_its_numbers() -> None:
    said = "\n".join(inconsistencies())
    assert "split 18:6, would be +12 rows (+3.4 pp); 77.7 % to 78.6 % is +3 of 350 (+0.9 pp)" in said
    assert "critique at 6500 output tokens is 1300 times the plain judge's 5, not 47 times" in said
    assert "4800 + 700 = 5500" in said
    assert "self-critique at 70.4 % is no whole number of 350 rows" in said
    assert "64.5, 73.6, 77.4 %" in said
