"""What is in the state bucket, listed as it is walked through."""
