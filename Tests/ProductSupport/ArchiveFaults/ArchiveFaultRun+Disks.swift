import Foundation
import Strata
import StrataBase
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport

/// What the disks of machines do beside what else happens.
extension ArchiveFaultRun {
  /// At times the disk of a machine fails, works again, or changes what was written.
  func failDisk(_ number: Int) {
    // Numbers of its own: the other faults of a seed are the same without it.
    var random = SeededGenerator(seed: seed ^ 0xD15C, step: number)
    guard random.next() % 5 == 0 else { return }
    let machine = Int(random.next() % UInt64(machines.count))
    let disk = machines[machine].disk
    switch random.next() % 8 {
    case 0: strike(machine, .noRoom, .sticky, &random)
    case 1: strike(machine, .failedSync, .sticky, &random)
    case 2: strike(machine, .failedIO, .once, &random)
    case 3:
      guard let (path, offset) = anyByte(of: machine, &random) else { return }
      step("sector lost", machine)
      machines[machine].isStruck = true
      disk.loseSector(of: path, at: offset)
    case 4:
      guard let (path, offset) = anyByte(of: machine, &random) else { return }
      let bit = Int(random.next() % 8)
      step("bit changed", machine)
      step("  bit \(bit) of byte \(offset) of \(path.suffix(5))")
      machines[machine].isSpoilt = true
      if machines[machine].mayLackHead {
        reported.formUnion(machines[machine].kept.commits)
        machines[machine].kept = CommitTrail()
      }
      _ = disk.rot(path, at: offset, bit: bit)
    case 5:
      // Without a process it is one of the next, and may be to a file for the archive.
      guard FileManager.default.fileExists(atPath: machines[machine].path) else { return }
      step("write misdirected", machine)
      machines[machine].isSpoilt = true
      let kind: FileKind = random.next() % 2 == 0 ? .wal : .database
      disk.lie(.misdirectsWrites, in: kind, every: 1 + Int(random.next() % 12), times: .once)
    default:
      guard machines[machine].isStruck else { return }
      step("disk works again", machine)
      disk.heal()
      if machines[machine].process == nil { machines[machine].isStruck = false }
    }
  }

  /// Notes that the file of a machine is another one, of which nothing was changed.
  func noteNewFile(of machine: Int) {
    machines[machine].isSpoilt = false
    machines[machine].isSalvaged = false
    machines[machine].disk.tellTruth()
  }

  private func strike(
    _ machine: Int,
    _ fault: DiskFault,
    _ duration: FaultDuration,
    _ random: inout SeededGenerator
  ) {
    step(fault.rawValue, machine)
    machines[machine].isStruck = true
    machines[machine].disk.inject(fault, after: Int(random.next() % 20), times: duration)
  }

  /// A byte of a machine's file; nil if there is none.
  private func anyByte(
    of machine: Int,
    _ random: inout SeededGenerator
  ) -> (path: String, offset: Int)? {
    let path = machines[machine].path + ["", "", "-wal", ".head"][Int(random.next() % 4)]
    let size = machines[machine].disk.size(of: path)
    return size == 0 ? nil : (path, Int(random.next() % UInt64(size)))
  }

  /// All disks work; a file in which something was changed is sound, or becomes so again, or is moved away by a person.
  func repairDisks() async throws {
    for machine in machines.indices {
      machines[machine].disk.heal()
      if !machines[machine].isSpoilt { continue }
      try await kill(machine)
      if isSound(machine) {
        machines[machine].isSpoilt = false
        continue
      }
      step("  the file of \(machine) is damaged")
      if try await lead(machine, within: Self.limit) {
        let isReplaced = !machines[machine].isSpoilt
        try await close(machine)
        if isSound(machine) {
          machines[machine].isSpoilt = false
        } else if isReplaced {
          note("machine \(machine) has restored its file, and it is not sound")
        }
      }
      if machines[machine].isSpoilt { try moveAway(machine) }
    }
  }

  /// Whether the file of a machine without a process is sound, or not there.
  private func isSound(_ machine: Int) -> Bool {
    let path = machines[machine].path
    guard FileManager.default.fileExists(atPath: path) else { return true }
    guard isSound(path) else { return false }
    do {
      // The inspector does not know that this machine has not been booted since.
      let (position, lineages) = try Inspector(path: path).query {
        ($0.position, $0.identity.lineages)
      }
      let head = HeadCheck.compare(
        try HeadFile.read(StorePath(path, for: .inspecting).head),
        recovered: position,
        lineages,
        bootID: machines[machine].boot
      )
      if case .endMissing = head { return false }
      return true
    } catch {
      step("  \(error)")
      return false
    }
  }

  /// Whether a file is sound that no process has open.
  func isSound(_ path: String) -> Bool {
    do {
      let verification = try Inspector(path: path).verify()
      if !verification.isSound { step("  \(verification.checks.filter { !$0.passed })") }
      return verification.isSound
    } catch {
      step("  \(error)")
      return false
    }
  }
}
