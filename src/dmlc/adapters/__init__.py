"""Ways into dmlc from other tools' files."""
