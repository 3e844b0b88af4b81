"""Actions in text: golden replies, and that what is written is read."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from finassay.core import CandidateError
from finassay.harness._actions import parse_action, write_action

GOLDEN = yaml.safe_load((Path(__file__).parent / "actions" / "golden.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", GOLDEN, ids=[case["says"] for case in GOLDEN])
def test_a_reply_is_read_as_its_golden_action(case):
    if "reason" in case:
        with pytest.raises(CandidateError) as caught:
            parse_action(case["reply"])
        assert caught.value.reason == case["reason"]
        return
    action = parse_action(case["reply"])
    assert (action.name, action.arguments) == (case["action"], case.get("arguments", {}))


WORDS = st.text(
    st.characters(codec="utf-8", exclude_characters="`\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"), min_size=1
)


@given(words=WORDS, lines=st.lists(WORDS.filter(str.strip), min_size=1))
def test_what_is_written_is_read(words, lines):
    code = "\n".join(lines)
    given_arguments = {"keywords": words, "mode": "sql", "sql_code": code}
    action = parse_action("I think.\n" + write_action("run_code", given_arguments))
    assert action.name == "run_code"
    assert action.arguments == {**given_arguments, "sql_code": code.rstrip()}
