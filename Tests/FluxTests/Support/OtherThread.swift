import Dispatch

/// Runs `body` on a thread of its own, which is available even while all threads of the test runner
/// are blocked.
func onAnotherThread(_ body: @escaping @Sendable () -> Void) { otherQueue.async(execute: body) }

private let otherQueue = DispatchQueue(label: "onAnotherThread")
