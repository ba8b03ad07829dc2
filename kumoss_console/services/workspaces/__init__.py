"""The workspaces below a context's root, and which states of its store they are bound to."""
