"""State: which state is active?"""
