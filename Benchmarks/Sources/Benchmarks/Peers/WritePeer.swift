/// Another way to store users in a file.
protocol WritePeer: AnyObject {
  /// Increments the ages of users in one transaction.
  func update(_ numbers: ArraySlice<Int64>) throws
}
