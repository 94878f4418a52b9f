// Public signatures of this module use types of these: assets and their dates, names of places, progress.
@_exported public import Assets
@_exported public import Places
@_exported public import WorkReporting
