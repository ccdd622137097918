import Foundation
import StrataBase

/// Runs work on a thread with a stack of so many bytes, and returns what it returns.
package func onThread<R: Sendable>(
  stack bytes: Int,
  _ work: @escaping @Sendable () throws -> R
) throws -> R {
  let result = Lock<[Result<R, any Error>]>([])
  let done = DispatchSemaphore(value: 0)
  let thread = Thread {
    let made = Result { try work() }
    result.withLock { $0.append(made) }
    done.signal()
  }
  thread.stackSize = bytes
  thread.start()
  done.wait()
  return try result.withLock { $0[0] }.get()
}

/// Runs work on a thread with the stack that a main thread mostly has: for values that nest as deep as any may.
package func onLargeStack<R: Sendable>(_ work: @escaping @Sendable () throws -> R) throws -> R {
  try onThread(stack: 8 << 20, work)
}
