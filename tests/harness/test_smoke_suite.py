"""The smoke suite: its references are right, its prompts hold no instruction that induces a violation."""

from __future__ import annotations

import pytest

from finassay.audit import lint_prompt
from finassay.core import InputError
from finassay.execution import Submission, Workbench
from finassay.grading import compare_tables
from finassay.harness import Guidance, guided, load_suite, system_prompt
from finassay.harness._guidance import PROMPTS, task_prompt
from finassay.harness._suite import SMOKE, read_suite


@pytest.mark.jail
def test_the_reference_programs_return_what_was_worked_out_by_hand(smoke):
    with Workbench(smoke.url) as bench:
        for task in smoke.tasks:
            run = bench.run(Submission(**task.program.model_dump()))
            assert run.trace.error is None, task.id
            verdict = compare_tables(task.reference(), run.tables[0].table, task.output)
            assert verdict.equal, f"{task.id}: {verdict.to_text()}"


def test_there_are_a_dozen_in_both_languages(smoke):
    assert len(smoke.tasks) == 12
    assert {task.language for task in smoke.tasks} == {"zh", "en"}
    assert sum(task.language == "zh" for task in smoke.tasks) == 6


def test_the_catalog_names_every_column_of_the_database(smoke):
    from finassay.database import connect

    with connect(smoke.url) as database:
        for table in database.tables():
            assert {c.name for c in table.columns} == set(smoke.catalog.table(table.name).columns)


@pytest.mark.parametrize("guidance", list(Guidance))
def test_prompts_and_background_files_induce_no_violation(smoke, guidance):
    manners = sorted({path.stem.rpartition("_")[0] for path in PROMPTS.glob("*.md")} - {"research", "task"})
    for task in smoke.tasks:
        text = system_prompt(smoke, task, guidance, *manners) + task_prompt(task)
        assert lint_prompt(text, smoke.catalog) == [], task.id


@pytest.mark.parametrize("language", ["zh", "en"])
def test_guidance_is_a_switch_of_prompt_and_background_alike(smoke, language):
    task = next(task for task in smoke.tasks if task.language == language)
    with_it, without = (system_prompt(smoke, task, one, "tools") for one in Guidance)
    words = {"zh": ["披露日起", "disclosed_date"], "en": ["on which it was disclosed", "disclosed_date"]}
    for word in words[language]:  # of the prompt, and of the background file
        assert word in with_it
        assert word not in without
    shorter = [line for line in without.splitlines() if line.strip()]
    assert set(shorter) <= set(with_it.splitlines())  # nothing takes its place
    assert str(task.as_of) in task_prompt(task)  # the date itself is the task's, under both


def test_every_prompt_is_there_in_both_languages():
    names = {path.stem for path in PROMPTS.glob("*.md")}
    assert {name.replace("_zh", "_en") for name in names} == {n for n in names if n.endswith("_en")}


def test_a_mark_without_its_partner_is_told():
    with pytest.raises(InputError, match="no partner"):
        guided("<!-- pit -->\nwords\n", Guidance.NONE)


def test_an_unknown_suite_and_task_are_told(smoke):
    with pytest.raises(InputError, match="no suite 'smoky'"):
        load_suite("smoky")
    with pytest.raises(InputError, match="no task 'x'"):
        smoke.task("x")


def test_the_hash_is_of_everything_in_the_folder(tmp_path, smoke):
    import shutil

    copy = tmp_path / "smoke"
    shutil.copytree(SMOKE, copy)
    assert read_suite(copy).sha256 == smoke.sha256
    (copy / "background_en.md").write_text("Something else.")
    assert read_suite(copy).sha256 != smoke.sha256
