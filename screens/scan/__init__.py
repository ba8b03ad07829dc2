"""The scan of a bucket on the screen."""
