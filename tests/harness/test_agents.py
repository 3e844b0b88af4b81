"""Every agent runs from end to end against the scripted model: the same tools, recorder and score for all."""

from __future__ import annotations

import io
import sys

import pytest
import yaml

from finassay.core import InputError
from finassay.harness import AGENTS
from finassay.harness._agents import find_agent
from finassay.harness._log import samples_of

from .conftest import run

pytestmark = pytest.mark.jail
WITH_MODEL = ["react_sql", "swe_sql", "spider_lite", "spider_lite native=true"]


@pytest.mark.parametrize("agent", WITH_MODEL)
def test_an_agent_looks_runs_mends_and_submits(tmp_path, agent):
    name, _, options = agent.partition(" ")
    model = "finassay-scripted/careless"
    done = run(tmp_path, model=model, agent=name, agent_args=options, limit=2)
    assert (done.right, done.outcomes) == (1, {"scored": 2})
    for row in done.rows:
        assert row.agent == name
        assert row.tool_calls == {"describe_columns": 1, "submit": 2, "run_code": 2}
        assert row.extra["failed_steps"] == {"no_table": 1, "nothing_ran": 1, "syntax_error": 1}
        assert row.tokens_in > 0


@pytest.mark.parametrize(
    ("agent", "options", "status", "turns"),
    [("swe_sql", "repairs=2", "no_submission", 3), ("spider_lite", "max_steps=4", "step_limit", 4)],
)
def test_an_agent_that_never_acts_ends(tmp_path, agent, options, status, turns):
    done = run(tmp_path, model="finassay-scripted/silent", agent=agent, agent_args=options, limit=1)
    [row] = done.rows
    assert (row.status, row.steps) == (status, turns)
    assert done.right == 0


def test_the_default_agent_ends_at_the_limit_of_messages(tmp_path):
    done = run(tmp_path, model="finassay-scripted/silent", limit=1, messages=6)
    [row] = done.rows
    assert (row.outcome, row.status) == ("limit", "message_limit")


@pytest.mark.parametrize("guidance", ["pit", "none"])
@pytest.mark.parametrize("agent", ["react_sql", "swe_sql", "spider_lite"])
def test_guidance_reaches_the_model_as_it_is_asked_for(tmp_path, agent, guidance):
    run(tmp_path, agent=agent, guidance=guidance, limit=1)
    [log] = (tmp_path / "logs").glob("*.eval")
    [sample] = samples_of(log, events=True)
    first = next(event for event in sample.events if event.event == "model")
    prompt = next(message.text for message in first.input if message.role == "system")
    assert ("披露日起才可用" in prompt) is (guidance == "pit")  # of the prompt
    assert ("结束日为空或晚于截止日" in prompt) is (guidance == "pit")  # of the background file


def test_spider_lite_shows_no_tools_to_the_model_and_remembers_ten_turns(tmp_path):
    script = tmp_path / "script.yaml"
    moves = [{"call": "bash", "arguments": {"command": f"echo turn{n}"}} for n in range(14)]
    script.write_text(yaml.safe_dump({"*": moves}))
    run(tmp_path / "run", model="finassay-scripted/file", model_args={"script": str(script)},
        agent="spider_lite", limit=1)  # fmt: skip
    [log] = (tmp_path / "run" / "logs").glob("*.eval")
    [sample] = samples_of(log, events=True)
    last = [event for event in sample.events if event.event == "model"][-1]
    assert last.tools == []
    replies = [message.text for message in last.input if message.role == "assistant"]
    assert len(replies) == 10
    assert "turn4" in replies[0]  # of the fourteen before it, from the fifth on
    assert "turn13" in last.input[-1].text


def test_swe_sql_takes_one_action_and_shows_the_last_observations(tmp_path):
    script = tmp_path / "script.yaml"
    moves = [{"call": "bash", "arguments": {"command": f"echo seen{n}"}} for n in range(8)]
    script.write_text(yaml.safe_dump({"*": [*moves, {"stop": "content_filter"}]}))
    done = run(tmp_path / "run", model="finassay-scripted/file", model_args={"script": str(script)},
               agent="swe_sql", limit=1)  # fmt: skip
    assert done.rows[0].outcome == "refused"
    [log] = (tmp_path / "run" / "logs").glob("*.eval")
    [sample] = samples_of(log, events=True)
    last = [event for event in sample.events if event.event == "model"][-1]
    shown = [message.text for message in last.input if message.role == "tool"]
    assert [text.strip() for text in shown[-5:]] == [f"seen{n}" for n in range(3, 8)]
    assert all("older observation" in text for text in shown[:-5])


def test_a_person_answers_at_the_terminal(tmp_path, monkeypatch, smoke):
    program = smoke.tasks[0].program
    blocks = f"```sql\n{program.sql_code}```\n```python\n{program.python_code}```\n"
    typed = f"Action: describe_tables\n.\nAction: run_code\n{blocks}.\nAction: submit\n{blocks}.\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    done = run(tmp_path, agent="human", limit=1, model="finassay-scripted/silent")
    assert done.right == 1
    assert done.rows[0].tool_calls == {"describe_tables": 1, "run_code": 1, "submit": 1}
    assert done.rows[0].tokens_in == 0


def test_a_person_who_leaves_has_submitted_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    done = run(tmp_path, agent="human", limit=1, model="finassay-scripted/silent")
    assert done.rows[0].status == "no_submission"


def test_every_agent_takes_guidance_and_an_unknown_one_is_told():
    for name in AGENTS:
        find_agent(name)(guidance="none")
        with pytest.raises(InputError, match="guidance"):
            find_agent(name)(guidance="some")
    with pytest.raises(InputError, match="no agent 'agent007'"):
        find_agent("agent007")
