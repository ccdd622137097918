#if Postgres
  /// The statements over the tables of ``PostgresSchema``.
  ///
  /// The first parameter is the name of the store. Times are those of the server's clock at the moment, not at the start of the transaction, which may have waited.
  enum PostgresStatements {
    /// Makes the transaction wait for the disk where the server's setting is not to.
    private static let durable = """
      SELECT set_config(
        'synchronous_commit',
        CASE current_setting('synchronous_commit')
          WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END,
        true)
      """

    private static let headColumns = """
      id, epoch, leader,
      greatest(0, extract(epoch FROM lease_until - clock_timestamp()) * 1000000)::bigint,
      revision, chain, (extract(epoch FROM lease_until) * 1000000)::bigint
      """

    /// No body is read: the length of a stored value is beside it.
    private static let size = """
      (SELECT coalesce(sum(bytes), 0) FROM strata.segment g WHERE g.store = s.number)
      + (SELECT coalesce(sum(octet_length(body)), 0) FROM strata.chunk c WHERE c.store = s.number)
      + (SELECT coalesce(sum(octet_length(image)), 0) FROM strata.snapshot p WHERE p.store = s.number)
      + (SELECT coalesce(sum(octet_length(body)), 0) FROM strata.catalog k WHERE k.store = s.number)
      """

    static let bytes = "SELECT (\(size))::bigint FROM strata.store s WHERE name = $1"

    /// All stores, with their names and sizes.
    static let stores = """
      SELECT \(headColumns), name, (\(size))::bigint FROM strata.store s ORDER BY name
      """

    static let head = "SELECT \(headColumns) FROM strata.store WHERE name = $1"

    /// $2 id, $3 epoch, $4 leader, $5 lease in microseconds, $6 revision, $7 chain.
    static let lead = """
      WITH durable AS MATERIALIZED (\(durable))
      INSERT INTO strata.store AS s (name, id, epoch, leader, lease_until, revision, chain)
      SELECT $1, $2, $3 + 1, $4, clock_timestamp() + $5 * interval '1 microsecond', $6, $7
      FROM durable
      ON CONFLICT (name) DO UPDATE SET
        epoch = greatest(s.epoch, $3) + 1,
        leader = $4,
        lease_until = clock_timestamp() + $5 * interval '1 microsecond'
      WHERE s.id = $2 AND (s.lease_until <= clock_timestamp() OR s.leader = $4)
      RETURNING \(headColumns)
      """

    /// The store of a term.
    ///
    /// A server that was promoted may give an epoch twice, hence the leader. $2 epoch, $3 leader or NULL.
    private static let isLed = "name = $1 AND epoch = $2 AND ($3 IS NULL OR leader = $3)"

    /// $4 lease in microseconds.
    static let renew = """
      UPDATE strata.store SET lease_until = clock_timestamp() + $4 * interval '1 microsecond'
      WHERE \(isLed) RETURNING epoch
      """

    static let release = """
      UPDATE strata.store SET lease_until = clock_timestamp() - interval '1 second'
      WHERE \(isLed) AND lease_until > clock_timestamp() RETURNING epoch
      """

    /// $4 lease in microseconds, $5 revision and $6 chain before, $7 revision and $8 chain after,
    /// $9 number of deltas, $10 and $11 times, $12 body, $13 catalog or NULL.
    static let append = """
      WITH durable AS MATERIALIZED (\(durable)),
      fence AS (
        UPDATE strata.store
        SET revision = $7, chain = $8,
          lease_until = clock_timestamp() + $4 * interval '1 microsecond'
        FROM durable
        WHERE \(isLed) AND revision = $5 AND chain = $6
        RETURNING number, epoch
      ),
      catalog AS (
        INSERT INTO strata.catalog (store, body)
        SELECT number, $13 FROM fence WHERE $13 IS NOT NULL
        ON CONFLICT (store) DO UPDATE SET body = excluded.body
      )
      INSERT INTO strata.segment (
        store, first, last, chain_before, chain, epoch, deltas, from_time, to_time, bytes, body)
      SELECT number, $5 + 1, $7, $6, $8, epoch, $9, $10, $11, octet_length($12), $12 FROM fence
      RETURNING last
      """

    /// $2 revision, $3 bytes: those before a segment count, so the first always comes.
    static let segments = """
      SELECT first - 1, chain_before, last, chain, epoch, deltas, from_time, to_time, body FROM (
        SELECT g.*, sum(bytes) OVER (ORDER BY last) - bytes AS bytes_before FROM (
          SELECT g.* FROM strata.segment g JOIN strata.store s ON g.store = s.number
          WHERE s.name = $1 AND g.last > $2 AND g.last <= s.revision
          ORDER BY g.last LIMIT 1000
        ) g
      ) g WHERE bytes_before < greatest($3, 1) ORDER BY last
      """

    /// What is between segments, and after them up to the head, where a snapshot takes its place.
    static let gaps = """
      WITH found AS (SELECT number, revision FROM strata.store WHERE name = $1),
      run AS (
        SELECT number, first, last FROM strata.segment JOIN found ON store = number
        WHERE last <= revision
        UNION ALL
        SELECT number, revision + 1, revision + 1 FROM found
      )
      SELECT before + 1, first - 1 FROM (
        SELECT number, first, lag(last) OVER (ORDER BY last) AS before FROM run
      ) r
      WHERE first > before + 1 AND EXISTS (
        SELECT FROM strata.snapshot p WHERE p.store = number AND p.revision = first - 1)
      ORDER BY 1
      """

    static let catalog = """
      SELECT number, body FROM strata.store LEFT JOIN strata.catalog ON store = number
      WHERE name = $1
      """

    static let snapshots = """
      SELECT p.revision, p.chain, time, array_to_json(names)::text, entities, bytes
      FROM strata.snapshot p JOIN strata.store s ON p.store = s.number
      WHERE s.name = $1 ORDER BY p.revision
      """

    /// $2 revision; the result is a row of the image, then one for each chunk.
    static let list = """
      WITH found AS (
        SELECT p.store, p.revision, p.image
        FROM strata.snapshot p JOIN strata.store s ON p.store = s.number
        WHERE s.name = $1 AND p.revision = $2
      )
      SELECT NULL::bigint, image FROM found
      UNION ALL
      SELECT c.number, c.hash
      FROM strata.snapshot_chunk c JOIN found USING (store, revision)
      """

    /// $2 hashes.
    static let missing = """
      SELECT hash FROM unnest($2) WITH ORDINALITY AS h (hash, place)
      WHERE NOT EXISTS (
        SELECT FROM strata.chunk c JOIN strata.store s ON c.store = s.number
        WHERE s.name = $1 AND c.hash = h.hash)
      ORDER BY place
      """

    /// Locks the store against a removal, and against nothing else.
    ///
    /// $2 epoch, $3 leader, $4 hashes, $5 bodies.
    static let addChunks = """
      WITH fence AS MATERIALIZED (
        SELECT number FROM strata.store WHERE \(isLed) FOR KEY SHARE
      ),
      added AS (
        INSERT INTO strata.chunk (store, hash, added, body)
        SELECT number, hash, clock_timestamp(), body
        FROM fence, unnest($4, $5) AS c (hash, body)
        ON CONFLICT (store, hash) DO UPDATE SET added = excluded.added
      )
      SELECT number FROM fence
      """

    /// $2 hashes.
    static let chunks = """
      SELECT c.hash, c.body FROM strata.chunk c JOIN strata.store s ON c.store = s.number
      WHERE s.name = $1 AND c.hash = ANY ($2)
      """

    static let begin = "BEGIN ISOLATION LEVEL READ COMMITTED"
    static let commit = "COMMIT"

    /// Locks the store for a transaction, and returns its number.
    static let lock = "SELECT number FROM strata.store WHERE name = $1 FOR UPDATE"

    /// $4 lease in microseconds, $5 revision and $6 chain of the snapshot.
    static let moveHeadToSnapshot = """
      WITH durable AS MATERIALIZED (\(durable))
      UPDATE strata.store
      SET chain = CASE WHEN $5 > revision THEN $6 ELSE chain END,
        revision = greatest(revision, $5),
        lease_until = clock_timestamp() + $4 * interval '1 microsecond'
      FROM durable
      WHERE \(isLed) AND NOT (revision = $5 AND chain <> $6)
      RETURNING number
      """

    /// $4 lease in microseconds, $5 revision and $6 chain of the snapshot.
    static let restart = """
      WITH durable AS MATERIALIZED (\(durable))
      UPDATE strata.store
      SET chain = $6, revision = $5,
        lease_until = clock_timestamp() + $4 * interval '1 microsecond'
      FROM durable WHERE \(isLed) RETURNING number
      """

    /// $1 store.
    static let removeAllSegments = "DELETE FROM strata.segment WHERE store = $1"
    /// $1 store.
    static let removeAllSnapshots = "DELETE FROM strata.snapshot WHERE store = $1"
    /// $1 store; new ones as well.
    static let removeUnlistedChunks = """
      DELETE FROM strata.chunk c WHERE c.store = $1 AND NOT EXISTS (
        SELECT FROM strata.snapshot_chunk l WHERE l.store = c.store AND l.hash = c.hash)
      """

    /// $1 store, $2 revision: here and below, the number of the store.
    static let removeSnapshot = "DELETE FROM strata.snapshot WHERE store = $1 AND revision = $2"

    /// $1 store, $2 revision, $3 chain, $4 time, $5 names, $6 entities, $7 bytes, $8 image.
    static let addSnapshot = """
      INSERT INTO strata.snapshot (
        store, revision, chain, time, names, entities, bytes, image)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
      """

    /// $1 store, $2 revision, $3 numbers, $4 hashes.
    static let addList = """
      INSERT INTO strata.snapshot_chunk (store, revision, number, hash)
      SELECT $1, $2, number, hash FROM unnest($3, $4) AS c (number, hash)
      """

    /// Locks the store of a term, and extends its lease; returns its number.
    ///
    /// $4 lease in microseconds.
    static let hold = """
      UPDATE strata.store SET lease_until = clock_timestamp() + $4 * interval '1 microsecond'
      WHERE \(isLed) RETURNING number
      """

    /// $1 store; some of those that no snapshot lists, new ones as well.
    static let removeSomeChunks = """
      DELETE FROM strata.chunk WHERE store = $1 AND hash IN (
        SELECT c.hash FROM strata.chunk c
        WHERE c.store = $1 AND NOT EXISTS (
          SELECT FROM strata.snapshot_chunk l WHERE l.store = c.store AND l.hash = c.hash)
        LIMIT 1000)
      RETURNING store
      """

    /// $1 store.
    static let removeStore = "DELETE FROM strata.store WHERE number = $1"

    /// $1 store, $2 body.
    static let putCatalog = """
      INSERT INTO strata.catalog (store, body) VALUES ($1, $2)
      ON CONFLICT (store) DO UPDATE SET body = excluded.body
      """

    /// $1 store, $2 revision, $3 bytes: the oldest ones, about as many as that.
    static let removeSegments = """
      DELETE FROM strata.segment WHERE store = $1 AND last IN (
        SELECT last FROM (
          SELECT last, sum(bytes) OVER (ORDER BY last) - bytes AS bytes_before FROM (
            SELECT last, bytes FROM strata.segment WHERE store = $1 AND last <= $2
            ORDER BY last LIMIT 1000
          ) g
        ) g WHERE bytes_before < $3)
      RETURNING last
      """

    /// $1 store, $2 revisions.
    static let removeSnapshots = """
      DELETE FROM strata.snapshot WHERE store = $1 AND revision = ANY ($2)
      """

    /// $1 store.
    ///
    /// A leader may be adding the chunks of a snapshot at this moment, so new ones stay.
    static let removeChunks = """
      DELETE FROM strata.chunk WHERE store = $1 AND hash IN (
        SELECT c.hash FROM strata.chunk c
        WHERE c.store = $1 AND c.added < clock_timestamp() - interval '1 hour'
          AND NOT EXISTS (
            SELECT FROM strata.snapshot_chunk l WHERE l.store = c.store AND l.hash = c.hash)
        LIMIT 1000)
      RETURNING store
      """

    /// Wakes those that listen to the store.
    static let notify = """
      SELECT pg_notify('strata_' || number, '') FROM strata.store WHERE name = $1
      """

    /// The names of all stores.
    static let names = "SELECT name FROM strata.store ORDER BY name"

    static let number = "SELECT number FROM strata.store WHERE name = $1"

    /// The number comes from the database, so that no name has to be quoted.
    static func listen(to store: Int64) -> String { "LISTEN strata_\(store)" }
  }
#endif
