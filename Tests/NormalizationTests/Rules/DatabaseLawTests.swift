import TestSupport
import Testing

@testable import StrataNormalization

@Suite struct DatabaseLawTests {
  @Test func `a database is its model after any sequence of commits`() throws {
    for seed in 0..<UInt64(loopCount("STRATA_SEQUENCES", 1_500)) {
      try check(SocialMutations(seed: seed))
    }
  }

  private func check(_ mutations: SocialMutations) throws {
    var mutations = mutations
    let comment: Testing.Comment = "\(mutations.generator)"
    var (database, model) = (SocialDatabase(), SocialModel())
    var older: [(SocialDatabase, SocialModel)] = []
    var commits: [ChangeSet] = []
    let start = database
    for _ in 0..<5 {
      var (new, newModel) = (database, model)
      for _ in 0...mutations.number(below: 8) {
        try mutations.mutate(&new, &newModel, older: older)
      }
      guard newModel.applyRules(since: model) else {
        #expect(throws: RuleViolation.self, comment) { try new.applyRules(since: database) }
        continue
      }
      let changes = try new.applyRules(since: database)
      newModel.expectSame(new, comment)
      #expect(database.applying(changes) == new, comment)
      newModel.expectSame(database.applying(changes), comment)
      let undo = changes.inverted(in: database)
      #expect(new.applying(undo) == database, comment)
      model.expectSame(new.applying(undo), comment)
      (database, model) = (new, newModel)
      older.append((database, model))
      commits.append(changes)
    }
    let merged = commits.reduce(ChangeSet()) { $0.merging($1) }
    let mergedFromTheEnd = commits.reversed().reduce(ChangeSet()) { $1.merging($0) }
    #expect(merged == mergedFromTheEnd, comment)
    #expect(start.applying(merged) == database, comment)
    for (old, oldModel) in older { oldModel.expectSame(old, comment) }
  }
}
