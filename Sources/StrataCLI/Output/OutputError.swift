/// Why standard output cannot be written.
enum OutputError: Error, Equatable {
  /// The reader of the pipe has closed it.
  case closed
  /// A system call failed, with this message.
  case failed(String)
}
