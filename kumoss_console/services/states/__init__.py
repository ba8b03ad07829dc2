"""What is in a state: one opened whole, or the first bytes of many."""
