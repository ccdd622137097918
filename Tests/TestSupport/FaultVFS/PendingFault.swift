/// A fault that has not been injected yet.
struct PendingFault {
  /// Nil for all but locking.
  let operation: FileOperation?
  /// Nil for all kinds.
  let kind: FileKind?
  /// Nil for the code that fits the operation.
  let code: FaultCode?
  let isPartial: Bool
  let duration: FaultDuration
  /// How many matching operations succeed before it.
  var remaining: Int

  func matches(_ operation: FileOperation, _ kind: FileKind) -> Bool {
    (self.operation.map { $0 == operation } ?? (operation != .lock))
      && (self.kind == nil || self.kind == kind)
  }
}
