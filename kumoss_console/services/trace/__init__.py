"""Which state is active for a project or a workspace."""
