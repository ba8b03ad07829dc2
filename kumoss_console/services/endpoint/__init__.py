"""What the endpoint of a store really does."""
