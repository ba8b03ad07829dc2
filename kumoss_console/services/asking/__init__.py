"""How a use case asks the outside world: with a deadline and off the loop, and what one object of a store answers."""
