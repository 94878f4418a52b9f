// What is cached are files of ViewportRendering.
@_exported public import ViewportRendering
