"""Going on after damage; imported only with `on_damage="resync"`."""
