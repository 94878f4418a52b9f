// Makers and tests use its random numbers.
@_exported import FuzzSupport
