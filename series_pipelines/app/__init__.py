"""What processes share: settings, where the data is, which vendors there are, the clock; and series dev."""
