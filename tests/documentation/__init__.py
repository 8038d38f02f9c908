"""The README and the site say what is so: their code runs, their names exist, their figures are those measured."""
