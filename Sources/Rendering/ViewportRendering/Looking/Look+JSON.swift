package import Basics
package import ScrollModel

extension Look {
    /// Reads the members "look", `[yaw,pitch]` or `[yaw,pitch,roll]`, and "fov" of an object.
    ///
    /// - Parameters:
    ///   - greatest: the greatest field of view, in degrees.
    ///   - usual: the field of view of an object without one.
    package init(
        members value: JSONValue, upTo greatest: Double = 360, usual: Double = 90
    ) throws(InvalidText) {
        let list = value["look"]?.array ?? []
        let angles = list.compactMap(\.double).filter(\.isFinite)
        guard (2...3).contains(list.count), angles.count == list.count else {
            throw InvalidText("\"look\" is not [yaw,pitch] or [yaw,pitch,roll]")
        }
        guard (-90...90).contains(angles[1]) else {
            throw InvalidText("the pitch of \"look\" is not from -90 to 90")
        }
        var field = usual
        if let fov = value["fov"] {
            guard let number = fov.double else { throw InvalidText("\"fov\" is not a number") }
            field = number
        }
        guard (0.01...greatest).contains(field) else {
            throw InvalidText("\"fov\" is not from 0.01 to \(JSONValue.number(greatest))")
        }
        self.init(
            yaw: angles[0], pitch: angles[1], roll: angles.count > 2 ? angles[2] : 0, fieldOfView: field)
    }
}
