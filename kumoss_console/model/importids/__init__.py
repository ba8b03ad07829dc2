"""What an import takes, and the worksheet on the way there."""
