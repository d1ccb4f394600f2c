"""Where series come from: the vendor contract, the registry that reads capabilities, and the vendors themselves."""
