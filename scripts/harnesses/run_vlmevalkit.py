"""Run exported datasets in VLMEvalKit with a recorded model; the arguments are a folder and datasets."""

import contextlib
import sys
from pathlib import Path

from replies import Replies, write_results

with contextlib.suppress(ImportError):  # VLMEvalKit imports torchvision, whose wheels need a torch built for CUDA
    import torch

    if not torch.version.cuda:
        library = torch.library.Library("torchvision", "DEF")
        for name in ("nms", "qnms"):
            library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")

from PIL import Image

folder, *names = sys.argv[1:]
(module,) = Path(folder).glob("*_vlmevalkit.py")
sys.path.insert(0, folder)
datasets = __import__(module.stem)
datasets.register()

from vlmeval.dataset import build_dataset  # noqa: E402
from vlmeval.inference import infer_data_job  # noqa: E402


class Recorded:
    """Looks replies up."""

    is_api = False

    def __init__(self):
        self.replies = Replies()

    def set_dump_image(self, dump_image):
        """Prompts name the files of images already."""

    def generate(self, message, dataset=None):
        """Reply to one message."""
        parts = {part["type"]: part["value"] for part in message}
        images = [Image.open(parts["image"])] if "image" in parts else []
        return self.replies.reply(parts["text"], *images)


results = {}
for name in names:
    dataset = build_dataset(name)
    work = Path(folder, "work")
    work.mkdir(exist_ok=True)
    infer_data_job(model=Recorded(), work_dir=str(work), model_name="recorded", dataset=dataset)
    (file,) = (path for path in work.glob(f"recorded_{name}.*") if path.suffix in (".xlsx", ".tsv"))
    results[name] = dataset.evaluate(str(file))
write_results(results)
