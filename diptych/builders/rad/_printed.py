"""What the RAD paper prints: RAD and accuracy of nine models by test."""

from diptych.builders import PrintedColumn, PrintedTable
from diptych.builders.rad._readings import COLOR, COUNT, KIND
from diptych.builders.rad._records import BACK_TRANSLATION, CONVQA_CS, CONVQA_L, REPHRASING

_CITATION = "Rosenberg et al. 2021"
_TESTS = {
    "Y/N←C": COLOR,
    "Y/N←HM": COUNT,
    "Y/N←WK": KIND,
    "BT": BACK_TRANSLATION,
    "Reph": REPHRASING,
    "L-ConVQA": CONVQA_L,
    "CS-ConVQA": CONVQA_CS,
}
_RAD = tuple(PrintedColumn(header, "rad_forward", test) for header, test in _TESTS.items())
_ACCURACY = tuple(PrintedColumn(header, "accuracy_original", test) for header, test in _TESTS.items())
_CONFIGS = {
    "VQA-CP": ("vqa_cp_v2",),
    "VQA": (
        *("vqa_v2", "yn_from_color", "yn_from_how_many", "yn_from_what_kind", "paper"),
        *("convqa_l", "convqa_cs", "rephrasings", "back_translations"),
    ),
    "VisDial": ("visdial",),
}  # of VQA-CP's and VisDial's models too, alternatives are printed; the configs that have these tests are of VQA v2
_RAD_ROWS = {
    "VQA-CP": {
        "RUBi": "64.92 57.15 62.59 85.57 77.73 78.02 65.93",
        "LMH": "1.01 22.82 50.10 83.68 75.04 64.54 50.65",
        "CSS": "0.94 11.73 39.95 77.54 68.89 10.67 38.64",
    },
    "VQA": {
        "BUTD": "67.15 58.68 78.59 87.43 79.28 75.78 70.19",
        "BAN": "74.40 62.45 82.51 88.17 81.14 79.37 70.18",
        "Pythia": "65.00 60.61 81.60 88.42 82.86 77.02 69.45",
        "VisualBERT": "79.99 68.29 85.98 88.52 84.09 82.09 71.75",
    },
    "VisDial": {"FGA": "31.36 57.69 - 91.42 - - -", "VisDialBERT": "62.08 56.06 - 94.04 - - -"},
}
_ACCURACY_ROWS = {
    "VQA-CP": {
        "RUBi": "65.85 17.35 44.14 45.80 46.51 72.14 66.67",
        "LMH": "68.87 44.24 50.58 52.35 53.78 65.07 61.76",
        "CSS": "72.87 63.16 51.83 56.37 58.81 49.84 56.12",
    },
    "VQA": {
        "BUTD": "79.44 54.43 63.49 60.37 62.23 75.05 62.42",
        "BAN": "80.72 62.37 66.48 63.02 64.81 74.94 65.01",
        "Pythia": "81.62 57.49 64.42 61.69 63.88 74.55 63.79",
        "VisualBERT": "80.85 58.89 64.46 62.71 64.96 76.50 66.01",
    },
    "VisDial": {"FGA": "55.62 40.00 - 61.53 - - -", "VisDialBERT": "68.99 50.77 - 63.47 - - -"},
}

PRINTED = tuple(
    PrintedTable(_CITATION, name, f"{title}, models of {source}", columns, rows[source], configs)
    for source, configs in _CONFIGS.items()
    for name, title, columns, rows in (
        ("Table 2", "RAD(D, D') in %, by test", _RAD, _RAD_ROWS),
        ("Table 3", "Accuracy(D) in %, by test", _ACCURACY, _ACCURACY_ROWS),
    )
)
