"""What the basic-questions paper prints: accuracy of six models by partition, and R_score, on VQA's test-dev."""

from diptych.builders._printed import PrintedColumn, PrintedTable

_CITATION = "Huang et al. 2019"
_ROWS = {
    "gbqd": {
        "MUTAN without attention": "60.16 49.96 48.67 46.27 46.30 46.41 46.22 45.57 0.30",
        "HieCoAtt (Alt, VGG19)": "60.48 54.63 52.67 51.08 51.34 49.99 50.27 48.92 0.48",
        "MLB with attention": "65.79 57.12 55.98 55.16 54.84 54.05 53.34 52.99 0.36",
        "MUTAN with attention": "65.98 56.85 54.88 54.00 53.35 52.88 52.46 52.46 0.34",
        "HieCoAtt (Alt, Resnet200)": "61.81 55.22 53.34 51.84 51.88 51.23 51.12 49.54 0.45",
        "LSTM Q+I": "58.02 44.47 42.75 40.97 40.86 40.70 40.19 39.21 0.19",
    },
    "ynbqd": {
        "MUTAN without attention": "60.16 49.96 48.67 46.27 46.30 46.41 46.22 45.57 0.30",
        "HieCoAtt (Alt, VGG19)": "60.48 54.49 53.78 53.28 52.97 52.95 52.51 52.39 0.48",
        "MLB with attention": "65.79 57.33 56.47 55.99 55.47 54.74 54.00 54.19 0.37",
        "MUTAN with attention": "65.98 53.79 52.32 51.74 51.06 50.39 49.84 49.58 0.23",
        "HieCoAtt (Alt, Resnet200)": "61.81 56.90 55.90 55.11 55.09 55.23 54.73 54.22 0.53",
        "LSTM Q+I": "58.02 40.91 40.40 39.77 39.43 39.09 38.73 38.50 0.08",
    },
}
_MISPRINT = (
    "The accuracies of MUTAN without attention on partitions 1 to 7 are printed as in Table 2, and do not fit their "
    "differences (10.13, 11.18, 11.36, 11.53, 11.81, 12.00, 12.18)."
)
_TITLE = "Accuracy in % by partition of {}, and R_score on partition 1 (test-dev)"


def _columns(test: str) -> tuple[PrintedColumn, ...]:
    partitions = (
        PrintedColumn(number, "accuracy_perturbed", test, "partition", number) for number in map(str, range(1, 8))
    )
    return PrintedColumn("0", "accuracy_original", test), *partitions, PrintedColumn("R_score", "r_score", test)


PRINTED = tuple(
    PrintedTable(_CITATION, table, _TITLE.format(name.upper()), _columns(f"bqd.{name}"), rows, note=note)
    for (name, rows), table, note in zip(_ROWS.items(), ("Table 2", "Table 3"), ("", _MISPRINT), strict=True)
)
