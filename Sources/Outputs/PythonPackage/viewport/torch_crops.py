"""The former name of `viewport.RandomCrops`."""

from .crops import RandomCrops

__all__ = ["RandomCrops"]
