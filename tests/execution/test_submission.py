"""A program is read from a file by its ending; what cannot be a program is refused with a reason and a way out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from finassay.core import ExitCode, InputError
from finassay.execution._submission import load_submission, parse_submission


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refusal(path: Path) -> InputError:
    with pytest.raises(InputError) as caught:
        load_submission(path)
    assert caught.value.exit_code is ExitCode.BAD_INPUT
    return caught.value


def notebook(*cells: str) -> str:
    listed = [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]
    text = {"cell_type": "markdown", "source": ["# A title with % and !"]}
    return json.dumps({"nbformat": 4, "cells": [text, *listed]})


class TestPlainFiles:
    def test_a_sql_file_is_one_statement(self, tmp_path: Path) -> None:
        submission = load_submission(write(tmp_path, "q.sql", "SELECT 1"))
        assert (submission.mode, submission.sql_code, submission.source) == ("sql", "SELECT 1", "q.sql")

    def test_a_python_file_is_one_program(self, tmp_path: Path) -> None:
        submission = load_submission(write(tmp_path, "s.py", "x = 1\n"), result_vars=("x",))
        assert (submission.mode, submission.python_code, submission.result_vars) == (
            "python",
            "x = 1\n",
            ("x",),
        )

    @pytest.mark.parametrize("ends", ["\r\n", "\r"])
    def test_foreign_line_ends_are_read_as_lines(self, tmp_path: Path, ends: str) -> None:
        assert load_submission(write(tmp_path, "s.py", f"a = 1{ends}b = 2")).python_code == "a = 1\nb = 2"

    def test_a_byte_order_mark_is_dropped(self, tmp_path: Path) -> None:
        assert load_submission(write(tmp_path, "q.sql", b"\xef\xbb\xbfSELECT 1")).sql_code == "SELECT 1"

    def test_a_declared_encoding_is_honoured(self, tmp_path: Path) -> None:
        source = "# -*- coding: gbk -*-\nname = '贵州茅台'\n".encode("gbk")
        assert "贵州茅台" in str(load_submission(write(tmp_path, "s.py", source)).python_code)


class TestRefusedFiles:
    def test_missing(self, tmp_path: Path) -> None:
        assert refusal(tmp_path / "nothing.sql").reason == "missing_program"

    def test_a_folder(self, tmp_path: Path) -> None:
        assert refusal(tmp_path).reason == "missing_program"

    @pytest.mark.parametrize("name", ["q.sql", "s.py"])
    @pytest.mark.parametrize("content", ["", " \n\t\n"])
    def test_empty(self, tmp_path: Path, name: str, content: str) -> None:
        assert refusal(write(tmp_path, name, content)).reason == "empty_program"

    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("q.sql", "-- only a plan\n/* SELECT 1\n */ # and more\n;"),
            ("s.py", "# result = 1\n\n    # nothing\n"),
            ("s.ipynb", notebook("# nothing", "%matplotlib inline")),
        ],
    )
    def test_only_comments(self, tmp_path: Path, name: str, content: str) -> None:
        error = refusal(write(tmp_path, name, content))
        assert error.reason == "empty_program"
        assert "only comments" in str(error)

    @pytest.mark.parametrize("content", ["/*! SELECT 1 */", "-- one\nSELECT 1", "/* a */ SELECT 1 /* b */"])
    def test_a_comment_beside_a_statement_is_none_of_it(self, tmp_path: Path, content: str) -> None:
        assert load_submission(write(tmp_path, "q.sql", content)).sql_code == content

    @pytest.mark.parametrize(
        ("name", "encoding"), [("q.sql", "utf-16"), ("s.py", "utf-16"), ("q.sql", "utf-32")]
    )
    def test_the_command_for_what_windows_calls_unicode_names_it(
        self, tmp_path: Path, name: str, encoding: str
    ) -> None:
        error = refusal(write(tmp_path, name, "SELECT 1".encode(encoding)))
        assert f"iconv -f {encoding.upper()} -t UTF-8 {name}" in str(error)

    def test_unknown_kind(self, tmp_path: Path) -> None:
        error = refusal(write(tmp_path, "q.txt", "SELECT 1"))
        assert error.reason == "unknown_program_kind"
        assert ".txt" in str(error)

    def test_not_utf8_names_the_byte_and_the_line(self, tmp_path: Path) -> None:
        error = refusal(write(tmp_path, "q.sql", b"SELECT 1,\n'" + "贵州".encode("gbk")))
        assert error.reason == "not_utf8"
        assert "line 2" in str(error)
        assert "0xb9" in str(error)  # the first byte of 贵 in GBK
        assert "iconv" in str(error)

    def test_nul(self, tmp_path: Path) -> None:
        assert refusal(write(tmp_path, "q.sql", b"SELECT \0 1")).reason == "not_utf8"

    @pytest.mark.parametrize(
        ("name", "content", "says"),
        [
            ("q.json", r'{"mode": "sql", "sql_code": "SELECT 1,\n\ud800"}', r"\ud800 in line 2 of sql_code"),
            (
                "s.json",
                r'{"mode": "python", "python_code": "a = \udfff"}',
                r"\udfff in line 1 of python_code",
            ),
            ("n.ipynb", r'{"cells": [{"cell_type": "code", "source": "a = \ud83d"}]}', r"\ud83d in line 2"),
        ],
    )
    def test_half_of_a_character(self, tmp_path: Path, name: str, content: str, says: str) -> None:
        """JSON can spell one half of a pair of surrogates; UTF-8 has no form for it."""
        error = refusal(write(tmp_path, name, content))
        assert error.reason == "not_utf8"
        assert says in str(error)

    def test_both_halves_are_a_character(self) -> None:
        text = r'{"mode": "sql", "sql_code": "SELECT \ud83d\ude00"}'
        assert parse_submission(text).sql_code == "SELECT \U0001f600"

    def test_too_large(self, tmp_path: Path) -> None:
        assert refusal(write(tmp_path, "q.sql", b"-" * ((16 << 20) + 1))).reason == "program_too_large"


class TestNotebooks:
    def test_cells_run_in_order_and_text_is_left_out(self, tmp_path: Path) -> None:
        submission = load_submission(write(tmp_path, "n.ipynb", notebook("a = 1", "result = a")))
        assert submission.cells == ("a = 1", "result = a")
        assert "# cell 2\nresult = a" in str(submission.python_code)

    def test_display_magics_become_comments_so_that_line_numbers_stay(self, tmp_path: Path) -> None:
        submission = load_submission(write(tmp_path, "n.ipynb", notebook("%matplotlib inline\nx = 1")))
        assert submission.cells == ("# %matplotlib inline\nx = 1",)

    def test_a_timed_statement_still_runs(self, tmp_path: Path) -> None:
        assert load_submission(write(tmp_path, "n.ipynb", notebook("%time x = 1"))).cells == ("x = 1",)

    def test_what_looks_like_a_magic_inside_a_string_or_an_expression_is_left_alone(
        self, tmp_path: Path
    ) -> None:
        cell = 'text = """\n%matplotlib is written here\n!ls\n"""\ny = (7\n  %text.count("a"))'
        assert load_submission(write(tmp_path, "n.ipynb", notebook(cell))).cells == (cell,)

    @pytest.mark.parametrize("line", ["!pip install x", "%%bash", "%run other.py"])
    def test_what_only_jupyter_can_run_is_refused_with_its_cell(self, tmp_path: Path, line: str) -> None:
        error = refusal(write(tmp_path, "n.ipynb", notebook("a = 1", f"b = 2\n{line}")))
        assert error.reason == "notebook_magic"
        assert "cell 2" in str(error)
        assert error.place is not None
        assert error.place.line == 2

    def test_a_syntax_error_is_left_for_the_run_to_report(self, tmp_path: Path) -> None:
        assert load_submission(write(tmp_path, "n.ipynb", notebook("x = = 1"))).cells == ("x = = 1",)

    def test_the_older_format_with_worksheets(self, tmp_path: Path) -> None:
        book = {"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "code", "input": ["result = 1"]}]}]}
        assert load_submission(write(tmp_path, "n.ipynb", json.dumps(book))).cells == ("result = 1",)

    @pytest.mark.parametrize(
        "content", ["not json", "[]", '{"cells": 3}', '{"cells": [{"cell_type": "code"}]}']
    )
    def test_not_a_notebook(self, tmp_path: Path, content: str) -> None:
        assert refusal(write(tmp_path, "n.ipynb", content)).reason == "malformed_notebook"

    @pytest.mark.parametrize("source", [5, None, {"a": 1}, ["x = 1\n", 5], [["x = 1"]]])
    def test_a_source_that_is_no_text_names_its_cell(self, tmp_path: Path, source: object) -> None:
        cells = [{"cell_type": kind, "source": text} for kind, text in [("markdown", 3), ("code", "x = 1")]]
        book = {"cells": [*cells, {"cell_type": "code", "source": source}], "nbformat": 4}
        error = refusal(write(tmp_path, "n.ipynb", json.dumps(book)))
        assert error.reason == "malformed_notebook"
        assert "The source of cell 2 of n.ipynb is not text" in str(error)

    def test_no_code(self, tmp_path: Path) -> None:
        assert refusal(write(tmp_path, "n.ipynb", notebook())).reason == "empty_program"


class TestSubmissions:
    def test_the_four_keys_of_the_source_benchmark(self) -> None:
        text = json.dumps({"mode": "sql", "sql_code": "SELECT 1", "python_code": None, "result_vars": []})
        assert parse_submission(text).sql_code == "SELECT 1"

    def test_its_own_variables_come_before_the_ones_given(self) -> None:
        text = json.dumps({"mode": "python", "python_code": "a = 1", "result_vars": ["a"]})
        assert parse_submission(text, result_vars=("b",)).result_vars == ("a",)

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("{", "not JSON"),
            ("[1]", "not a submission: it holds a list."),
            ('{"mode": "r"}', "mode"),
            ('{"mode": "sql", "sql": "SELECT 1"}', "sql"),
            ('{"mode": "sql", "sql_code": 3}', "sql_code"),
            ('{"mode": "sql"}', "sql_code"),
            ('{"mode": "sql+python", "sql_code": "SELECT 1", "python_code": " "}', "python_code"),
            ('{"mode": "python", "python_code": "a=1", "result_vars": ["a b"]}', "result_vars"),
        ],
    )
    def test_a_malformed_one_names_the_field(self, text: str, says: str) -> None:
        with pytest.raises(InputError, match=says):
            parse_submission(text)


@pytest.mark.parametrize("name", ["deep.json", "deep.ipynb"])
def test_what_is_nested_too_deeply_is_bad_input(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("[" * 200_000)
    with pytest.raises(InputError):
        load_submission(tmp_path / name)


@pytest.mark.parametrize("name", ["1x", "", "a b", "a.b", "x-1", "class", "None"])
@pytest.mark.parametrize(("file", "text"), [("s.py", "x = 1\n"), ("s.sql", "SELECT 1\n")])
def test_a_result_has_the_name_of_a_variable(tmp_path: Path, file: str, text: str, name: str) -> None:
    with pytest.raises(InputError, match="cannot be the name of one"):
        load_submission(write(tmp_path, file, text), result_vars=("good", name))
