/// An operation of any store, for the code that starts it.
protocol StartableOperation: AnyObject, Sendable {
  var progress: OperationProgress { get }

  /// Does the work; called once, when all dependencies have finished.
  func perform()
}
