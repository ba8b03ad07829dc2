"""The next step for what the engines say, by their summary: data."""

from __future__ import annotations

_CONSTANT = (
    "Write the value itself, or leave it out and give it with -backend-config; OpenTofu 1.8 and later evaluates variables."
)
_LOST = "Write it into the block that is in force; an override file replaces the whole block below it."

REMEDIES: dict[str, str] = {
    "Variables not allowed": _CONSTANT,
    "Function calls not allowed": _CONSTANT,
    "Missing Required Value": _LOST,
    "Missing region value": "Set region in the block in force, or AWS_REGION in the sidecar's environment.",
    "Invalid bucket value": _LOST,
    "Invalid key value": _LOST,
    "Duplicate backend configuration": "Keep one backend block. init has bound the first one before it fails.",
    "Both a backend and cloud configuration are present": "Keep one of the two blocks.",
    "Both a backend and a cloud configuration are present": "Keep one of the two blocks.",
    "Unsupported backend type": "Correct the type: names are lower case, and some types were removed.",
    "Unsupported argument": "Remove it, or spell it as this engine's version has it.",
    "Unsupported block type": "In a backend, objects are arguments: write NAME = { ... } with an equals sign.",
    "Invalid argument name": "Take the quotes off the name; only the JSON syntax has them.",
    "Argument or block definition required": "A block's opening brace must stand on the line of its header.",
    "Invalid character": "Type the line anew: pasted text brings quotes and blanks that look right and are not.",
    "Invalid start of value": "JSON begins with a brace: remove a byte order mark and comments from the file.",
    "Failed to read file": "Check the path as the sidecar sees it, and that its user may read the file.",
    "File not seen from here": "Look where the sidecar runs, or give a copy of the file with --backend-config.",
    "Unsupported Terraform Core version": "Run a version that required_version allows, or change it.",
    "Unsupported OpenTofu Core version": "Run a version that required_version allows, or change it.",
    "Missing backend configuration": "Add an empty backend block of the type the file is for.",
    "Invalid command-line option": "Unset IAC_BACKEND_CONFIG for modules with a cloud block.",
    "Backend config contains sensitive values": "Give credentials to the sidecar as environment variables.",
    "Backend config contains ephemeral values": "Give credentials to the sidecar as environment variables.",
    "Incorrect attribute value type": "Write the value in the type that is asked for.",
    "Deprecated Parameter": "Use the new name before the old one is removed.",
    "Deprecated Parameters": "Use assume_role = { ... } in their place.",
    "Invalid reference": "In JSON, OpenTofu reads ${...} as a template: write $${...} for the text itself.",
}
