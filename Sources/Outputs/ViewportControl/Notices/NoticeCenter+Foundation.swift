#if canImport(Foundation)
public import Foundation

/// A notice that is also a notification of Foundation.
public protocol NotificationNotice: Notice {
    /// The name in Foundation's `NotificationCenter`.
    static var notificationName: Notification.Name { get }

    /// Creates the notice from a notification of another poster; nil if it lacks the payload.
    init?(_ notification: Notification)

    /// The payload for observers of the notification.
    var userInfo: [AnyHashable: any Sendable] { get }
}

extension NotificationNotice {
    /// Empty.
    public var userInfo: [AnyHashable: any Sendable] { [:] }
}

extension NoticeCenter {
    /// Exchanges the notices of a type with Foundation's notifications of the same name, until the pool ends it.
    ///
    /// Notices that are posted here become notifications, and notifications become notices; none returns to where it
    /// came from. Both are delivered on the posting thread.
    public func bridge<N: NotificationNotice>(
        _ type: N.Type, with notifications: NotificationCenter = .default, in pool: ObservationPool
    ) {
        let bridge = Bridge()
        let (observer, remove) = add(type) { notice, _ in
            notifications.post(name: N.notificationName, object: bridge, userInfo: notice.userInfo)
        }
        let token = notifications.addObserver(
            forName: N.notificationName, object: nil, queue: nil
        ) { [weak self] notification in
            guard notification.object as? Bridge !== bridge, let notice = N(notification) else { return }
            self?.post(notice, except: observer)
        }
        let registration = Registration(token: token)
        pool.insert {
            remove()
            notifications.removeObserver(registration.token)
        }
    }
}

/// The sender of notifications that were notices.
private final class Bridge: Sendable {}

// The token is only handed back to the center that made it, which is thread-safe.
private struct Registration: @unchecked Sendable {
    let token: any NSObjectProtocol
}
#endif
