/// Marks of digiKam's, which it reads beside XMP's rating and label: where a sidecar states them, they follow.
extension XMPEditor {
    /// digiKam's mark of rejected and other photos.
    static let pickLabel = "digiKam:PickLabel"

    /// The property that depends on the label.
    static let colorLabel = "digiKam:ColorLabel"

    /// Rejects a photo, or takes it back, where digiKam states that.
    mutating func setPickLabel(_ rating: Int) {
        changeText(Self.pickLabel) { label in
            rating < 0 ? "1" : label == "1" ? "0" : nil
        }
    }

    /// Repeats the label; nil and labels without a color of digiKam's become 0, none.
    mutating func setColorLabel(_ label: String?) {
        changeText(Self.colorLabel) { _ in "\(label.flatMap(ColorLabel.numberOfDigiKam) ?? 0)" }
    }
}

/// The colors of labels.
enum ColorLabel {
    /// digiKam's colors by their numbers; 0 is none.
    private static let ofDigiKam = [
        "", "Red", "Orange", "Yellow", "Green", "Blue", "Magenta", "Gray", "Black", "White",
    ]

    /// Returns the English name of a color of digiKam's; nil for none.
    static func name(ofDigiKam number: Int) -> String? {
        ofDigiKam.indices.contains(number) && number > 0 ? ofDigiKam[number] : nil
    }

    /// Returns digiKam's number of a label; nil for labels of other words.
    static func numberOfDigiKam(_ label: String) -> Int? {
        let name = label.lowercased()
        // Lightroom's purple is digiKam's magenta.
        let own = ["purple": "magenta", "grey": "gray"][name] ?? name
        return name.isEmpty ? nil : ofDigiKam.firstIndex { $0.lowercased() == own }
    }
}
