import Strata

let store = try LibraryStore(InMemory(initialState: Library(db: .initial), database: \.db))

try store.commit("lend") { library in
  try library.db.books.update("momo-1") { $0.reader = "ada" }
}
print("Ada has", store.state.db.books[Book.byReader]["ada"].map(\.title))

do {
  try store.commit("lend") { library in
    try library.db.books.update("momo-2") { $0.reader = "cleo" }
  }
} catch let violation as RuleViolation {
  print("Refused:", violation)
}
do {
  try store.commit("leave") { $0.db.readers.remove("ada") }
} catch let violation as RuleViolation {
  print("Refused:", violation)
}
do {
  try store.commit("join") { $0.db.readers.insert(Reader(id: "ada-2", name: "Ada")) }
} catch let violation as RuleViolation {
  print("Refused:", violation)
}

// The order within a commit does not matter: rules are checked at its end.
try store.commit("join and lend") { library in
  try library.db.books.update("momo-2") { $0.reader = "cleo" }
  library.db.readers.insert(Reader(id: "cleo", name: "Cleo"))
}

try await withPersistence(
  at: CommandLine.arguments.dropFirst().first ?? "second.strata",
  initialState: store.state,
  database: \.db,
  store: LibraryStore.init
) { store in
  store.state.db.printBooks()
}
