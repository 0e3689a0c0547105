"""Run exported tasks in lm-eval with a recorded model; the arguments are a folder and tasks."""

import sys

from lm_eval import simple_evaluate
from lm_eval.api.model import LM
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager
from replies import Replies, write_results


class Recorded(LM):
    """Looks replies up; the place of the picture is not part of the prompt."""

    MULTIMODAL = True

    def __init__(self):
        super().__init__()
        self.replies = Replies()

    def generate_until(self, requests, **_):
        """Reply to all requests."""
        return [self._reply(*request.args) for request in requests]

    def _reply(self, context, decoding, media=None):
        images = (media or {}).get("visual", [])
        if context.count("<image>") != len(images):
            raise ValueError(f"{len(images)} images for {context!r}")
        return self.replies.reply(context.replace("<image>", ""), *images)

    def loglikelihood(self, requests, **_):
        """Replies alone are recorded."""
        raise NotImplementedError

    loglikelihood_rolling = loglikelihood


folder, *names = sys.argv[1:]
manager, tracker = (
    TaskManager(include_path=folder, include_defaults=False),
    EvaluationTracker(output_path=f"{folder}/logs"),
)
evaluation = simple_evaluate(
    model=Recorded(), tasks=names, task_manager=manager, bootstrap_iters=0, log_samples=True, evaluation_tracker=tracker
)
samples, results = evaluation.pop("samples"), evaluation["results"]
tracker.save_results_aggregated(results=evaluation, samples=samples)
for name in names:
    tracker.save_results_samples(task_name=name, samples=samples[name])
scores = {task: {name.partition(",")[0]: value for name, value in values.items()} for task, values in results.items()}
write_results(scores)
