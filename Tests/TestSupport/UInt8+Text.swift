extension [UInt8] {
  /// The bytes as text, such as the output of a process.
  package var text: String { String(decoding: self, as: UTF8.self) }
}
