"""How the services of one context are made: the ground they stand on, and who is made of what, side by side."""
