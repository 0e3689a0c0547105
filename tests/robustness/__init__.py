"""Attacks: mutated inputs, kills at any instant, hostile datasets, full disks and several builds at once."""
