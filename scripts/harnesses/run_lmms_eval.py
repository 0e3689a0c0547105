"""Run exported tasks in lmms-eval with a recorded model; the arguments are a folder and tasks."""

import sys

from lmms_eval.api.model import lmms
from lmms_eval.evaluator import simple_evaluate
from lmms_eval.tasks import TaskManager
from replies import Replies, write_results


class Recorded(lmms):
    """Looks replies up."""

    def __init__(self):
        super().__init__()
        self.replies = Replies()

    def generate_until(self, requests):
        """Reply to all requests."""
        return [self._reply(*request.args) for request in requests]

    def _reply(self, context, decoding, doc_to_visual, number, task, split):
        return self.replies.reply(context, *doc_to_visual(self.task_dict[task][split][number]))

    def loglikelihood(self, requests):
        """Replies alone are recorded."""
        raise NotImplementedError

    generate_until_multi_round = loglikelihood


folder, *names = sys.argv[1:]
manager = TaskManager(include_path=folder, include_defaults=False)
results = simple_evaluate(model=Recorded(), tasks=names, task_manager=manager, bootstrap_iters=0)["results"]
scores = {task: {name.partition(",")[0]: value for name, value in values.items()} for task, values in results.items()}
write_results(scores)
