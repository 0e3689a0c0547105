"""Batch files of the OpenAI protocol: requests to be answered at leisure, and the files of results."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import orjson

from diptych.errors import BadInputError
from diptych.files import atomic_writer, read_json_lines
from diptych.models._completions import UnreadableReplyError, read_completion
from diptych.models._endpoint import EndpointModel
from diptych.models._model import Query, Reply

_MOST_REQUESTS, _MOST_BYTES = 50_000, 190_000_000  # of a file: what the API takes, which is 200 MB


def write_batches(path: Path, model: EndpointModel, queries: Iterable[Query]) -> list[Path]:
    """Write the requests of queries, in as many files as the API's limits ask for: `FILE`, then `FILE-2`."""
    paths = []
    for number, group in groupby(_numbered(model, queries), key=lambda pair: pair[0]):
        stem = path.stem if number == 1 else f"{path.stem}-{number}"
        paths.append(path.with_name(f"{stem}{path.suffix}"))
        with atomic_writer(paths[-1]) as file:
            for _, line in group:
                file.write(line)
    return paths


def _numbered(model: EndpointModel, queries: Iterable[Query]) -> Iterator[tuple[int, bytes]]:
    """Lines with the number of the file that each belongs to."""
    number, requests, size = 1, 0, 0
    for query in queries:
        body = model.body(query, model.show(query))
        request = {"custom_id": query.key, "method": "POST", "url": "/v1/chat/completions", "body": body}
        line = orjson.dumps(request) + b"\n"
        if requests == _MOST_REQUESTS or (requests and size + len(line) > _MOST_BYTES):
            number, requests, size = number + 1, 0, 0
        requests, size = requests + 1, size + len(line)
        yield number, line


def read_results(paths: Iterable[Path], model: EndpointModel) -> Iterator[tuple[str, Reply]]:
    """The replies in files of results, by the key of their query."""
    for path in paths:
        for number, row in read_json_lines(path):
            key = row.get("custom_id")
            if not isinstance(key, str):
                raise BadInputError(f"{path}:{number}: no custom_id; pass a result file of a batch")
            yield key, model.secrets.redact_reply(_result(row))


def _result(row: dict[str, Any]) -> Reply:
    response = row.get("response")
    if isinstance(response, dict) and response.get("status_code") == 200:
        try:
            return read_completion(response.get("body"))
        except UnreadableReplyError as error:
            return Reply(None, error=str(error))
    problem = row.get("error") or response or "no response"
    return Reply(None, error=orjson.dumps(problem).decode()[:300])
