import ArgumentParser
import Foundation
import StrataJournal
import StrataRecords
import StrataStorage

/// Buffered writing to standard output and standard error.
///
/// Whatever is printed is made printable here once more; only the sequences of ``Highlighting`` pass, and CSV that goes
/// to a file or another program.
struct Output: ~Copyable {
  private static let bufferSize = 64 << 10

  private let descriptor: Int32
  private let isTerminal: Bool
  private var buffer: [UInt8] = []

  private init(_ descriptor: Int32, isTerminal: Bool? = nil) {
    self.descriptor = descriptor
    self.isTerminal = isTerminal ?? (isatty(descriptor) == 1)
  }

  /// Runs `body` with standard output, and flushes the buffer afterwards.
  ///
  /// - Parameter pager: The command that shows the text; nil for none.
  static func print(
    in pager: String? = nil,
    _ body: (inout Output) throws(OutputError) -> Void
  ) throws(OutputError) {
    ProgressLine.current.end()
    let pager = pager.flatMap(Pager.init)
    defer { pager?.finish() }
    var output = pager.map { Output($0.input, isTerminal: true) } ?? Output(STDOUT_FILENO)
    try body(&output)
    try output.flush()
  }

  /// The same for a body that also reads, and has errors of its own.
  static func printReading(_ body: (inout Output) throws -> Void) throws {
    ProgressLine.current.end()
    var output = Output(STDOUT_FILENO)
    try body(&output)
    try output.flush()
  }

  /// Prints a line to standard error.
  static func printError(_ text: String) {
    ProgressLine.current.end()
    var output = Output(STDERR_FILENO)
    // An error of standard error itself cannot be reported.
    do throws(OutputError) {
      try output.line(text)
      try output.flush()
    } catch _ {}
  }

  mutating func line(_ text: String) throws(OutputError) {
    try append(text)
    try append("\n")
  }

  /// Prints a line of CSV, in which nothing is escaped but for a terminal: CSV has no escapes.
  mutating func csvLine(_ text: String) throws(OutputError) {
    buffer += (isTerminal ? text.printableLines : text).utf8
    try append("\n")
  }

  /// Prints a line whose text is never in memory as a whole.
  mutating func line(_ pieces: JSONPieces) throws(OutputError) {
    for piece in pieces { try append(piece) }
    try append("\n")
  }

  private mutating func append(_ text: String) throws(OutputError) {
    buffer += Highlighting.keeping(in: text) { $0.printableLines }.utf8
    if buffer.count >= Self.bufferSize { try flush() }
  }

  private mutating func flush() throws(OutputError) {
    var start = 0
    while start < buffer.count {
      let count = buffer[start...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        start += count
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN: waitUntilWritable()
      case EPIPE: throw .closed
      default: throw .failed(String(cString: strerror(errno)))
      }
    }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Waits for a terminal or pipe that another process has made non-blocking.
  private func waitUntilWritable() {
    var interest = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = poll(&interest, 1, -1)
  }
}

extension Output {
  /// Asks on standard error before something happens that cannot be taken back.
  ///
  /// Throws `ExitCode` unless the answer is yes, and says what did not happen.
  static func confirm(_ question: String, otherwise refused: String) throws {
    printError("\(question) [y/N]")
    guard let answer = readLine(), ["y", "yes"].contains(answer.lowercased()) else {
      printError("\(refused) --yes does not ask.")
      throw ExitCode(ExitStatus.failed.rawValue)
    }
  }
}

extension Output {
  /// Prints a JSON array of elements that are JSON already, one per line.
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

  /// The same for elements whose text is never in memory as a whole.
  mutating func array(_ elements: some Sequence<JSONPieces>) throws(OutputError) {
    var isFirst = true
    try line("[")
    for element in elements {
      if !isFirst { try append(",\n") }
      isFirst = false
      for piece in element { try append(piece) }
    }
    if !isFirst { try append("\n") }
    try line("]")
  }

  /// Prints the header and the rows of a table.
  mutating func table<Rows>(
    _ table: TextTable<Rows>,
    _ highlighting: Highlighting
  ) throws(OutputError) {
    try line(table.header(highlighting))
    for row in table.rows { try line(table.line(row)) }
  }
}

/// Why standard output cannot be written.
enum OutputError: Error, Equatable {
  /// The reader of the pipe has closed it.
  case closed
  /// A system call failed, with this message.
  case failed(String)
}
