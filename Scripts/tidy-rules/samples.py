"""What each rule was seen to catch: files that break it, and files that it says nothing about."""
from rules import LONG, SMALL

A, B = "Sources/StrataX/A/A.swift", "Sources/StrataX/B/B.swift"
ENOUGH = "// A line.\n" * SMALL


def body(lines):
    return "  work()\n" * lines


PRIVACY = """<plist version="1.0"><dict><key>NSPrivacyAccessedAPITypes</key><array><dict>
<key>NSPrivacyAccessedAPIType</key><string>NSPrivacyAccessedAPICategoryFileTimestamp</string>
<key>NSPrivacyAccessedAPITypeReasons</key><array><string>C617.1</string></array></dict></array></dict></plist>"""

SAMPLES = [
    ("imports", {A: "@preconcurrency public import CStrataSQLite"},
     {A: '// import CStrataSQLite\nlet a = """\n  import CStrataSQLite\n  """',
      "Sources/StrataSQLite/B.swift": "import CStrataSQLite"}),
    ("imports", {A: "#if Postgres\n  package import struct CStrataPostgres.PGconn\n#endif"},
     {"Sources/StrataPostgres/B.swift": "  import CStrataPostgres"}),
    ("bans", {A: 'let a = "\\(try! b())"'}, {A: 'let a = #"\\(try! b())"# // try!'}),
    ("bans", {A: "let a = b as! C"}, {A: "let a = b as? C /* as! /* as! */ as! */"}),
    ("bans", {A: 'fatalError("a")'}, {A: 'preconditionFailure("fatalError()")'}),
    ("bans", {A: "preconditionFailure()"}, {A: 'preconditionFailure("\\(a.b())")'}),
    ("bans", {A: "let a = try? b()"}, {A: 'let a = """\n  " try? \\"""\n  """\nlet c = try b() ? 1 : 2'}),
    ("bans", {A: "do { try a() } catch _ {\n  // Nothing.\n}"}, {A: "do { try a() } catch _ { return }"}),
    ("bans", {A: "nonisolated(unsafe) var a = 1"}, {A: "nonisolated var a: Int { 1 }"}),
    ("bans", {A: "final class A: @unchecked Sendable {}"}, {A: "final class A: Sendable {}"}),
    ("bans", {A: "let a = Mutex(1)"}, {A: "let a = Lock(1)", "Sources/StrataBase/Lock.swift": "let b = Mutex(1)"}),
    ("bans", {A: "let a = Lock<(@Sendable () -> Void)?>(nil)"}, {A: "let a = Lock<[@Sendable () -> Void]>([])"}),
    ("bans", {A: "  Task { await a() }"}, {A: "  let task = Task { await a() }\n  tasks.append(Task { })"}),
    ("bans", {A: "DispatchQueue.global().async {}"}, {A: 'DispatchQueue(label: "a").async {}'}),
    ("bans", {A: "struct ReadHelper {}"}, {A: "struct Helpers {}\nlet a = ReadHelper()"}),
    ("bans", {A: "  let a = Date()"}, {A: "  init(now: @escaping () -> Date = { Date() }, b: Date = Date()) {"}),
    ("bans", {A: "disk.open(a, O_RDWR | O_CREAT)"}, {A: "disk.create(a, like: b)"}),
    ("bans", {A: "let a = (b as NSString).deletingLastPathComponent"}, {A: "let a = PathParts(b).directory"}),
    ("bans", {"Sources/StrataJournal/A.swift": "let a = UUID()"}, {A: "let a = UUID()"}),
    ("bans", {"Sources/StrataStorage/A.swift": 'let a = DispatchQueue(label: "a")'}, {A: 'let a = DispatchQueue(label: "a")'}),
    ("bans", {A: "try file.lock(LOCK_EX | LOCK_NB)"}, {A: "var a = flock()\na.lock()\nOpenFile.flock(LOCK_EX)"}),
    ("bans", {A: "guard flock(descriptor, LOCK_EX) == 0"},
     {"Sources/StrataJournal/File/OpenFile.swift": "flock(descriptor, operation)"}),
    ("bans", {A: "self?.assumeIsolated { $0.a() }"}, {A: "MainActor.assumeIsolated { a() }"}),
    ("bans", {A: "let a = String(validating: b, as: UTF8.self)"}, {A: "let a = String(decoding: b, as: UTF8.self)"}),
    ("bans", {"Tests/A.swift": "await events.next(isolation: nil)"}, {"Tests/A.swift": "await events.next()"}),
    ("bans", {"Tests/A.swift": "import struct Synchronization.Mutex"},
     {"Tests/A.swift": "import StrataBase // Synchronization"}),
    ("bans", {"Tests/A.swift": "try await Task.sleep(for: a)"}, {"Tests/A.swift": "func sleep() {}\nclock.sleep(1)"}),
    ("bans", {"Tests/A.swift": "@testable import B"}, {"Tests/A.swift": "import B // @testable"}),
    ("bans", {A: "// MARK: - A"}, {A: "// A mark: a."}),
    ("bans", {A: "/// TODO: a"}, {A: 'let a = "TODO"'}),
    ("bans", {A: "// let a = b.c()"}, {A: "// Let a be b (c).\n/// let a = b\n// return here: it is done."}),
    ("bans", {A: "// }"}, {A: "let a = /\"}/ // A regular expression with a quote."}),
    ("dead", {A: "func unused() {}\n/// unused()"}, {A: "func used() {}", "Tests/T.swift": 'a("\\(used())")'}),
    ("dead", {A: "enum B { case used, unused }\nB.used"}, {A: "enum B { case c }\nswitch B.c {\n  case .c: 1\n  }"}),
    ("dead", {A: "protocol P { func a() }\nstruct S: P { func a() {} }\nS().b"}, {A: "func a() {}\n_ = \\S.a"}),
    ("dead", {A: "  case alone(Int)\n"}, {A: "  override func alone() {}\n  case let (a, b): a + b\n"}),
    ("small", {A: "let a = 1\n"}, {A: ENOUGH, "Tests/T.swift": "let a = 1\n"}),
    ("long", {A: "func a(b: () -> Void = { c() }) {\n" + body(LONG) + "}\n"},
     {A: "protocol P {\n  func a()\n}\nlet b = [\n" + body(LONG) + "]\nfunc a() {\n" + body(LONG - 2) + "}\n"}),
    ("long", {A: "var a: Int {\n  get {\n" + body(LONG) + "  }\n}\n"},
     {A: "struct A {\n  init(init: Int) { self.init(a: 1) }\n" + body(LONG) + '}\nlet b = "{"\n'}),
    ("long", {A: "#if X\n  func a() {\n#else\n  func a() async {\n#endif\n" + body(LONG) + "}\n"},
     {A: "#if X\n  func a() {\n#else\n  func a() async {\n#endif\n}\nlet a = [\n" + body(LONG) + "]\n"}),
    ("circles", {A: "struct One { let two: Two }", B: "struct Two { typealias A = [One] }"},
     {A: "struct One { let two: Two }", B: "/// One\nstruct Two { let a = B.One }"}),
    ("circles", {A: "struct One { let two: Two }", B: "struct Two { let c: Three }",
                 "Sources/StrataX/C.swift": "extension One { struct Three {} }"},
     {A: "func one() { two() }", B: "func two() { a.one() }\nfileprivate struct C {}", "Sources/StrataX/C.swift": "C"}),
    ("links", {"README.md": "[a](b.md)"}, {"README.md": "`[a](b.md)` [a](c/) [b](c/d.md)\n```\n[a](b.md)\n```",
                                          "c/d.md": ""}),
    ("links", {"README.md": "# A b\n[a](#a-c)"}, {"README.md": "# A `b`, c\n[a](#a-b-c) [b](c.md#d)", "c.md": "## D"}),
    ("links", {"A.docc/A.md": "![a](b)", "A.docc/b.png": None},
     {"A.docc/A.md": "[![c](Images/c.png)](A.md)", "A.docc/Images/c.png": None}),
    ("links", {"A.docc/A.md": "<doc:B>", "A.docc/B.md": ""}, {"A.docc/A.md": "[b](B.md#some-heading)",
                                                             "A.docc/B.md": "## Some heading"}),
    ("links", {A: "/// <doc:C>", "A.docc/B.md": ""}, {A: "/// <doc:B#Some-heading>", "A.docc/B.md": "## Some heading"}),
    ("files", {"Scripts/a": "#!/bin/sh"}, {"Scripts/b": "# Sourced.", "Scripts/run": "#!/bin/sh"}),
    ("files", {"Sources/P.xcprivacy": PRIVACY, A: "statvfs(path, &status)"},
     {"Sources/P.xcprivacy": PRIVACY, A: "lstat(path, &status)"}),
    ("files", {"Sources/P.xcprivacy": "<plist>"}, {A: "lstat(path, &status)"}),
    ("files", {"Package.resolved": ""}, {"Sources/Package.swift": ENOUGH}),
    ("files", {"A/targets.svg": "<text>StrataA</text>", "Package.swift": '.macro(\n  name: "StrataB",'},
     {"A/targets.svg": "<text>StrataB</text>", "Package.swift": '.target(name: "StrataB"), .target(name: "Fuzz")'}),
]
