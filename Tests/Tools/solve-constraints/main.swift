// Solves systems of constraints from standard input, for comparison with other solvers (Tests/layout.py) and for their times
// (Benchmarks/peers/layout.py). Fields are separated by spaces:
//
//   new N                            starts a system of N variables
//   add RELATION PRIORITY CONSTANT   adds `CONSTANT + FACTOR * VARIABLE + … RELATION 0`; prints "ok" or "refused"
//       VARIABLE FACTOR…
//   remove K                         removes the K-th constraint of the system
//   edit VARIABLE PRIORITY           makes a variable editable
//   suggest VARIABLE VALUE           moves it
//   values                           prints all values, and the numbers of the undetermined variables after "|"
//   hold                             keeps the lines that follow, up to "end", as a system to measure
//   measure                          solves the system that was held once, and prints the milliseconds
//   measure VARIABLE VALUE           suggests a value for a variable of that system, and prints the milliseconds
//   page N                           lays out N views with four constraints each, then edits the width of the page; prints the
//                                    milliseconds of both
//
// All times include reading the values of all variables.
import ConstraintLayout
import Platform

/// One system and what was added to it.
struct System {
    var solver = ConstraintSolver()
    var variables: [Variable] = []
    var ids: [ConstraintSolver.ID?] = []

    init(count: Int) {
        for _ in 0..<count { variables.append(solver.makeVariable()) }
    }

    func constraint(_ fields: [Substring]) -> LinearConstraint {
        let terms = stride(from: 4, to: fields.count - 1, by: 2).map { index in
            (variable: variables[Int(fields[index])!], factor: Double(fields[index + 1])!)
        }
        return LinearConstraint(
            LinearExpression(terms, constant: Double(fields[3])!),
            LayoutRelation(rawValue: String(fields[1]))!,
            priority: LayoutPriority(rawValue: Double(fields[2])!))
    }

    mutating func add(_ constraint: LinearConstraint) -> Bool {
        let id = try? solver.add(constraint)
        ids.append(id)
        return id != nil
    }

    var sum: Double {
        let solution = solver.solution
        return variables.reduce(0) { $0 + solution.value(of: $1) }
    }

    var report: String {
        let undetermined = solver.undetermined(variables)
        let open = variables.indices.filter { undetermined.contains(variables[$0]) }
        let values = variables.map { "\(solver.value(of: $0))" }.joined(separator: " ")
        return "\(values) | \(open.map { "\($0)" }.joined(separator: " "))"
    }
}

/// A page of views in rows of ten: distances are required, sizes preferred.
func page(count: Int) -> LayoutEngine {
    let root = LayoutView(name: "superview")
    let engine = LayoutEngine(root: root, size: LayoutSize(width: 1000, height: 1000))
    var views: [LayoutView] = []
    for index in 0..<count {
        let view = LayoutView(name: "view\(index)")
        root.addSubview(view)
        let isFirst = index % 10 == 0
        engine.add([
            LayoutConstraint(
                view, .leading, .equal, isFirst ? root : views[index - 1], isFirst ? .leading : .trailing,
                constant: 8),
            LayoutConstraint(
                view, .top, .equal, index < 10 ? root : views[index - 10], index < 10 ? .top : .bottom,
                constant: 8),
            LayoutConstraint(
                view, .width, .equal, root, multiplier: 0.1, constant: -9, priority: .high),
            LayoutConstraint(view, .height, .equal, constant: 40, priority: .low),
        ])
        views.append(view)
    }
    return engine
}

/// Prints a line that is read before the next question.
func answer(_ line: String) {
    print(line)
    fflush(nil)
}

func milliseconds(_ work: () throws -> Void) rethrows -> Double {
    try ContinuousClock().measure(work) / .milliseconds(1)
}

var system = System(count: 0)
var held: [LinearConstraint]?
var count = 0
var sum = 0.0
while let line = readLine() {
    let fields = line.split(separator: " ")
    switch fields.first {
    case "new":
        count = Int(fields[1])!
        system = System(count: count)
    case "add" where held != nil: held?.append(system.constraint(fields))
    case "add": answer(system.add(system.constraint(fields)) ? "ok" : "refused")
    case "remove":
        if let id = system.ids[Int(fields[1])!] { system.solver.remove(id) }
    case "edit":
        let priority = LayoutPriority(rawValue: Double(fields[2])!)
        try system.solver.addEditVariable(system.variables[Int(fields[1])!], priority: priority)
    case "suggest": try system.solver.suggest(Double(fields[2])!, for: system.variables[Int(fields[1])!])
    case "values": answer(system.report)
    case "hold": held = []
    case "end": break
    case "measure" where fields.count == 1:
        system = System(count: count)
        let constraints = held ?? []
        let time = milliseconds {
            for constraint in constraints { _ = system.add(constraint) }
            sum = system.sum
        }
        answer("\(time)")
    case "measure":
        let variable = system.variables[Int(fields[1])!]
        let value = Double(fields[2])!
        let time = try milliseconds {
            try system.solver.suggest(value, for: variable)
            sum = system.sum
        }
        answer("\(time)")
    case "page":
        let engine = page(count: Int(fields[1])!)
        let first = milliseconds { engine.layout() }
        engine.size.width += 100
        answer("\(first) \(milliseconds { engine.layout() })")
    default: fatalError("unknown line: \(line)")
    }
}
