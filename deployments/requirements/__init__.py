"""What each GPU part installs in an environment of its own: NAME.in what it wants, NAME.txt every package it gets."""
