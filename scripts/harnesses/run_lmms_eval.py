"""Run exported tasks in lmms-eval with a recorded model: FOLDER TASK…"""

import sys

from replies import Replies, write_results

from lmms_eval.api.model import lmms  # noqa: E402
from lmms_eval.evaluator import simple_evaluate  # noqa: E402
from lmms_eval.tasks import TaskManager  # noqa: E402


class Recorded(lmms):
    """Looks replies up."""

    def __init__(self):
        super().__init__()
        self.replies = Replies()

    def generate_until(self, requests):
        return [self._reply(*request.args) for request in requests]

    def _reply(self, context, decoding, doc_to_visual, number, task, split):
        return self.replies.reply(context, *doc_to_visual(self.task_dict[task][split][number]))

    def loglikelihood(self, requests):
        raise NotImplementedError

    def generate_until_multi_round(self, requests):
        raise NotImplementedError


folder, *names = sys.argv[1:]
manager = TaskManager(include_path=folder, include_defaults=False)
results = simple_evaluate(model=Recorded(), tasks=names, task_manager=manager, bootstrap_iters=0)["results"]
scores = {task: {name.partition(",")[0]: value for name, value in values.items()} for task, values in results.items()}
write_results(scores)
