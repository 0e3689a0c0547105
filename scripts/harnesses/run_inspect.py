"""Run exported tasks in Inspect with a recorded model; the arguments are a folder and tasks."""

import base64
import sys

from inspect_ai import eval as evaluate
from inspect_ai.model import ModelAPI, ModelOutput, modelapi
from replies import Replies, write_results


@modelapi(name="recorded")
class Recorded(ModelAPI):
    """Looks replies up."""

    def __init__(self, model_name, **options):
        super().__init__(model_name)
        self.replies = Replies()

    async def generate(self, input, tools, tool_choice, config):
        """Reply to one message."""
        (message,) = input
        parts = {part.type: part for part in message.content}
        images = [picture_of(parts["image"].image)] if "image" in parts else []
        return ModelOutput.from_content("recorded", self.replies.reply(parts["text"].text, *images))

    async def count_tokens(self, *args, **kwargs):
        """No one pays for them."""
        return 1

    count_text_tokens = count_tokens


def picture_of(image):
    """The image file that a message carries or names."""
    if image.startswith("data:"):
        return base64.b64decode(image.partition(",")[2])
    with open(image, "rb") as file:
        return file.read()


folder, *names = sys.argv[1:]
tasks = [f"{folder}/tasks.py@{name}" for name in names]
logs = evaluate(tasks, model="recorded/x", display="none", log_dir=f"{folder}/logs")
results = {}
for log in logs:
    if log.status != "success":
        raise SystemExit(f"{log.eval.task}: {log.error.message if log.error else log.status}")
    scores = {name: metric.value for score in log.results.scores for name, metric in score.metrics.items()}
    results[log.eval.task] = scores
write_results(results)
