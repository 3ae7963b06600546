"""What the screens work on: the screens' only road to the store. Nothing here knows Textual."""
