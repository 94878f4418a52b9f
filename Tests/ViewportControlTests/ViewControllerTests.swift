import Testing
import ViewportControl

@Suite("A view controller")
struct ViewControllerTests {}
