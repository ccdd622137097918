import ArgumentParser

/// `strata migrate`.
struct Migrate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Migrates the data of a store with a folder of SQL scripts.",
    discussion: """
      The folder has files such as 0003_split_name.sql, numbered 1, 2, 3 … without gaps, and where a \
      migration can be taken back 0003_split_name.down.sql. A file 0003_split_name.swift stands for a \
      migration that the program itself runs. A script works on the entity tables as tables of SQL, with the \
      columns of `strata query`.

      All pending migrations take effect together, or none does. `plan` runs them on a copy first.

      Examples:
        strata migrate new split_name
        strata migrate plan app.strata
        strata migrate up app.strata --dir Migrations
      """,
    subcommands: [
      MigrateStatus.self, MigratePlan.self, MigrateUp.self, MigrateDown.self, MigrateVerify.self,
      MigrateNew.self, MigrateBaseline.self, MigrateSquash.self, MigrateRepair.self,
      MigrateHistory.self, MigrateTest.self, MigrateRevert.self,
    ]
  )
}
