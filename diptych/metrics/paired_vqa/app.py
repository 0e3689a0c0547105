"""The metric as a Space: `evaluate`'s own widget, for which a Space has gradio."""

from pathlib import Path

if __name__ == "__main__":
    import evaluate
    from evaluate.utils import launch_gradio_widget

    launch_gradio_widget(evaluate.load(str(Path(__file__).resolve().with_name("paired_vqa.py")), "all"))
