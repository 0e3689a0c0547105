"""Write the tables of named colors that ship with the package, from Matplotlib's own (needs matplotlib).

    python scripts/make_colors.py

CSS4's names are written as people write them ("deepskyblue": "deep sky blue"); xkcd's are so already.
"""

import json
import re
from pathlib import Path

KG = Path(__file__).resolve().parent.parent / "diptych" / "kg"

# Words that names are made of, longest first, so that "lightgoldenrodyellow" falls apart as it should.
PARTS = re.findall(
    r"\w+",
    "goldenrod slate orchid salmon turquoise lavender chiffon almond blanched papaya whip smoke ghost floral antique "
    "navajo burly wood saddle sandy rosy misty powder cornflower dodger midnight royal rebecca alice cadet medium "
    "marine forest spring lawn chartreuse khaki magenta violet purple yellow orange indian coral lemon cream mint "
    "light dark deep pale blue green white black brown hot pink dim gray grey sea steel sky cyan aqua red olive drab "
    "rose lime blush peach puff shell sea fire brick snow old lace gold rod tomato crimson",
)
KEPT = {"goldenrod", "seashell", "firebrick", "aquamarine", "burlywood"}


def written(name: str) -> str:
    """A CSS4 name as words."""
    parts, rest = [], name
    while rest:
        found = next((part for part in sorted((*PARTS, *KEPT), key=len, reverse=True) if rest.startswith(part)), None)
        if found is None:
            return name
        parts.append(found)
        rest = rest[len(found) :]
    return " ".join(parts)


def rgb(code: str) -> list[int]:
    """The three numbers of a code like #ee82ee."""
    return [int(code[at : at + 2], 16) for at in (1, 3, 5)]


def main() -> None:
    """Write both tables."""
    from matplotlib import colors

    lines = ["# The 148 CSS4 colors Matplotlib names: as written, and red, green and blue from 0 to 255.", ""]
    for name, code in sorted(colors.CSS4_COLORS.items()):
        lines.append(f"{name} = {{ text = {json.dumps(written(name))}, rgb = {rgb(code)} }}")
    (KG / "css4_colors.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    lines = ["# The 949 colors of the xkcd survey that Matplotlib names (CC0): red, green and blue from 0 to 255.", ""]
    for name, code in sorted(colors.XKCD_COLORS.items()):
        text = re.sub(r"^xkcd:", "", name)
        lines.append(f"{json.dumps(text)} = {{ text = {json.dumps(text)}, rgb = {rgb(code)} }}")
    (KG / "xkcd_colors.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(colors.CSS4_COLORS)} CSS4 names, {len(colors.XKCD_COLORS)} xkcd names")


if __name__ == "__main__":
    main()
