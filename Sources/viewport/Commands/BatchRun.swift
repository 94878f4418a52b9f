#if CommandLine
import ArgumentParser
import Basics
import Batches
import Files
import Synchronization

/// A batch of one command: its work, and where its results go.
struct BatchRun {
    var work: any BatchWork
    var course: ManifestArguments
    /// The most items processed at a time; nil for one per processor.
    var jobs: Int?
    /// Files that are read, and so never replaced.
    var inputs: [String]
    /// Whether results without a file go to standard output.
    var printsResults: Bool
    /// Whether the paths of outputs go to standard output, where results do not.
    var printsPaths = false
    var overwrites: Bool
    /// Whether there is one file: there are no counts, and its failure is that of the command.
    var isOne = false
    /// Receives each result, one call at a time.
    var onResult: @Sendable (BatchResult) -> Void = { _ in }

    init(_ work: any BatchWork, _ course: ManifestArguments, overwrites: Bool) {
        (self.work, self.course, self.overwrites) = (work, course, overwrites)
        inputs = []
        jobs = course.jobs
        printsResults = course.results == nil
    }

    /// - Parameter json: whether results are asked for; those of a manifest are printed in any case.
    init(_ work: any BatchWork, _ inputs: InputArguments, json: Bool, overwrites: Bool = false) {
        self.init(work, inputs.course, overwrites: overwrites)
        self.inputs = inputs.paths
        isOne = inputs.isOne
        printsResults = course.printsResults(json)
    }

    /// Processes the manifest.
    func run() throws {
        try run(BatchList(manifest: course.manifest ?? "-", root: course.pathRoot(for: work)))
    }

    /// Processes a list until it ends or the process is told to stop.
    ///
    /// - Throws: an exit code if items failed.
    func run(_ list: sending BatchList) throws {
        let log = try course.log(inputs: inputs, prints: printsResults, overwrites: overwrites, for: work)
        let plan = BatchPlan(list, for: work, shard: try course.resolvedShard(), skipping: log)
        var batch = Batch(work, jobs: isOne ? 1 : jobs)
        batch.allowedFailures = course.allowedFailures
        let interruption = Interruption()
        defer { withExtendedLifetime(interruption) {} }
        let flag = interruption.flag
        let progress = BatchProgressLine()
        let reporter = ResultReporter(
            log: log, progress: progress, saysFailures: !printsResults, saysPaths: printsPaths && log == nil)
        let lastFailure = Mutex<BatchFailure?>(nil)
        let summary = try batch.run(plan, isStopped: { flag.isRaised }) {
            [onResult] result, sums throws(BatchError) in
            try reporter.report(result)
            onResult(result)
            if let failure = result.failure { lastFailure.withLock { $0 = failure } }
            progress.show(sums)
        }
        progress.clear()
        if !isOne { StandardError.note(summary.sentence(kept: log?.kept ?? 0)) }
        try flag.check()
        if isOne, let failure = lastFailure.withLock(\.self) { throw ExitCode(failure.exit.rawValue) }
        if summary.unwritten > 0 { throw ExitCode(Exit.cannotWrite.rawValue) }
        if summary.failed > 0 { throw ExitCode(Exit.someFailed.rawValue) }
    }
}

extension BatchFailure: ExitCoded {
    /// The exit code of the only file.
    var exit: Exit {
        if let error = underlying as? any ExitCoded { return error.exit }
        return switch code {
        case "missing", "folder", "unreadable": .noInput
        case "bad-option", "collision", "outside": .usage
        case "changed", "unavailable": .tryAgain
        case "exists", Self.cannotWrite: .cannotWrite
        case "library", "failed": .software
        default: .badInput
        }
    }
}

/// Work of a command that keeps what it finds of each file in its result.
struct NotedWork: BatchWork {
    let noun: String
    let recipe: BatchRecipe
    let naming: OutputNaming?
    private let body: @Sendable (BatchItem, [String]) throws -> BatchOutput

    /// - Parameter options: what decides the results, apart from the files.
    init(
        noun: String, options: String, naming: OutputNaming? = nil,
        _ body: @escaping @Sendable (BatchItem, [String]) throws -> BatchOutput
    ) {
        (self.noun, self.naming, self.body) = (noun, naming, body)
        recipe = .common(options)
    }

    var identity: BatchIdentity { .path }

    func make(
        _ item: BatchItem, _ outputs: [String], _ source: FileStatus?
    ) throws(BatchFailure) -> BatchOutput {
        do {
            return try body(item, outputs)
        } catch {
            throw BatchFailure(error, of: item, to: outputs.first ?? item.path)
        }
    }
}

// MARK: - Options in lines

/// An option that a line of a manifest may set, under its name on the command line.
struct LineOption<Command>: Sendable {
    /// Sets the option; returns false if the value is not understood.
    let set: @Sendable (inout Command, JSONValue) -> Bool

    /// An option with a value: a string, a number, or a list of numbers.
    static func value<Value: ExpressibleByArgument>(
        _ path: any WritableKeyPath<Command, Value> & Sendable, separator: String = ","
    ) -> Self {
        Self { command, json in
            guard let value = text(json, separator).flatMap(Value.init(argument:)) else { return false }
            command[keyPath: path] = value
            return true
        }
    }

    static func value<Value: ExpressibleByArgument>(
        _ path: any WritableKeyPath<Command, Value?> & Sendable, separator: String = ","
    ) -> Self {
        Self { command, json in
            guard let value = text(json, separator).flatMap(Value.init(argument:)) else { return false }
            command[keyPath: path] = value
            return true
        }
    }

    /// A flag: true or false.
    static func flag(_ path: any WritableKeyPath<Command, Bool> & Sendable) -> Self {
        Self { command, json in
            guard case .bool(let value) = json else { return false }
            command[keyPath: path] = value
            return true
        }
    }

    private static func text(_ json: JSONValue, _ separator: String) -> String? {
        switch json {
        case .string(let text): return text
        case .int(let number): return "\(number)"
        case .number(let text): return text
        case .array(let values):
            let texts = values.compactMap { text($0, separator) }
            return texts.count == values.count ? texts.joined(separator: separator) : nil
        case .null, .bool, .object: return nil
        }
    }
}

extension Dictionary where Key == String {
    /// Sets the options that a line names on a copy of the command.
    ///
    /// - Throws: `BatchFailure` for a value that is not understood.
    func applied<Command>(
        to command: Command, _ item: BatchItem
    ) throws(BatchFailure) -> Command where Value == LineOption<Command> {
        var command = command
        for member in item.rest {
            guard let option = self[member.name], !option.set(&command, member.value) else { continue }
            throw .badOption(item, "\(member.name) \(member.value) is not understood")
        }
        return command
    }
}

extension BatchFailure {
    /// Creates the failure of a line from any error of its work: those of the program, and all others.
    init(_ error: any Error, of item: BatchItem, to path: String) {
        switch error {
        case let error as ValidationError: self = .badOption(item, error.message)
        case let error as OutputError: self.init(writing: error.reason, error.file)
        default: self.init(error, making: path, of: item)
        }
    }
}
#endif
