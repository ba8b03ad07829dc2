"""How a use case asks the outside world: with a deadline, and what one object or one lock of a store answers."""
