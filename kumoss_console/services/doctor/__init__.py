"""What is set up wrongly, and what is in use."""
