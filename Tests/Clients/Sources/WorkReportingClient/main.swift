import WorkReporting

let progress = WorkProgress(.rows, done: 400, of: 1000)
print("\(Int(100 * progress.fraction)) %: \(progress)", progress.done, progress.total ?? 0, progress.what)
