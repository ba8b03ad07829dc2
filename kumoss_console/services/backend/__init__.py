"""The backend of a workspace: the override as the core would write it, and the backend that is in force."""
