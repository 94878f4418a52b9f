import Foundation
import Replay
import ScrollModel
import Testing
import ViewportGeometry

@Suite("The player of scripts")
struct PlayerTests {
    static let setup = """
        {"setup":{"bounds":[320,460],"viewSize":[1000,1000],"minimumZoomScale":0.25,"maximumZoomScale":4}}
        """

    /// The last line of output, as JSON.
    static func play(_ lines: String...) throws -> [String: Any] {
        var player = Player()
        var last: String?
        for line in [setup] + lines { last = try player.play(line) }
        let object = try JSONSerialization.jsonObject(with: Data(try #require(last).utf8))
        return try #require(object as? [String: Any])
    }

    static func state(_ line: [String: Any], _ name: String) -> [Double] {
        let state = line["state"] as? [String: Any]
        if let number = state?[name] as? Double { return [number] }
        return state?[name] as? [Double] ?? []
    }

    static func names(_ line: [String: Any]) -> [String] {
        (line["events"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
    }

    @Test("writes the exact bytes")
    func bytes() throws {
        var player = Player()
        _ = try player.play(Self.setup)
        let answer = try player.play(#"{"t":0.5,"setZoomScale":2}"#)
        let expected =
            #"{"line":2,"t":0.5,"state":{"bounds":[320,460],"contentOffset":[160,230],"zoomScale":2,"#
            + #""contentSize":[2000,2000],"adjustedContentInset":[0,0,0,0],"minimumContentOffset":[0,0],"#
            + #""maximumContentOffset":[1680,1540],"visibleRect":[80,115,160,230],"isTracking":false,"#
            + #""isDragging":false,"isDecelerating":false,"isZooming":false,"isZoomBouncing":false,"#
            + #""isAnimating":false},"events":[{"name":"didScroll"},{"name":"didZoom"}],"result":null}"#
        #expect(answer == expected)
    }

    @Test(
        "performs every action",
        arguments: [
            (#"{"setContentOffset":[10,20]}"#, [10.0, 20], 1.0),
            (#"{"setContentOffset":[10.5,-20]}"#, [10.5, -20], 1),
            (#"{"setZoomScale":2,"anchor":[0,0]}"#, [0, 0], 2), (#"{"setZoomScale":9}"#, [480, 690], 4),
            (#"{"zoomToRect":[100,100,160,230]}"#, [200, 200], 2),
            (#"{"scrollRectToVisible":[400,0,50,50]}"#, [130, 0], 1),
            (#"{"scrollRectToVisible":[400,0,50,50],"alignment":"start"}"#, [400, 0], 1),
            (#"{"setBounds":[100,100]}"#, [110, 180], 1), (#"{"setViewSize":[100,100]}"#, [0, 0], 1),
            (#"{"setContentInset":[1,2,3,4]}"#, [0, 0], 1), (#"{"wheel":[5,6],"at":[0,0]}"#, [5, 6], 1),
            (#"{"wheel":[0,-500],"at":[0,0],"zoom":true}"#, [0, 0], 2),
            (#"{"key":"ArrowDown"}"#, [0, 40], 1),
            (#"{"key":"+"}"#, [160, 230], 2), (#"{"key":"-"}"#, [0, 0], 0.5),
            (#"{"key":"End"}"#, [0, 540], 1),
            (#"{"doubleTap":[0,0],"animated":false}"#, [0, 0], 2),
            (#"{"setContentOffset":[10,20],"animated":true}"#, [0, 0], 1),
            (#"{"flyTo":[100,100,160,230],"duration":1}"#, [0, 0], 1), (#"{"stop":true}"#, [0, 0], 1),
            (#"{"advance":1.5}"#, [0, 0], 1), (#"{"t":1.5}"#, [0, 0], 1), (#"{"explain":true}"#, [0, 0], 1),
            (#"{"restore":{"version":1,"center":[500,500],"zoom":12.5,"rotation":0}}"#, [1840, 1770], 4),
            (#"{"touches":[[1,10,10]],"phase":"began"}"#, [0, 0], 1),
            (#"{"setZoomLimits":[2,4]}"#, [160, 230], 2),
            (#"{"setContentSize":[320,460]}"#, [0, 0], 1), (#"{"statusBarTap":true}"#, [0, 0], 1),
            (#"{"setContentInsetAdjustmentBehavior":"never"}"#, [0, 0], 1),
        ])
    func actions(_ line: String, _ offset: [Double], _ scale: Double) throws {
        let answer = try Self.play(line)
        #expect(Self.state(answer, "contentOffset") == offset)
        #expect(Self.state(answer, "zoomScale")[0].isNearly(scale))
    }

    @Test("plays a flick and reports the values of its events")
    func flick() throws {
        let answer = try Self.play(
            #"{"touches":[[1,100,400]],"phase":"began"}"#,
            #"{"t":0.1,"touches":[[1,100,300]],"phase":"moved"}"#,
            #"{"touches":[[1,100,300]],"phase":"ended"}"#)
        let events = try #require(answer["events"] as? [[String: Any]])
        #expect(Self.names(answer) == ["willEndDragging", "didEndDragging", "willBeginDecelerating"])
        #expect(events[0]["velocity"] as? [Double] == [0, 1])
        #expect(events[0]["targetContentOffset"] as? [Double] == [0, 540])
        #expect(events[1]["willDecelerate"] as? Bool == true)
    }

    @Test("plays a tap on the status bar, allowed or not")
    func statusBar() throws {
        let there = #"{"setContentOffset":[10,200]}"#
        let granted = try Self.play(there, #"{"statusBarTap":true,"animated":false}"#)
        #expect(Self.state(granted, "contentOffset") == [10, 0])
        #expect(Self.names(granted) == ["shouldScrollToTop", "didScroll", "reachedEdge", "didScrollToTop"])
        let refused = try Self.play(there, #"{"statusBarTap":true,"shouldScrollToTop":false}"#)
        #expect(Self.state(refused, "contentOffset") == [10, 200])
        #expect(Self.names(refused) == ["shouldScrollToTop"])
    }

    @Test("adds the safe area at the edges of the behavior")
    func safeArea() throws {
        let insets = #"{"setSafeAreaInsets":[10,20,30,40]}"#
        #expect(Self.state(try Self.play(insets), "adjustedContentInset") == [10, 20, 30, 40])
        let never = try Self.play(insets, #"{"setContentInsetAdjustmentBehavior":"never"}"#)
        #expect(Self.state(never, "adjustedContentInset") == [0, 0, 0, 0])
        #expect(Self.names(never).first == "didChangeAdjustedContentInset")
    }

    @Test("has errors with descriptions")
    func localized() throws {
        var player = Player()
        let error = #expect(throws: ReplayError.self) { try player.play("{}") }
        #expect(error?.localizedDescription == "line 1: neither a time nor an action")
    }

    @Test("answers questions")
    func questions() throws {
        let point = try Self.play(#"{"setZoomScale":2}"#, #"{"convert":[0,0],"from":"view","to":"image"}"#)
        #expect(point["result"] as? [Double] == [80, 115])
        let archive = try Self.play(#"{"archive":true}"#)["result"] as? [String: Any]
        #expect(archive?["center"] as? [Double] == [160, 230] && archive?["zoom"] as? Double == 3.125)
        let why = try Self.play(#"{"setZoomScale":9}"#, #"{"explain":true}"#)["result"] as? [String: Any]
        #expect(why?["limits"] as? [String] == ["maximumZoomScale"])
        #expect((why?["asked"] as? [String: Any])?["zoomScale"] as? Double == 9)
        #expect((why?["got"] as? [String: Any])?["zoomScale"] as? Double == 4)
    }

    @Test("follows the zoom path of van Wijk and Nuij")
    func flight() throws {
        let answer = try Self.play(
            #"{"setZoomLimits":[0.01,100]}"#, #"{"setBounds":[40,40]}"#, #"{"setContentOffset":[10,10]}"#,
            #"{"flyTo":[105,55,60,60],"duration":2}"#, #"{"advance":1}"#)
        let visible = Self.state(answer, "visibleRect")
        #expect((visible[0] + visible[2] / 2).isNearly(72, 0.5))
        #expect(visible[2].isNearly(126.0476, 1e-4))
    }

    @Test(
        "reports the line and the problem",
        arguments: [
            ("nonsense", "not a JSON object"), ("[1]", "the line has the wrong type"),
            ("{}", "neither a time nor an action"), (#"{"jump":1}"#, #"unknown action "jump""#),
            (#"{"stop":true,"explain":true}"#, "more than one action: explain, stop"),
            (#"{"setZoomScale":"two"}"#, #""setZoomScale" has the wrong type"#),
            (#"{"setContentOffset":[1]}"#, #""setContentOffset" [1] is too short, or null"#),
            (#"{"setContentOffset":[1,2,3]}"#, #""setContentOffset" [2]: more numbers than expected"#),
            (#"{"touches":[[1,2,3]]}"#, #""phase" is missing"#),
            (#"{"key":"F13"}"#, #"unknown key "F13""#),
            (
                #"{"setContentInsetAdjustmentBehavior":"sometimes"}"#,
                #"a behavior must be "automatic", "scrollableAxes", "never", "always", not "sometimes""#
            ),
            (#"{"t":-1}"#, #"time does not go back: "t" is -1.0, the current time is 0.0"#),
            (#"{"setBounds":[1,2],"animated":true}"#, #""animated" is not an option of "setBounds""#),
            (#"{"setup":{"bounds":[1,1],"viewSize":[1,1]}}"#, "a script has one setup, in its first line"),
            (
                #"{"restore":{"version":2}}"#,
                #""restore" "version": unsupported archive version 2; only version 1 is supported"#
            ),
            (#"{"t":1e999}"#, nil),
        ] as [(String, String?)])
    func errors(_ line: String, _ reason: String?) throws {
        var player = Player()
        _ = try player.play(Self.setup)
        let before = player.view
        do {
            _ = try player.play(line)
            Issue.record("no error")
        } catch let error as ReplayError {
            #expect(error.line == 2)
            if let reason { #expect(error.description == "line 2: " + reason) }
        }
        #expect(player.view == before)
    }

    @Test(
        "rejects an invalid setup",
        arguments: [
            #"{"setZoomScale":1}"#, #"{"setup":{"bounds":[0,1],"viewSize":[1,1]}}"#,
            #"{"setup":{"bounds":[1,1]}}"#,
            #"{"setup":{"bounds":[1,1],"viewSize":[1,1],"color":1}}"#,
            #"{"setup":{"bounds":[1,1],"viewSize":[1,1],"decelerationRate":"slow"}}"#,
            #"{"setup":{"bounds":[1,1],"viewSize":[1,1],"minimumZoomScale":2,"maximumZoomScale":1}}"#,
        ])
    func badSetup(_ line: String) {
        var player = Player()
        #expect(throws: ReplayError.self) { try player.play(line) }
        #expect(player.view == nil)
    }

    @Test("accepts every property of a setup")
    func setup() throws {
        var player = Player(image: Size(width: 800, height: 600))
        _ = try player.play(
            """
            {"setup":{"bounds":[100,100],"zoomScale":0.5,"minimumZoomScale":0.1,"maximumZoomScale":3,\
            "contentOffset":[3.3,4.6],"contentInset":[1,2,3,4],"contentAlignment":"center","bounces":false,\
            "bouncesZoom":false,"scrollsToTop":false,"isPagingEnabled":true,\
            "contentInsetAdjustmentBehavior":"scrollableAxes","decelerationRate":"fast","rounding":"pixel","displayScale":2}}
            """)
        let view = try #require(player.view)
        #expect(view.viewSize == Size(width: 800, height: 600) && view.zoomScale == 0.5)
        #expect(view.contentOffset == Point(x: 3.5, y: 4.5))
        #expect(view.contentInset == EdgeInsets(top: 1, left: 2, bottom: 3, right: 4))
        #expect(
            view.contentAlignment == .center && !view.bounces && !view.bouncesZoom && view.isPagingEnabled)
        #expect(!view.scrollsToTop && view.contentInsetAdjustmentBehavior == .scrollableAxes)
        #expect(view.decelerationRate == .fast && view.rounding == .pixel(displayScale: 2))
    }

    @Test("provides the state at the time of each frame without changing the result")
    func film() throws {
        let lines = [
            Self.setup, #"{"setContentOffset":[100,0],"timing":"linear","duration":1}"#, #"{"t":0.35}"#,
            #"{"t":0.5,"stop":true}"#, "", #"{"advance":0.25}"#,
        ]
        var plain = Player()
        var filmed = Player(framesPerSecond: 10)
        var xs: [Double] = []
        for line in lines {
            let answer = try filmed.play(line) { view, index in
                #expect(index == xs.count)
                xs.append(view.contentOffset.x.rounded())
            }
            #expect(try plain.play(line) == answer)
        }
        try filmed.finish { view, _ in xs.append(view.contentOffset.x.rounded()) }
        #expect(xs == [0, 10, 20, 30, 40, 50, 50, 50, 50])
    }
}

extension Double {
    func isNearly(_ other: Double, _ tolerance: Double = 1e-9) -> Bool {
        (self - other).magnitude <= tolerance
    }
}
