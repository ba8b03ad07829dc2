"""What exists in a cloud beside what states manage, and how it is imported."""
