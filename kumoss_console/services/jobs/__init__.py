"""Jobs of one context: submitted, watched, recorded, explained, carried to other consoles and sent again."""
