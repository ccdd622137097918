import Foundation

// The functions that libFuzzer calls: https://llvm.org/docs/LibFuzzer.html. Its library contains `main`.
// `Scripts/fuzz` builds and runs this program.

/// The target that is named by `STRATA_FUZZ_TARGET`.
private let target = environment("STRATA_FUZZ_TARGET").flatMap(FuzzTarget.init)

private func environment(_ name: String) -> String? {
  ProcessInfo.processInfo.environment[name]
}

/// Lists the targets if none is named.
///
/// Writes the seeds of the target if `STRATA_FUZZ_SEEDS` names a directory.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_: UnsafeMutableRawPointer, _: UnsafeMutableRawPointer) -> CInt {
  guard let target else {
    for target in FuzzTarget.allCases { print(target.rawValue) }
    exit(0)
  }
  guard let directory = environment("STRATA_FUZZ_SEEDS") else { return 0 }
  do {
    for (number, seed) in try target.seeds().enumerated() {
      try Data(seed).write(to: URL(fileURLWithPath: "\(directory)/seed-\(number)"))
    }
  } catch {
    fatalError("the seeds of \(target) could not be written: \(error)")
  }
  exit(0)
}

/// Gives an input to the target.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  target?.check(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
