"""Campaigns that fetch again what is stored."""
