"""Text that strangers could put into an object key, a job's output or a lock holder."""

HOSTILE = (
    "see [/tmp/x",
    "[$error]x",
    "[@click=app.quit]x",
    "[red]x[/]",
    "tail\\",
    "\x1b]52;c;QQ==\x1b\\",
    "\x1bc",
    "\u202etxt",
    "\x9b2J",
    "a\rb\nc\td\x00e",
    "é世界👩‍🚀",
    "a" * 5000,
)
