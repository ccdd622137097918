import StrataBase
import StrataSchema
import Testing

@Suite struct MigrationTests {
  private static let sql = "CREATE TABLE t (a, b);\nINSERT INTO t VALUES ('x -- y', \"q\");"

  @Test(
    arguments: [
      "CREATE TABLE t (a, b);\r\nINSERT INTO t VALUES ('x -- y', \"q\");\r\n",
      "-- Licence: 'any'\n/* of\n   many */ \(sql)   \n\n",
      "CREATE  TABLE\tt(a,b) ;\n\n  INSERT INTO t\n  VALUES('x -- y',\"q\");",
      "CREATE/* the */TABLE t (a, b); -- don't\nINSERT INTO t VALUES ('x -- y', \"q\");",
    ])
  func `spacing and comments do not change the checksum`(other: String) {
    #expect(checksum(other) == checksum(Self.sql))
  }

  @Test(
    arguments: [
      "CREATE TABLE t (a, c);\nINSERT INTO t VALUES ('x -- y', \"q\");",
      "CREATE TABLE t (a, b);\nINSERT INTO t VALUES ('x  -- y', \"q\");",
      "CREATE TABLE t (a, b);\nINSERT INTO t VALUES ('x -- z', \"q\");",
      "CREATE TABLE t (a, b);\nINSERT INTO t VALUES ('x ', \"q\");",
      "CREATE TABLE t (a, b);",
      "CREATETABLE t (a, b);\nINSERT INTO t VALUES ('x -- y', \"q\");",
      "CREATE TABLE t (a, b); --\nINSERT INTO t VALUES ('x -- y', \"q\")",
    ])
  func `whatever the database would notice changes the checksum`(other: String) {
    #expect(checksum(other) != checksum(Self.sql))
  }

  @Test(arguments: ["SELECT '%'", "SELECT \"%\"", "SELECT `%`", "SELECT [%]", "SELECT 'it''s %'"])
  func `what stands in quotes counts to the last blank`(frame: String) {
    func checksum(quoting text: String) -> Checksum {
      self.checksum(frame.split(separator: "%").joined(separator: text))
    }
    #expect(checksum(quoting: "a -- b") != checksum(quoting: "a -- c"))
    #expect(checksum(quoting: "a /* b */") != checksum(quoting: "a /* c */"))
    #expect(checksum(quoting: "a  b") != checksum(quoting: "a b"))
    #expect(checksum(quoting: "a\r\nb") == checksum(quoting: "a\nb"))
  }

  private func checksum(_ sql: String) -> Checksum {
    Migration(version: 1, name: "", sql: sql).checksum
  }
}
