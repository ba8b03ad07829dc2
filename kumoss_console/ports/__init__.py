"""What the services see of the outside world. Adapters satisfy these; tests bring fakes."""
