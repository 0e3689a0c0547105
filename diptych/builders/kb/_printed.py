"""What the paper on knowledge-based queries prints: accuracy of ViLT before and after each substitution."""

from diptych.builders._printed import PrintedColumn, PrintedTable

_CITATION = "Stoikou et al. 2023"
_COLOR_SCORES = {"acc_Q": "", "acc_Q* (common)": "common", "acc_Q* (uncommon)": "uncommon"}
_COLORS = {
    "vqa_v2": {"color_maximal": "69.6 45.8 43.6", "color_minimal": "70.0 48.3 48.3"},
    "visual_genome": {"color_maximal": "46.9 29.0 22.4", "color_minimal": "47.5 30.9 30.9"},
}
_WORD_SCORES = {"acc_Q": "accuracy_original", "acc_Q*": "accuracy_perturbed", "reduction": "relative_reduction"}
_WORDS = {
    "vqa_v2": {
        "synonym_adjective": "75.1 56.9 20.6",
        "synonym_verb": "76.8 64.1 16.5",
        "hypernym_noun": "75.2 60.8 19.1",
        "hyponym_noun": "75.1 56.3 25.0",
        "sibling_noun": "76.9 54.0 29.8",
        "deletion_noun": "76.9 59.1 23.1",
    },
    "visual_genome": {
        "synonym_adjective": "47.0 37.4 20.4",
        "synonym_verb": "52.3 44.4 15.1",
        "hypernym_noun": "54.6 41.5 24.0",
        "hyponym_noun": "53.5 36.1 32.5",
        "sibling_noun": "54.0 33.4 38.1",
        "deletion_noun": "53.9 36.5 32.3",
    },
}
_MISPRINT = "The reduction of synonym adjectives on VQA v2 is printed as 20.6 %; the accuracies make it 24.2 %."


def _color_columns(test: str) -> tuple[PrintedColumn, ...]:
    return tuple(
        PrintedColumn(header, "accuracy_perturbed", test, "colors", colors)
        if colors
        else PrintedColumn(header, "accuracy_original", test)
        for header, colors in _COLOR_SCORES.items()
    )


def _word_columns(test: str) -> tuple[PrintedColumn, ...]:
    return tuple(PrintedColumn(header, score, test) for header, score in _WORD_SCORES.items())


def _tables(config: str) -> tuple[PrintedTable, PrintedTable]:
    colors, words = _COLORS[config], _WORDS[config]
    color_columns = tuple(column for test in colors for column in _color_columns(f"kb.{test}"))
    word_columns = tuple(column for test in words for column in _word_columns(f"kb.{test}"))
    titles = "Accuracy in % before and after another color", "Accuracy in % before and after another word"
    note = _MISPRINT if config == "vqa_v2" else ""
    return (
        PrintedTable(_CITATION, "Table 2", titles[0], color_columns, {"ViLT": " ".join(colors.values())}, (config,)),
        PrintedTable(
            _CITATION, "Table 3", titles[1], word_columns, {"ViLT": " ".join(words.values())}, (config,), note
        ),
    )


PRINTED = (*_tables("vqa_v2"), *_tables("visual_genome"))
