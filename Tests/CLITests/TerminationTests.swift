import Foundation
import Strata
import Testing

/// How a command ends when it is interrupted or cannot write its output.
@Suite struct TerminationTests {
  @Test func `an interrupted command exits with 130`() async throws {
    let folder = try Folder()
    let path = folder.path("app.strata")
    let sample = try await OpenSample(at: path)
    sample.commitUsers(0..<5_000)
    try await sample.close()
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: try Program.strataPath())
    process.arguments = ["show", path, "users", "--json"]
    process.standardOutput = pipe
    async let status = process.statusAtEnd()
    // The pipe holds less than the whole output: after the first byte, the command runs until it is
    // interrupted.
    _ = try pipe.fileHandleForReading.read(upToCount: 1)
    process.interrupt()
    // A command that ignores the interruption would wait forever. With a closed pipe it ends with 0.
    try pipe.fileHandleForReading.close()
    #expect(try await status == 130)
  }

  #if os(Linux)
    /// Whether this process may make namespaces, as the one of a container has.
    private static var canMakeNamespaces: Bool {
      get async throws {
        try await Program.shell("unshare --pid --fork --mount-proc true").status == 0
      }
    }

    @Test(
      .enabled("only root can make a namespace") { try await canMakeNamespaces },
      arguments: [
        #"watch "$1" --after 0 --json"#,
        #"show "$1" users --json"#,
      ]
    )
    func `process 1 of a container ends by SIGTERM with 143`(line: String) async throws {
      let folder = try Folder()
      let path = folder.path("app.strata")
      let sample = try await OpenSample(at: path)
      sample.commitUsers(0..<5_000)
      try await sample.close()
      // After its first line the command runs on: it waits, or its output is more than the pipe holds. A command that
      // ignores the signal is killed, with 137.
      let run = try await Program.shell(
        """
        coproc C { exec timeout -s KILL 20 unshare --pid --fork --kill-child --mount-proc "$0" \(line); }
        pid=$C_PID
        read -r first <&"${C[0]}"
        unshared=$(cat /proc/$pid/task/$pid/children)
        kill -TERM $(cat /proc/${unshared% }/task/${unshared% }/children)
        wait $pid
        echo $?
        """,
        path
      )
      #expect(run.output == "143\n", "\(run)")
    }

    @Test func `SIGTERM and SIGHUP end a command as a parent expects, and nohup does not`()
      async throws
    {
      let folder = try Folder()
      let path = try await folder.closedSample()
      for (signal, status) in [("TERM", 143), ("HUP", 129), ("INT", 130)] {
        let run = try await Program.shell(
          """
          coproc C { exec timeout -s KILL 20 "$0" watch "$1" --after 0 --json; }
          pid=$C_PID
          read -r first <&"${C[0]}"
          kill -\(signal) $(cat /proc/$pid/task/$pid/children)
          wait $pid
          echo $?
          """,
          path
        )
        #expect(run.output == "\(status)\n", "\(signal): \(run)")
      }
      let kept = try await Program.shell(
        """
        coproc C { trap '' HUP; exec "$0" watch "$1" --after 0 --json; }
        pid=$C_PID
        read -r first <&"${C[0]}"
        kill -HUP $pid
        kill -TERM $pid
        wait $pid
        echo $?
        """,
        path
      )
      #expect(kept.output == "143\n", "\(kept)")
    }

    @Test(arguments: [
      #"backup "$1" "$2""#, #"fork "$1" "$2" --at 1"#, #"bundle "$1" -o "$2""#,
      #"export "$1" --sqlite "$2""#, #"restore "$2" "$1""#, #"restore "$1" "$3" --yes"#,
    ])
    func `an interrupted copy leaves nothing unfinished`(line: String) async throws {
      let folder = try Folder()
      let path = folder.path("app.strata")
      let sample = try await OpenSample(at: path)
      sample.commitUsers(0..<5_000)
      try await sample.close()
      let backup = folder.path("backup.strata")
      #expect(try await Program.strata("backup", path, backup).status == 0)
      // What the command makes: the copy, or the store in whose place it puts the backup.
      let made = line.hasPrefix(#"restore "$1""#) ? "app.strata" : "copy.strata"
      // The process is stopped where its unfinished file is there. One that was faster is tried again.
      let run = try await Program.shell(
        """
        shopt -s nullglob
        for attempt in {1..40}; do
          "$0" \(line) > /dev/null 2>&1 &
          pid=$!
          while [ -e /proc/$pid/exe ]; do
            found=("$4".creating*)
            if [ ${#found[@]} -gt 0 ]; then kill -STOP $pid 2> /dev/null; break; fi
          done
          found=("$4".creating*)
          if [ -e /proc/$pid/exe ] && [ ${#found[@]} -gt 0 ]; then
            kill -TERM $pid; kill -CONT $pid
            wait $pid
            echo $?
            break
          fi
          kill -CONT $pid 2> /dev/null
          wait $pid
          rm -f "$2"*
        done
        """,
        path,
        folder.path("copy.strata"),
        backup,
        folder.path(made)
      )
      #expect(run.output == "143\n", "\(run)")
      let left = try await folder.contents().keys.filter {
        $0.hasPrefix(made + ".creating")
          || $0.hasPrefix("copy.strata") && !$0.hasSuffix(".lock") && !$0.hasSuffix(".head")
      }
      #expect(left == [])
      #expect(try await Program.strata("verify", path).status == 0)
    }

    @Test func `too many open files are named, with what to do`() async throws {
      let folder = try Folder()
      let path = try await folder.closedSample()
      var refused = 0
      for line in ["info", "tables", "log", "backup"] {
        for limit in 5...9 {
          let copy = folder.path("copy-\(line)-\(limit).strata")
          let run = try await Program.shell(
            "ulimit -n \(limit); exec \"$0\" \(line) \"$1\" \(line == "backup" ? "\"$2\"" : "")",
            path,
            copy
          )
          if run.status == 0 { continue }
          refused += 1
          #expect(run.status == 74, "\(line) \(limit): \(run)")
          #expect(run.errors.contains("too many files are open"), "\(line) \(limit): \(run)")
          #expect(run.errors.contains("ulimit -n"), "\(line) \(limit): \(run)")
        }
      }
      #expect(refused > 0)
    }

    @Test func `output that cannot be written is an I/O failure`() async throws {
      let folder = try Folder()
      let path = try await folder.closedSample()
      for line in [#"info "$1""#, "--help", "log --help", "--version"] {
        let run = try await Program.shell(#""$0" \#(line) > /dev/full"#, path)
        #expect(run.status == 74, "\(line)")
        #expect(run.errors == "strata: standard output: No space left on device\n", "\(line)")
      }
    }
  #endif

  @Test func `help and version are answers`() async throws {
    let help = try await Program.strata("--help")
    #expect(help.status == 0)
    #expect(help.output.contains("USAGE: strata <subcommand>"))
    #expect(try await Program.strata("--version").output == "0.2.0\n")
  }
}
