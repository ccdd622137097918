import Strata
package import TestSupport

/// The commits of a database, each of which names the one before it, and the revision that it became.
///
/// It is a chain of hashes that a state shows by itself: two databases with the same last commit have the same history,
/// and one that lacks a commit, or has it twice, has no trail.
package struct CommitTrail: Equatable, Sendable, CustomStringConvertible {
  /// The numbers of the commits, the first one first.
  package let commits: [Int]
  /// Their revisions: a migration has one too, and is no commit.
  package let revisions: [Int]

  /// Nil if the database is not what commits by ``add(_:to:)`` make one after another.
  package init?(_ database: LibraryDatabase) {
    var commits: [Int] = []
    var revisions: [Int] = []
    var next = Self.last(of: database)
    while next != 0 {
      guard let book = database.books[EntityID(next)], let before = Int(book.title),
        commits.count < database.books.count
      else { return nil }
      commits.append(next)
      revisions.append(book.rating.map { Int($0) } ?? 0)
      next = before
    }
    guard commits.count == database.books.count else { return nil }
    self.commits = commits.reversed()
    self.revisions = revisions.reversed()
  }

  package init() { (commits, revisions) = ([], []) }

  private init(_ trail: CommitTrail, first count: Int) {
    commits = Array(trail.commits.prefix(count))
    revisions = Array(trail.revisions.prefix(count))
  }

  /// Its commits up to a revision.
  package func through(_ revision: Int64) -> CommitTrail {
    CommitTrail(self, first: revisions.prefix { $0 <= revision }.count)
  }

  /// The last commit of a database; 0 if there is none.
  package static func last(of database: LibraryDatabase) -> Int {
    database.authors["last"].flatMap { Int($0.name) } ?? 0
  }

  /// Makes a commit.
  ///
  /// Some have a secret, which the next one removes: then only the history has it.
  ///
  /// - Parameter revision: What it becomes; nil where each revision is a commit.
  package static func add(
    _ commit: Int,
    as revision: Int64? = nil,
    to database: inout LibraryDatabase
  ) {
    database.authors.remove(authorWithSecret(of: last(of: database)))
    if hasSecret(commit) {
      database.authors.insert(
        Author(id: authorWithSecret(of: commit), name: secret(of: commit))
      )
    }
    let revision = Double(revision ?? Int64(database.books.count) + 1)
    database.books.insert(
      Book(id: EntityID(commit), title: "\(last(of: database))", rating: revision)
    )
    database.authors.insert(Author(id: "last", name: "\(commit)"))
  }

  package static func hasSecret(_ commit: Int) -> Bool { commit % 3 == 0 }

  package static func authorWithSecret(of commit: Int) -> Author.ID {
    Author.ID("author \(commit)")
  }

  /// A text that no other commit has.
  package static func secret(of commit: Int) -> String { "secret <\(commit)>" }

  package func continues(_ other: CommitTrail) -> Bool {
    commits.starts(with: other.commits)
  }

  /// How many commits a database has, and which one is the last.
  package struct End: Hashable, Sendable {
    package let count: Int
    package let last: Int

    package init(count: Int, last: Int) {
      self.count = count
      self.last = last
    }
  }

  /// Whether a history that ends there is the beginning of this one.
  package func shows(_ end: End) -> Bool {
    end.count == 0
      ? end.last == 0 : end.count <= commits.count && commits[end.count - 1] == end.last
  }

  /// How many commits two trails have in common.
  package func common(_ other: CommitTrail) -> Int {
    zip(commits, other.commits).prefix { $0 == $1 }.count
  }

  package var description: String {
    "\(commits.count) commits, the last ones \(commits.suffix(8))"
  }
}
