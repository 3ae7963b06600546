"""What the product costs, against floors and peers; each module prints its figures."""
