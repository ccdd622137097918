#if Postgres
  import StrataArchiving

  /// The statements over the table of ``PostgresSchema``.
  ///
  /// The first parameter is the name of the store. Times are those of the server's clock at the moment, not at the start of
  /// the transaction, which may have waited.
  enum PostgresStatements {
    /// Makes the transaction wait for the disk where the server's setting is not to.
    private static let durable = """
      WITH durable AS MATERIALIZED (
        SELECT set_config(
          'synchronous_commit',
          CASE current_setting('synchronous_commit')
            WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END,
          true)
      )
      """

    /// The head's number makes its bytes unique, so a hash of them is never given again.
    private static let tag = "encode(sha256(body), 'hex')"

    private static let columns = """
      body, CASE name WHEN '\(ObjectContents.headName)' THEN \(tag) ELSE '' END,
      (extract(epoch FROM put) * 1000000)::bigint,
      (extract(epoch FROM clock_timestamp() - put) * 1000000)::bigint
      """

    /// $2 name.
    static let get = "SELECT \(columns) FROM strata.object WHERE store = $1 AND name = $2"

    /// $2 names, $3 bytes: those before an object count, so the first always comes.
    ///
    /// No body is read for its length.
    static let getSome = """
      SELECT name, body FROM (
        SELECT name, body, place, sum(octet_length(body)) OVER (ORDER BY place) - octet_length(body) AS before
        FROM unnest($2) WITH ORDINALITY AS named (name, place)
        JOIN strata.object USING (name) WHERE store = $1
      ) found
      WHERE before < greatest($3, 1) ORDER BY place
      """

    /// $2 prefix, $3 the end of names that begin with it, $4 the name before.
    static let list = """
      SELECT name, octet_length(body)::bigint, (extract(epoch FROM clock_timestamp() - put) * 1000000)::bigint
      FROM strata.object WHERE store = $1 AND name >= $2 AND name < $3 AND name > $4
      """

    /// $2 name, $3 body.
    static let putIfAbsent = """
      \(durable)
      INSERT INTO strata.object (store, name, put, body)
      SELECT $1, $2, clock_timestamp(), $3 FROM durable
      ON CONFLICT DO NOTHING RETURNING \(tag)
      """

    /// $2 the tag of the head, $3 its new body, $4 the names and $5 the bodies of objects.
    static let putAndHead = """
      \(durable),
      head AS (
        UPDATE strata.object SET put = clock_timestamp(), body = $3
        FROM durable WHERE store = $1 AND name = '\(ObjectContents.headName)' AND \(tag) = $2
        RETURNING \(tag) AS tag
      ),
      objects AS (
        INSERT INTO strata.object (store, name, put, body)
        SELECT $1, object.name, clock_timestamp(), object.body
        FROM head, unnest($4, $5) AS object (name, body)
        ON CONFLICT DO NOTHING
      )
      SELECT tag FROM head
      """

    /// $2 names.
    static let remove = "DELETE FROM strata.object WHERE store = $1 AND name = ANY ($2)"

    /// The heads of all stores, with their names and how many bytes their other objects have.
    static let heads = """
      SELECT \(columns), store, (
        SELECT coalesce(sum(octet_length(body)), 0) FROM strata.object o
        WHERE o.store = head.store AND o.name <> head.name)::bigint
      FROM strata.object head WHERE name = '\(ObjectContents.headName)' ORDER BY store
      """

    /// The channel has a name of its own for each store, and none that has to be quoted.
    private static let channel = "'strata_' || md5($1)"
    static let notify = "SELECT pg_notify(\(channel), '')"
    static let channelName = "SELECT \(channel)"
    static func listen(to channel: String) -> String { "LISTEN \(channel)" }
  }
#endif
