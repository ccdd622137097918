#if Inspector
  import Foundation
  import NIOCore
  import NIOHTTP1
  import NIOPosix
  import StrataBase
  import StrataInspection
  import StrataJournal

  /// Tells the pages that listen how the store is, at most ten times a second: which one it is, whether a program has it
  /// open, and its new commits.
  ///
  /// It looks at the size and the time of the file; the file is opened only when these have changed, and every two
  /// seconds while a program has it open: one that is killed changes no file.
  final class Tail: Sendable {
    private struct Known: Equatable {
      var overview: StoreOverview
      /// The number of its history: ``Answers/historyNumber(_:)``.
      var history: Int64
    }

    private struct State {
      var listeners: [ObjectIdentifier: any Channel] = [:]
      var file: StoreFileState?
      /// Whether the last look found a change: two writes within a tick of the clock look like one.
      var wasChanged = true
      /// The store as the pages know it.
      var known: Known?
      var isLooking = false
      var ticks = 0
    }

    private let answers: Answers
    private let pool: NIOThreadPool
    private let state = Lock(State())

    /// How many pages may listen.
    static let most = 16
    /// How many commits an event names.
    private static let shown = 40
    /// How many bytes of their changes are read for an event.
    private static let readBytes = 1 << 16
    /// How often it looks.
    static let interval = TimeAmount.milliseconds(100)

    init(_ answers: Answers, _ pool: NIOThreadPool) {
      self.answers = answers
      self.pool = pool
    }

    var hasRoom: Bool { state.withLock { $0.listeners.count < Self.most } }

    func add(_ channel: any Channel) {
      let id = ObjectIdentifier(channel)
      state.withLock { state in
        state.listeners[id] = channel
        // A page that starts to listen hears where the store stands.
        state.wasChanged = true
        state.known = nil
      }
      channel.closeFuture.whenComplete { [state] _ in
        state.withLock { $0.listeners[id] = nil }
      }
    }

    /// Looks once; called at each interval.
    func tick() {
      let isDue = state.withLock { state in
        state.ticks += 1
        guard !state.listeners.isEmpty, !state.isLooking else { return false }
        if state.ticks % 20 == 0, state.known?.overview.mode == ReadAccess.Mode.live.rawValue {
          state.wasChanged = true
        }
        state.isLooking = true
        return true
      }
      if state.withLock({ $0.ticks % 150 == 0 }) { send(": still here\n\n") }
      guard isDue else { return }
      pool.submit { [self] poolState in
        if case .active = poolState { look() }
        state.withLock { $0.isLooking = false }
      }
    }

    private func look() {
      let file = StoreFileState(answers.reader.path)
      let isChanged = state.withLock { state in
        let isChanged = file != state.file
        defer { state.wasChanged = isChanged }
        state.file = file
        return isChanged || state.wasChanged
      }
      guard isChanged else { return }
      do {
        let known = state.withLock { $0.known }
        let event = try answers.reader.read { inspector -> (Known, String)? in
          let overview = try inspector.overview()
          let found = Known(overview: overview, history: try answers.historyNumber(inspector))
          if found == known { return nil }
          let last = overview.revision
          let count =
            if let known, known.history == found.history {
              Int(clamping: last - known.overview.revision)
            } else { 0 }
          let headers = try inspector.commits(limit: min(max(count, 0), Self.shown))
          var answer = Answer(try answers.rows(headers, inspector, reading: Self.readBytes))
          answer.add("revision", last)
          answer.add("commits", Int64(count))
          answer.add("store", encoding: overview)
          answer.add("history", found.history)
          answer.limit()
          return (found, "event: head\nid: \(last)\ndata: \(answer.json)\n\n")
        }
        guard let (found, text) = event else { return }
        state.withLock { $0.known = found }
        send(text)
      } catch let error as PersistenceError where error.isOfSuspension {
        // The view of the process says so.
      } catch {
        // The next event says that it is over, also without a new commit.
        state.withLock { $0.known = nil }
        send("event: trouble\ndata: {\"error\":\(Answer.quoted("\(error)"))}\n\n")
      }
    }

    /// Sends a text to all that listen; one that does not read is disconnected.
    private func send(_ text: String) {
      let channels = state.withLock { Array($0.listeners.values) }
      let buffer = ByteBuffer(string: text)
      for channel in channels {
        guard channel.isWritable else {
          channel.close(promise: nil)
          continue
        }
        channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(buffer)), promise: nil)
      }
    }
  }

  extension PersistenceError {
    /// Whether this process has released the file for a while.
    fileprivate var isOfSuspension: Bool { if case .suspended = reason { true } else { false } }
  }
#endif
