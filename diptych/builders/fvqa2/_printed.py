"""What the FVQA 2.0 paper prints: accuracy on standard, originating and adversarial questions, over folds."""

from diptych.builders import PrintedColumn, PrintedTable

_CITATION = "Lin et al. 2023"
_COLUMNS = (
    PrintedColumn("Standard Test Set", "accuracy_original", "fvqa2.standard"),
    PrintedColumn("Originating Question Set", "accuracy_original"),
    PrintedColumn("Adversarial Test Set", "accuracy_perturbed"),
)

PRINTED = (
    PrintedTable(
        _CITATION,
        "Table 2",
        "Accuracy in %, mean ± standard deviation over 5 folds",
        _COLUMNS,
        {
            "ZS-F-VQA": "48.16±1.03 63.67±0.88 49.97±2.37",
            "ZS-F-VQA, augmented": "48.57±1.00 64.63±0.81 74.06±1.92",
            "TRiG": "64.94±0.93 81.67±1.12 68.86±3.26",
            "TRiG, augmented": "65.73±0.33 83.48±1.89 79.79±1.34",
            "RAVQA-NoDPR": "66.19±1.15 84.59±1.24 71.48±2.08",
            "RAVQA-NoDPR, augmented": "66.70±1.00 85.75±0.90 82.38±1.65",
            "RAVQA-DPR": "69.56±0.78 87.52±1.68 76.91±1.93",
            "RAVQA-DPR, augmented": "69.90±0.56 88.33±1.40 85.05±1.15",
        },
        ("default",),
    ),
    PrintedTable(
        _CITATION,
        "Table 3",
        "RAVQA-DPR without parts of its input: accuracy in %, mean ± standard deviation over 5 folds",
        _COLUMNS,
        {
            "without triplets": "66.19±1.15 84.59±1.24 71.48±2.08",
            "without images": "43.83±0.68 57.53±2.93 50.02±1.00",
            "without triplets and images": "40.29±1.60 51.41±3.25 42.55±0.90",
        },
        ("default",),
    ),
)
