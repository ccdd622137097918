import StrataRecords

/// A parser that reads bytes which may be anything.
enum FuzzTarget: String, CaseIterable {
  case record, layout, id, changes, context, frame, head, wal

  /// Reads the bytes in every way.
  ///
  /// A trap, an invalid access or a broken law ends the process.
  func check(_ bytes: [UInt8]) {
    switch self {
    case .record: RecordInput(bytes)?.check()
    case .layout: LayoutInput.check(bytes)
    case .id: IDInput.check(bytes)
    case .changes: ChangesInput.check(bytes)
    case .context: ContextInput.check(bytes)
    case .frame: FrameInput.check(bytes)
    case .head: HeadInput.check(bytes)
    case .wal: WALInput.check(bytes)
    }
  }

  /// Inputs from which the fuzzer starts, made by the encoders of the library.
  func seeds() throws -> [[UInt8]] {
    switch self {
    case .record: try Samples.records().map { RecordInput($0.bytes, $0.layout).bytes }
    case .layout: try Samples.records().map(\.layout.body)
    case .id: try IDInput.seeds()
    case .changes: try ChangesInput.seeds()
    case .context: ContextInput.seeds()
    case .frame: try FrameInput.seeds()
    case .head: HeadInput.seeds()
    case .wal: WALInput.seeds()
    }
  }
}

/// Ends the process if a law does not hold.
func require(_ isTrue: Bool, _ law: @autoclosure () -> String) {
  if !isTrue { fatalError("broken law: \(law())") }
}
