"""What a vendor's answer means; pure."""
