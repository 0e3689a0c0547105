"""Template files for the tests."""

from pathlib import Path

HEAD = """\
test = "rad.yn_from_color"

[slots]
subject = ["the cat", "the man's hat"]
value = ["white", "red"]
"""


def write(folder: Path, body: str, name: str = "yn_from_color", head: str = HEAD) -> Path:
    """Write a template file into a folder and return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.toml").write_text(head + body, encoding="utf-8")
    return folder


def entry(text: str, template_id: str = "mine", fields: str = "like = 'color.object'") -> str:
    """One entry, with `[[template]]` on its second line and the text on its fourth."""
    return f"\n[[template]]\nid = '{template_id}'\ntext = '''{text}'''\n{fields}\n"
