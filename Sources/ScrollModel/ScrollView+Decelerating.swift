internal import ViewportGeometry

extension ScrollView {
    /// The way to rest of content that moves at `velocity`, in points per second, and is let go.
    func way(velocity: Velocity, paging: Bool) -> Motion.Deceleration {
        let range = range
        let free = canMove(in: range)
        let (x, y) = range.axes(contentOffset)
        let (startX, startY) = range.axes(gesture.dragStart)
        let (vx, vy) = range.axes(Point(x: velocity.x, y: velocity.y))
        return Motion.Deceleration(
            start: time, range: range,
            first: glide(
                x, free.first ? vx : 0, from: startX, range.first, bounds.width, paging: paging && free.first),
            second: glide(
                y, free.second ? vy : 0, from: startY, range.second, bounds.height,
                paging: paging && free.second))
    }

    /// The way to a target that a program has chosen instead of the natural one.
    ///
    /// It starts at the velocity that the content has. An axis whose target has not changed keeps its way.
    func way(_ natural: Motion.Deceleration, velocity: Velocity, to target: Point<ContentSpace>)
        -> Motion.Deceleration
    {
        let range = natural.range
        let (x, y) = range.axes(contentOffset)
        let (toX, toY) = range.axes(target)
        let (vx, vy) = range.axes(Point(x: velocity.x, y: velocity.y))
        var way = natural
        if (toX - natural.first.rest).magnitude > 1e-9 {
            way.first = glide(x, vx, to: toX, range.first)
        }
        if (toY - natural.second.rest).magnitude > 1e-9 {
            way.second = glide(y, vy, to: toY, range.second)
        }
        return way
    }

    /// The content's velocity under a finger's: against it, and slower beyond an edge, where the band holds
    /// it.
    func contentVelocity(under finger: (x: Double, y: Double)) -> Velocity {
        let range = range
        let free = canMove(in: range)
        let (x, y) = range.axes(contentOffset)
        let (vx, vy) = range.axes(
            Point(
                x: gesture.lock == .vertical ? 0 : -finger.x, y: gesture.lock == .horizontal ? 0 : -finger.y))
        let velocity = range.point(
            free.first ? banded(vx, at: x, range.first, bounds.width) : 0,
            free.second ? banded(vy, at: y, range.second, bounds.height) : 0)
        return Velocity(x: velocity.x, y: velocity.y)
    }

    private func banded(_ v: Double, at x: Double, _ span: ScrollRange.Span, _ bound: Double) -> Double {
        let beyond = (x - span.clamped(x)).magnitude
        guard beyond > 0 else { return v }
        return v * RubberBand.give(RubberBand.pull(beyond, length: bound), length: bound)
    }

    /// The way along one axis.
    @inline(never)
    private func glide(
        _ x: Double, _ v: Double, from start: Double, _ span: ScrollRange.Span, _ bound: Double, paging: Bool
    ) -> Glide {
        if paging, bound > 0 {
            let edge = span.clamped(x)
            let target = x == edge ? pageStop(x, v, from: start, span, bound) : edge
            let goesOut = x == span.lower && v < 0 || x == span.upper && v > 0
            if target == x, !goesOut || !bounces { return Glide(at: x) }
            return Glide(from: x, velocity: v, to: target, rate: Glide.spring)
        }
        return Glide(from: x, velocity: v, in: span, decay: decelerationRate.decay, bounces: bounces)
    }

    /// The way along one axis to a chosen target; the place where it is stops it there.
    private func glide(_ x: Double, _ v: Double, to target: Double, _ span: ScrollRange.Span) -> Glide {
        guard (x - target).magnitude > 1e-9 else { return Glide(at: target) }
        let isFree = x == span.clamped(x) && !isPagingEnabled
        return Glide(from: x, velocity: v, to: target, rate: isFree ? decelerationRate.decay : Glide.spring)
    }
}
