"""Why a project has the key it has, and whose a key is."""
