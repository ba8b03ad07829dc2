"""The locks on states: who holds them, how grave that is, and how one is removed."""
