// The player's API contains scroll views and sizes; clients use them without a second import.
@_exported public import ScrollModel
@_exported public import ViewportGeometry
