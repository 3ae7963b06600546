"""Records and files: everything the project keeps, and nothing that draws or judges."""
