"""What a person or a program can ask for, once: plain arguments in, a typed answer out, and one JSON form of each.

Faces parse, call and print. An action gets its connection and what else it works with; it reads no settings.
"""
