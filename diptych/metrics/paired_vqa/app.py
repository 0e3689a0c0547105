"""The metric as a Space: `evaluate`'s own widget."""

from pathlib import Path


def launch() -> None:
    """Show the metric in a browser; needs gradio, which a Space has."""
    import evaluate
    from evaluate.utils import launch_gradio_widget

    launch_gradio_widget(evaluate.load(str(Path(__file__).resolve().with_name("paired_vqa.py")), "all"))


if __name__ == "__main__":
    launch()
