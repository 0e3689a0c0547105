"""How the tests write files of templates."""

from pathlib import Path

HEAD = """\
test = "rad.yn_from_color"

[slots]
subject = ["the cat", "the man's hat"]
value = ["white", "red"]
"""


def write(folder: Path, body: str, name: str = "yn_from_color", head: str = HEAD) -> Path:
    """Write one file of templates into a folder and give the folder back."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.toml").write_text(head + body, encoding="utf-8")
    return folder


def entry(text: str, template_id: str = "mine", more: str = "") -> str:
    """One entry; its `[[template]]` is on the second line of what is returned, its text on the fourth."""
    return f"\n[[template]]\nid = '{template_id}'\ntext = '''{text}'''\n{more}\n"
