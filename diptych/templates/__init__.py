"""Templates: the Jinja engine that fills them and, in a folder a dataset, the templates themselves."""

from diptych.templates.engine import Template, TemplateSet
from diptych.templates.files import Problem
from diptych.templates.folders import check_templates, export_templates, load_templates, template_datasets

__all__ = [
    "Problem",
    "Template",
    "TemplateSet",
    "check_templates",
    "export_templates",
    "load_templates",
    "template_datasets",
]
