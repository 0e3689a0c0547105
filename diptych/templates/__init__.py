"""Question templates: the sandboxed Jinja engine that renders them, and the templates, in one folder per dataset."""

from diptych.templates._checks import CheckReport
from diptych.templates._files import Problem
from diptych.templates._folders import check_templates, export_templates, load_templates, template_datasets
from diptych.templates._sandbox import Program, RefusedError, compile_text
from diptych.templates._schema import Schema, find_schema
from diptych.templates._template import Template, TemplateSet

__all__ = ["CheckReport", "Problem", "check_templates", "export_templates", "load_templates", "template_datasets"]
__all__ += ["Program", "RefusedError", "Schema", "Template", "TemplateSet", "compile_text", "find_schema"]
