"""Extensions of others, in Cython and in C, built against the installed package."""
