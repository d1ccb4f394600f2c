"""Tests; their folders are the rooms."""
