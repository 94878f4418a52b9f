internal import TilePyramid

/// How much the samples of reduced levels have to be enlivened when they are shrunk further.
///
/// The mean of n samples lowers a wave of w (radians a mean) by (1 - 1/n²) w²/24 in the first place; taking the share
/// s of the neighbors on both sides from each raises it by s w².
enum SharpeningCompensation {
    /// A level of means.
    static func ofMeans(_ level: PyramidLevel) -> Double {
        let count = max(1, level.downsampleX)
        return (1 - 1 / (count * count)) / 24
    }

    /// A scale of a JPEG: at 1/8 each sample is its block's mean; at 1/4 and 1/2 inverse transforms of fewer waves
    /// keep more of the shorter ones, and how much helps was found by trying photographs.
    static func ofJPEG(_ level: PyramidLevel) -> Double {
        switch level.index {
        case 0: 0
        case 1: 0.01
        case 2: 0.025
        default: ofMeans(level)
        }
    }
}
