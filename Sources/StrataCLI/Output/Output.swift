import Foundation

/// Why nothing more can be printed.
enum OutputError: Error, Equatable {
  /// The reader of the pipe has gone.
  case closed
  /// The system refused.
  case failed(String)
}

/// Standard output, written in big pieces and never gathered whole.
struct Output: ~Copyable {
  private static let pieceSize = 64 << 10

  private let descriptor: Int32
  private var piece: [UInt8] = []

  private init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Runs `body` with standard output and writes out what is left at its end.
  static func print(
    _ body: (inout Output) throws(OutputError) -> Void
  ) throws(OutputError) {
    var output = Output(STDOUT_FILENO)
    try body(&output)
    try output.writeOut()
  }

  /// Tells the person, not the program that reads along.
  static func complain(_ text: String) {
    var output = Output(STDERR_FILENO)
    // There is nobody left to tell when standard error is gone.
    do throws(OutputError) {
      try output.line(text)
      try output.writeOut()
    } catch _ {}
  }

  mutating func line(_ text: String) throws(OutputError) {
    piece += text.utf8
    piece.append(UInt8(ascii: "\n"))
    if piece.count >= Self.pieceSize { try writeOut() }
  }

  private mutating func writeOut() throws(OutputError) {
    var start = 0
    while start < piece.count {
      let count = piece[start...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        start += count
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN: waitForRoom()
      case EPIPE: throw .closed
      default: throw .failed(String(cString: strerror(errno)))
      }
    }
    piece.removeAll(keepingCapacity: true)
  }

  /// A terminal or pipe that someone else made non-blocking is waited for all the same.
  private func waitForRoom() {
    var interest = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = poll(&interest, 1, -1)
  }
}

extension Output {
  /// A JSON array of elements that are JSON already, one a line.
  mutating func array(_ elements: some Sequence<String>) throws(OutputError) {
    var waiting: String?
    try line("[")
    for element in elements {
      if let waiting { try line(waiting + ",") }
      waiting = element
    }
    if let waiting { try line(waiting) }
    try line("]")
  }

  /// The header and the rows of a table.
  mutating func table<Rows>(_ table: TextTable<Rows>) throws(OutputError) {
    try line(table.header)
    for row in table.rows { try line(table.line(row)) }
  }
}
