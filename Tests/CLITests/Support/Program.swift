import Foundation
import TestSupport

/// The result of running a program.
struct Program: Equatable {
  var status: Int32
  var output: String
  var errors: String

  /// Runs a program to its end.
  @discardableResult
  static func run(_ path: String, _ arguments: [String]) async throws -> Program {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-cli-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = ["output", "errors"].map { folder.appendingPathComponent($0) }
    for file in files { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    // Tables as on a terminal of 100 columns; a test of what a pipe gets unsets it.
    process.environment = ChildProcess.environment.merging(["COLUMNS": "100"]) { own, _ in own }
    process.standardInput = FileHandle.nullDevice
    let handles = try files.map { try FileHandle(forWritingTo: $0) }
    // Foundation's Process keeps them open, and crashes where a process has many open files.
    defer { for handle in handles { try? handle.close() } }
    process.standardOutput = handles[0]
    process.standardError = handles[1]
    let status = try await process.statusAtEnd()
    return Program(
      status: status,
      output: String(decoding: try Data(contentsOf: files[0]), as: UTF8.self),
      errors: String(decoding: try Data(contentsOf: files[1]), as: UTF8.self)
    )
  }

  /// Runs `strata`.
  static func strata(_ arguments: String...) async throws -> Program {
    try await run(try strataPath(), arguments)
  }

  /// Runs a command line of `bash`, in which `$0` is `strata` and `$1` the first argument.
  static func shell(_ line: String, _ arguments: String...) async throws -> Program {
    try await run("/bin/bash", ["-c", line, try strataPath()] + arguments)
  }

  /// The built command, which is in the same directory as the tests.
  static func strataPath() throws -> String {
    let bundles = Bundle.allBundles.filter { $0.bundlePath.hasSuffix(".xctest") }.map(\.bundleURL)
    let places =
      bundles.map { $0.deletingLastPathComponent() }
      + [Bundle.main.executableURL, CommandLine.arguments.first.map { URL(fileURLWithPath: $0) }]
      .compactMap { $0?.resolvingSymlinksInPath().deletingLastPathComponent() }
    for place in places {
      let path = place.appendingPathComponent("strata").path
      if FileManager.default.isExecutableFile(atPath: path) { return path }
    }
    throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: "\(places)"])
  }
}

extension Process {
  /// Runs the process to its end and returns its exit status, or the negated number of a signal.
  func statusAtEnd() async throws -> Int32 {
    try await withCheckedThrowingContinuation { continuation in
      terminationHandler = { process in
        let isExit = process.terminationReason == .exit
        continuation.resume(
          returning: isExit ? process.terminationStatus : -process.terminationStatus
        )
      }
      do { try run() } catch { continuation.resume(throwing: error) }
    }
  }
}

/// The JSON of a text, with sorted keys and without spaces; throws if the text is not JSON.
func canonicalJSON(_ text: String) throws -> String {
  let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
  let data = try JSONSerialization.data(
    withJSONObject: value,
    options: [.sortedKeys, .withoutEscapingSlashes]
  )
  return String(decoding: data, as: UTF8.self)
}

/// The member of a JSON object at a path of names and indexes, as text.
func member(_ path: String..., of text: String) throws -> String? {
  var value: Any? = try JSONSerialization.jsonObject(with: Data(text.utf8))
  for step in path {
    if let index = Int(step) {
      let elements = value as? [Any] ?? []
      value = elements.indices.contains(index) ? elements[index] : nil
    } else {
      value = (value as? [String: Any])?[step]
    }
  }
  return value.map { "\($0)" }
}
