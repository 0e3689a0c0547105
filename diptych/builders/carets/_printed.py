"""What the CARETS paper prints: accuracy and consistency of six models and of people, by test."""

from diptych.builders._printed import PrintedColumn, PrintedTable

_CITATION = "Jimenez et al. 2022"
_SCORES = {
    "ACC": "accuracy",
    "Original ACC": "accuracy_original",
    "Perturbed ACC": "accuracy_perturbed",
    "CONS": "self_consistency",
    "C-ACC": "comprehensive_accuracy",
}
_FULL_RESULTS = {
    "rephrase": {
        "BAN": "55.86 55.90 55.83 82.32 50.20",
        "CNN+LSTM": "37.58 37.61 37.56 68.93 28.90",
        "LXMERT": "67.80 67.70 67.90 83.83 61.89",
        "MMBT": "56.91 56.79 57.02 81.72 50.76",
        "ViLBERT": "56.44 56.54 56.35 86.44 51.63",
        "VisualBERT": "59.81 60.13 59.48 83.62 53.87",
        "Human": "86.15 86.74 85.56 96.58 85.28",
    },
    "order": {
        "BAN": "51.69 51.81 51.57 65.22 38.43",
        "CNN+LSTM": "33.25 33.24 33.26 62.56 22.29",
        "LXMERT": "63.26 63.22 63.30 71.02 51.01",
        "MMBT": "51.52 51.30 51.75 58.62 36.65",
        "ViLBERT": "51.02 51.01 51.04 66.21 38.27",
        "VisualBERT": "55.87 55.80 55.93 60.75 40.60",
        "Human": "79.10 79.38 78.83 98.82 78.76",
    },
    "ontological": {
        "BAN": "77.67 79.25 76.10 77.36 66.36",
        "CNN+LSTM": "52.37 48.70 56.04 73.37 39.06",
        "LXMERT": "85.69 88.96 82.42 83.48 77.43",
        "MMBT": "73.73 81.84 65.62 70.46 58.97",
        "ViLBERT": "78.30 84.96 71.65 76.48 66.56",
        "VisualBERT": "74.82 80.53 69.10 74.13 61.88",
        "Human": "96.00 96.00 96.00 94.00 94.00",
    },
    "antonym": {
        "BAN": "71.02 81.70 60.34 56.80 49.42",
        "CNN+LSTM": "51.98 70.64 33.32 10.50 7.24",
        "LXMERT": "79.47 85.14 73.80 71.12 65.04",
        "MMBT": "69.83 82.74 56.92 54.58 47.54",
        "ViLBERT": "72.41 88.94 55.88 55.30 50.06",
        "VisualBERT": "73.76 82.16 65.36 59.84 53.68",
        "Human": "87.50 86.00 89.00 89.00 84.00",
    },
    "negation": {
        "BAN": "50.10 64.64 35.57 19.30 9.73",
        "CNN+LSTM": "49.67 48.51 50.82 17.85 8.59",
        "LXMERT": "52.31 76.08 28.55 28.11 17.00",
        "MMBT": "50.13 67.41 32.86 23.07 11.90",
        "ViLBERT": "49.15 67.58 30.72 18.73 8.61",
        "VisualBERT": "51.10 68.67 33.53 18.26 10.23",
        "Human": "78.25 82.50 74.00 88.50 74.50",
    },
}
_MISPRINT = "People's C-ACC is printed as 74.50, above their accuracy of 74.00 on perturbed questions."
_OPERATIONS = {"M": "mask", "C": "crop", "G3": "blur-3", "G6": "blur-6", "G9": "blur-9"}
_VISUAL = "carets.visual"

PRINTED = (
    *(
        PrintedTable(
            _CITATION,
            f"Table {number}",
            f"Full results in %: {test}",
            tuple(PrintedColumn(header, score, f"carets.{test}") for header, score in _SCORES.items()),
            rows,
            note=_MISPRINT if test == "negation" else "",
        )
        for number, (test, rows) in enumerate(_FULL_RESULTS.items(), start=8)
    ),
    PrintedTable(
        _CITATION,
        "Table 7",
        "Visual invariance: accuracy in %, original and by operation",
        (
            PrintedColumn("O", "accuracy_original", _VISUAL),
            *(
                PrintedColumn(header, "accuracy_perturbed", _VISUAL, "operation", operation)
                for header, operation in _OPERATIONS.items()
            ),
        ),
        {
            "BAN": "48.83 49.38 47.70 49.10 49.29 49.42",
            "CNN+LSTM": "40.28 39.29 40.14 39.45 39.18 39.35",
            "LXMERT": "69.64 66.33 61.82 66.59 66.89 67.06",
            "MMBT": "50.37 50.00 49.17 50.44 50.27 50.18",
            "ViLBERT": "51.60 51.12 49.99 51.69 51.36 51.22",
            "VisualBERT": "53.81 53.25 52.53 53.67 53.39 53.44",
        },
    ),
)
