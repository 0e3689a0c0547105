"""Every kind of mistake is found before a build and reported with file, line and id."""

from pathlib import Path

import pytest

from diptych.errors import BadTemplateError, MissingFileError
from diptych.templates import check_templates, load_templates
from diptych.templates._folders import PACKAGE
from tests.templates.folder import HEAD, entry, write

ENTRY = entry("Is {{ subject }} {{ value }}?")


def only_problem(folder: Path) -> str:
    problems = check_templates(folder).problems
    assert len(problems) == 1, [str(problem) for problem in problems]
    return str(problems[0]).removeprefix(f"{folder}/")


def test_the_templates_of_the_package_are_sound() -> None:
    assert [str(problem) for problem in check_templates(PACKAGE).problems if problem.is_error] == []


def test_a_sound_folder_has_no_problem(tmp_path: Path) -> None:
    assert check_templates(write(tmp_path, ENTRY)).problems == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Is {{ subject {{ value }}?", "Jinja syntax: expected token 'end of print statement', got '{'"),
        ("Is {% if value %}{{ subject }}?", "Jinja syntax: Unexpected end of template"),
        ("Is {% shout %}{{ subject ~ value }}?", "Jinja syntax: Encountered unknown tag 'shout'"),
        ("Is {{ subjct }} {{ subject ~ value }}?", "unknown variable 'subjct'; did you mean 'subject'?"),
        ("Is {{ size }} {{ subject ~ value }}?", "unknown variable 'size'; known: subject, value"),
        ("Is {{ subject ~ value | plurl }}?", "unknown filter 'plurl'; did you mean 'plural'? known: a, agree"),
        ("Is {{ subject ~ value | plural(2) }}?", "filter 'plural' takes no arguments"),
        ("Is {{ value | agree }} {{ subject }}?", "filter 'agree' takes 1 argument"),
        ("{% if subject is plurl %}{% endif %}{{ value }}?", "unknown test 'plurl'; did you mean 'plural'?"),
        ("{{ bee(subject) }} {{ value }}?", "unknown function 'bee'; did you mean 'be'? known: be, does"),
        ("{{ be }} {{ subject ~ value }}?", "'be' is a function: write be(…)"),
        ("Is {{ subject + value }}?", "'+' (write ~ to join strings) is not allowed in a template"),
        ("Is {{ subject }} {{ value }}", "no question mark at the end of 'Is the cat white' (with subject = 'the cat'"),
        ("{{ subject if subject == value }}{{ value if subject == value }}", "the question is empty"),
        ("{% if value == subject %}x{% endif %}?", "the question is empty (with value = 'white', "),
        ("Is {{ subject }} {{ value | word }}?", "expected an integer, not 'white' (with subject = "),
        ("Is {{ subject }} {{ value | either }}?", "expected a list, not 'white'"),
        ("Is {{ subject }} {{ value == 'red' }}?", "False cannot be printed in a question"),
        ("Is {{ subject }} {{ value[99] }}?", "str object has no element 99"),
    ],
)
def test_a_mistake_in_a_text_is_named_with_file_line_and_id(tmp_path: Path, text: str, message: str) -> None:
    problem = only_problem(write(tmp_path, entry(text)))
    location = "yn_from_color.toml:9: template 'mine': "
    assert problem.startswith(location + message.split("(with")[0])


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("\n[[template]]\ntext = 'Is {{ subject ~ value }}?'\n", ":7: the template has no 'id'"),
        ("\n[[template]]\nid = 3\ntext = 'Is {{ subject ~ value }}?'\n", ":8: the template must have an 'id' of"),
        ("\n[[template]]\nid = 'a b'\ntext = 'Is {{ subject ~ value }}?'\n", ":8: the template must have an 'id' of"),
        (ENTRY + "\n[[template]]\nid = 'two'\n", ":12: template 'two': the template has no 'text'"),
        (ENTRY + "\n[[template]]\nid = 'two'\ntext = 3\n", ":14: template 'two': must be a string in quotes"),
        (entry("Is {{ subject ~ value }}?", fields="tekst = ''"), ":10: template 'mine': unknown key 'tekst'; did you"),
        (entry("Is {{ subject ~ value }}?", fields="mood = ''"), ":10: template 'mine': unknown key 'mood'; known: "),
        (entry("Is {{ subject ~ value }}?", fields="example = 1"), ":10: template 'mine': 'example' must be a table"),
        (
            entry("Is {{ subject ~ value }}?", fields="example = {valu = 'x'}"),
            ":10: template 'mine': 'example' fills an unknown slot 'valu'; did you mean 'value'?",
        ),
        (ENTRY + ENTRY, ":13: template 'mine': the id is already used at yn_from_color.toml:7"),
        (ENTRY + "\n[[template]\nid = 'x'\n", ":12: TOML: Expected ']]'"),
        (ENTRY + "x = '''open", ":11: TOML: Expected \"'''\""),
        (ENTRY + "[slot]\nx = 1\n", ":11: unknown key 'slot'; did you mean 'slots'?"),
    ],
)
def test_a_mistake_in_an_entry_is_named_with_its_line(tmp_path: Path, body: str, message: str) -> None:
    assert only_problem(write(tmp_path, body)).startswith(f"yn_from_color.toml{message}")


@pytest.mark.parametrize(
    ("head", "message"),
    [
        (HEAD.replace('test = "rad.yn_from_color"', ""), ":1: 'test' must name the test"),
        (HEAD.replace('"rad.yn_from_color"', "3"), ":1: 'test' must name the test"),
        (HEAD.replace("yn_from_color", "yn_from_what_kind"), ":1: templates of test 'rad.yn_from_what_kind' belong"),
        ("txets = ['x']\n" + HEAD, ":1: unknown key 'txets'; did you mean 'texts'?"),
        ("texts = 'negated'\n" + HEAD, ":1: 'texts' must be a list of field names"),
        (HEAD + "be = 'x'\n", ":6: slot 'be' has a name that templates use for something else"),
        (HEAD + "Size = 'x'\n", ":6: slot 'Size' must have a name of lowercase letters"),
        (HEAD + "size = []\n", ":6: slot 'size' needs 1 to 8 example values"),
        (HEAD + "size = 2020-01-01\n", ":6: slot 'size' may hold strings"),
        (HEAD + "size = {a = 1}\n", ":6: slot 'size' may hold strings"),
        (
            HEAD + "size = 'big'\n",
            ":6: test rad.yn_from_color fills no slot 'size'; known: are, aux, noun, rest, subject, value, verb",
        ),
    ],
)
def test_a_mistake_above_the_entries_is_named_with_its_line(tmp_path: Path, head: str, message: str) -> None:
    problems = check_templates(write(tmp_path, ENTRY, head=head)).problems
    errors = [str(problem) for problem in problems if problem.is_error]
    assert any(error.startswith(f"{tmp_path}/yn_from_color.toml{message}") for error in errors), errors


def test_the_line_is_counted_inside_a_text_of_several_lines(tmp_path: Path) -> None:
    assert ":11: template" in only_problem(write(tmp_path, entry("\nIs {{ subject }}\n{{ valeu }}{{ value }}?")))


def test_the_line_is_right_after_continued_lines(tmp_path: Path) -> None:
    body = '\n[[template]]\nid = "mine"\ntext = """\nIs \\\n   {{ subject }} \\\n\n{{ value }}\n{{ valeu }}?"""\n'
    assert ":14: template" in only_problem(write(tmp_path, body))


def test_brackets_and_keys_inside_a_text_do_not_move_the_lines(tmp_path: Path) -> None:
    body = entry("\n[[template]]\nid = 1 # {{ subject }}\n{{ value }}?", "first")
    assert ":17: template 'second'" in only_problem(write(tmp_path, body + entry("{{ valeu }}?", "second")))


def test_a_second_text_is_checked_too(tmp_path: Path) -> None:
    body = entry("Is {{ subject ~ value }}?", fields="negated = 'Is {{ subjec }} not?'")
    problem = only_problem(write(tmp_path, body, head="texts = ['negated']\n" + HEAD))
    assert problem.startswith("yn_from_color.toml:11: template 'mine': negated: unknown variable 'subjec'")


def test_an_id_may_not_be_used_in_two_files(tmp_path: Path) -> None:
    head = 'test = "rad.yn_from_what_kind"\n[slots]\nvalue = "x"\n'
    write(tmp_path, ENTRY)
    problem = only_problem(
        write(tmp_path, entry("{{ value }}?", fields="like = 'what_kind.noun'"), "yn_from_what_kind", head)
    )
    assert problem == "yn_from_what_kind.toml:6: template 'mine': the id is already used at yn_from_color.toml:7"


def test_a_slot_that_no_template_uses_is_only_a_warning(tmp_path: Path) -> None:
    (problem,) = check_templates(write(tmp_path, entry("Is {{ subject }} red?"))).problems
    assert str(problem).endswith("yn_from_color.toml:5: warning: no template uses slot 'value'")
    assert len(load_templates("rad-cads", tmp_path)) == 1


def test_an_unknown_test_is_only_a_warning(tmp_path: Path) -> None:
    problem = only_problem(write(tmp_path, ENTRY, "yn_from_colour", HEAD.replace("color", "colour")))
    assert problem.startswith("yn_from_colour.toml:1: warning: nothing builds from test 'rad.yn_from_colour'; did you")


def test_a_file_that_is_not_utf8_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "yn_from_color.toml").write_bytes(b"# one\n# caf\xe9\n")
    assert only_problem(tmp_path) == "yn_from_color.toml:2: the file is not UTF-8"


def test_loading_stops_at_the_first_mistake(tmp_path: Path) -> None:
    write(tmp_path, entry("{{ subject ~ value }}", "one") + entry("{{ x }}?", "two"))
    with pytest.raises(BadTemplateError, match=r"yn_from_color\.toml:9: template 'one': no question mark"):
        load_templates("rad-cads", tmp_path)


def test_a_folder_without_templates_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="no templates in"):
        check_templates(tmp_path)
    with pytest.raises(MissingFileError, match="expected"):
        load_templates("rad-cads", tmp_path)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ("", ":8: template 'mine': no question has this id: name the template it belongs to"),
        ("like = 'color.off'", ":10: template 'mine': 'like' names an unknown template 'color.off'; did you"),
        ("like = 'color.of'\naccepted = 'no'", ":11: template 'mine': 'accepted' must be true or false"),
    ],
)
def test_a_new_wording_says_which_question_it_words(tmp_path: Path, fields: str, message: str) -> None:
    body = entry("Would you call {{ subject }} {{ value }}?", fields=fields)
    assert only_problem(write(tmp_path, body)).startswith(f"yn_from_color.toml{message}")


def test_a_new_wording_has_only_the_slots_of_its_question(tmp_path: Path) -> None:
    head = HEAD + "noun = 'shirt'\n"
    body = entry("Is the {{ noun }} of {{ subject }} {{ value }}?", fields="like = 'color.of'")
    problem = only_problem(write(tmp_path, body, head=head))
    assert problem == "yn_from_color.toml:10: template 'mine': the questions of 'color.of' fill no slot 'noun'"


def test_a_template_that_is_not_accepted_is_switched_off(tmp_path: Path) -> None:
    off = entry("Is {{ subject }} {{ value }}?", "off", "like = 'color.of'\naccepted = false")
    templates = load_templates("rad-cads", write(tmp_path, ENTRY + off))
    assert [template.id for template in templates] == ["mine"]


FVQA_HEAD = 'test = "fvqa2.mine"\n[slots]\nentity = "hold water"\n'
FVQA_FIELDS = "relation = 'UsedFor'\nslot = 'tail'\nform = 'gerund'"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("relation = 'UsedFor'\n", "", ":5: template 'mine': the template has no 'relation'"),
        ("UsedFor", "UseFor", ":8: template 'mine': unknown relation 'UseFor'; did you mean 'UsedFor'?"),
        ("'tail'", "'end'", ":9: template 'mine': 'slot' must be one of 'head', 'tail'"),
        ("'gerund'", "'gerunds'", ":10: template 'mine': unknown form 'gerunds'; did you mean 'gerund'?"),
        ("'gerund'", "'base'", ":7: template 'mine': form 'base' is written {{ entity | base }}"),
        ("UsedFor", "AtLocation", ":10: template 'mine': the facts of AtLocation have no form 'gerund'; known: a,"),
        ("'gerund'", "'gerund'\nsplit = 'test'", ":11: template 'mine': 'split' must be one of 'adversarial',"),
        ("'gerund'", "'gerund'\nkind = 'animal'", ":11: template 'mine': unknown key 'kind'"),
    ],
)
def test_a_mistake_in_a_template_of_facts_is_named_with_its_line(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    body = entry("What is it for {{ entity|gerund }}?", fields=FVQA_FIELDS.replace(old, new))
    assert only_problem(write(tmp_path, body, "mine", FVQA_HEAD)).startswith(f"mine.toml{message}")


def test_a_sound_template_of_facts_has_no_problem(tmp_path: Path) -> None:
    body = entry("What is it for {{ entity|gerund }}?", fields=FVQA_FIELDS)
    assert check_templates(write(tmp_path, body, "mine", FVQA_HEAD)).problems == ()
