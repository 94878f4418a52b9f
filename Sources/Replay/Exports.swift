// The player shows the scroll view and takes sizes: clients need no second import.
@_exported public import ScrollModel
@_exported public import ViewportGeometry
