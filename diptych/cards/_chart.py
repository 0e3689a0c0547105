"""A small picture of the answers: one bar per test, drawn as SVG, the same bytes for the same manifest."""

from xml.sax.saxutils import escape

from diptych.folder import Manifest

_LEFT, _WIDTH, _RIGHT, _ROW, _TOP = 330, 360, 170, 26, 46
_COLORS = (("yes", "#2a78b5"), ("no", "#e08a1e"), ("other", "#b8bcc2"))


def answers_chart(manifest: Manifest) -> str:
    """How the perturbed answers divide into yes, no and others, by config and test."""
    rows = answer_shares(manifest)
    height = _TOP + _ROW * len(rows) + 12
    width = _LEFT + _WIDTH + _RIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-size="12" role="img" aria-label="Perturbed answers by config and test">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        *_legend(),
        *(part for index, row in enumerate(rows) for part in _bar(_TOP + index * _ROW, *row)),
        _half(height),
        "</svg>\n",
    ]
    return "\n".join(parts)


def answer_shares(manifest: Manifest) -> list[tuple[str, int, tuple[float, float, float]]]:
    """Config and test, pairs, and the shares of yes, no and other answers, all splits together."""
    rows = []
    for name, config in manifest.configs.items():
        for test in config.tests:
            statistics = [split.statistics[test] for split in config.splits.values() if test in split.statistics]
            pairs = sum(numbers.pairs for numbers in statistics)
            if pairs:
                yes, no = (sum(n.perturbed_answers.get(word, 0) for n in statistics) for word in ("yes", "no"))
                rows.append((f"{name}: {test}", pairs, (yes / pairs, no / pairs, (pairs - yes - no) / pairs)))
    return rows


def _legend() -> list[str]:
    parts = []
    for index, (word, color) in enumerate(_COLORS):
        x = _LEFT + 80 * index
        parts.append(f'<rect x="{x}" y="14" width="12" height="12" fill="{color}"/>')
        parts.append(f'<text x="{x + 18}" y="24" fill="#222222">{word}</text>')
    return parts


def _bar(y: int, label: str, pairs: int, shares: tuple[float, float, float]) -> list[str]:
    parts = [f'<text x="{_LEFT - 10}" y="{y + 14}" text-anchor="end" fill="#222222">{escape(label)}</text>']
    x = float(_LEFT)
    for share, (_, color) in zip(shares, _COLORS, strict=True):
        width = share * _WIDTH
        parts.append(f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="18" fill="{color}"/>')
        x += width
    label = f"{100 * shares[0]:.1f} % yes of {pairs:,}"
    parts.append(f'<text x="{_LEFT + _WIDTH + 10}" y="{y + 14}" fill="#222222">{label}</text>')
    return parts


def _half(height: int) -> str:
    x = _LEFT + _WIDTH / 2
    return f'<line x1="{x}" y1="{_TOP - 6}" x2="{x}" y2="{height - 8}" stroke="#222222" stroke-dasharray="3 3"/>'
