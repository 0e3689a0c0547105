"""Pictures from their publishers, one by one: for a sample of a dataset, whose archives would be many gigabytes."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from diptych.downloads import NotServedError, download_file
from diptych.errors import BadInputError
from diptych.images._content import image_size
from diptych.images._names import image_urls
from diptych.images._store import LARGEST_FILE
from diptych.progress import progress

DOWNLOADS_AT_ONCE = 8

NO_ADDRESS = "it has no URL of its own: download the archive that contains it"


def fetch_images(names: Iterable[str], root: Path) -> dict[str, str]:
    """Download pictures into the official folders below a root; returns those that failed, with the reason.

    Each file is complete or absent. Stops if a server cannot be reached.
    """
    file_names = tuple(dict.fromkeys(names))
    failures: dict[str, str] = {}
    with ThreadPoolExecutor(DOWNLOADS_AT_ONCE) as pool, progress("pictures", len(file_names)) as advance:
        try:
            for name, reason in zip(file_names, pool.map(partial(_fetch, root), file_names), strict=True):
                advance(1)
                failures |= {name: reason} if reason else {}
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return failures


def _fetch(root: Path, name: str) -> str:
    """Why a picture could not be had; empty if it was."""
    reason = NO_ADDRESS
    own_folder, _, file_name = name.rpartition("/")
    for url in image_urls(name):
        # The official folder is that of the name, or of the address.
        target = root / (own_folder or url.split("/")[-2]) / file_name
        try:
            download_file(url, target, limit=LARGEST_FILE)
        except NotServedError as error:
            reason = str(error)
            continue
        except BadInputError as error:
            return str(error)
        if image_size(target.read_bytes()) is None:
            target.unlink()
            return f"{url}: the download is not a picture"
        return ""
    return reason
