import ArgumentParser
@main struct GiantCommand: ParsableCommand {}
