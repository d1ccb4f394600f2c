"""What there is: products, capabilities and series, kept equal to what vendors say."""
