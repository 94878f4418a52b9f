// Types of these modules are in the signatures of this one: the library's assets, and the pictures of them.
@_exported public import PhotoCatalog
@_exported public import ViewportRendering
