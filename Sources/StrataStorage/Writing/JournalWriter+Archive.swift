extension JournalWriter {
  /// Raises the epoch of the file to that of a leadership; deltas from here on have it.
  func raiseEpoch(to epoch: Int64) throws(PersistenceError) {
    let session = try requireSession(for: .archiving)
    do {
      try session.raiseEpoch(to: epoch)
    } catch {
      throw degrade(error)
    }
  }
}
