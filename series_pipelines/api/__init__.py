"""Faces for programs."""
