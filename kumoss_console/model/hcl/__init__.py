"""Terraform's configuration language, read as the engines read it: native syntax and JSON, with the line of everything.

Pure: text in, values and problems out. The engines' own parsers recover from errors in a particular way, and what they keep
after an error is what ``init`` binds; a general HCL library neither recovers nor knows lines, so this reader follows the
language specification and the engines' observable behaviour instead.
"""

from __future__ import annotations

from kumoss_console.model.hcl.bodies import Attribute, Block, BlockSchema, Body, Content, Schema
from kumoss_console.model.hcl.file import ConfigFile, parse_file
from kumoss_console.model.hcl.problem import Problem

__all__ = ["Attribute", "Block", "BlockSchema", "Body", "ConfigFile", "Content", "Problem", "Schema", "parse_file"]
