"""What the Hub accepts at the head of a README."""

import pytest

from tests.hub.metadata import check
from tests.hub.store import Kind


@pytest.mark.parametrize(
    ("yaml", "kind", "error"),
    [
        ("license: mit\nlanguage: [en]\nsize_categories: [1K<n<10K]", "dataset", ""),
        ("license: [cc-by-4.0, other]\nlanguage: en", "dataset", ""),
        ("configs:\n- config_name: a\n  default: true\n- config_name: b", "dataset", ""),
        ("sdk: static", "space", ""),
        ("license: [", "dataset", "YAML parse error"),
        ("- a\n- b", "dataset", "mapping"),
        ("license: mine", "dataset", '"license"'),
        ("license: {a: b}", "dataset", '"license"'),
        ("language: English", "dataset", '"language"'),
        ("language: no", "dataset", '"language"'),
        ("size_categories: many", "dataset", '"size_categories"'),
        ("configs:\n- name: a", "dataset", "config_name"),
        ("configs:\n- config_name: a\n- config_name: a", "dataset", "unique"),
        ("configs:\n- config_name: a\n  default: true\n- config_name: b\n  default: true", "dataset", "one default"),
        ("license: other", "dataset", '"license_name"'),
        ("task_categories: [vqa]", "dataset", '"task_categories"'),
        ("task_ids: [vqa]", "dataset", '"task_ids"'),
        ("annotations_creators: [people]", "dataset", '"annotations_creators"'),
        ("language_creators: [no-annotation]", "dataset", '"language_creators"'),
        ("multilinguality: [english]", "dataset", '"multilinguality"'),
        ("source_datasets: ['extended|other-a, b']", "dataset", '"source_datasets"'),
        ("tags: ['a,b']", "dataset", '"tags"'),
        ("configs:\n- config_name: a/b", "dataset", '"config_name"'),
        ("configs:\n- config_name: a\n  data_files: [{split: a-b, path: x}]", "dataset", '"data_files"'),
        ("configs:\n- config_name: a\ndataset_info: {config_name: b}", "dataset", '"dataset_info"'),
        ("title: no sdk", "space", '"sdk"'),
    ],
)
def test_metadata_is_checked(yaml: str, kind: Kind, error: str) -> None:
    errors, warnings = check(f"---\n{yaml}\n---\n# Title\n", kind)
    assert warnings == []
    assert len(errors) == bool(error)
    assert error in "".join(errors)


@pytest.mark.parametrize("text", ["# Title", "---\n\n---\n# Title", "---\nlicense: mit\n# never closed"])
def test_a_readme_without_metadata_is_warned_of(text: str) -> None:
    assert check(text, "dataset") == ([], ["empty or missing yaml metadata in repo card"])
