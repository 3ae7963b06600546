"""One file each: the places a person works in."""
