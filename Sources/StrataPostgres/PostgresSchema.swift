#if Postgres
  /// The tables of archives in a database.
  enum PostgresSchema {
    /// The version of the tables, in `strata.format`, which is the format of what is in them.
    static let version = 3

    /// Makes the tables, unless they are there; run as one transaction.
    ///
    /// `IF NOT EXISTS` of a schema asks for the right to create one even where it is there, hence the block. The lock is one
    /// of the transaction, so that two programs that start at once make them once.
    static let script = """
      SELECT pg_advisory_xact_lock(6004515310462005249);
      DO $$ BEGIN
        IF to_regnamespace('strata') IS NULL THEN CREATE SCHEMA strata; END IF;
      END $$;
      CREATE TABLE IF NOT EXISTS strata.store (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        name text NOT NULL UNIQUE,
        id uuid NOT NULL,
        created timestamptz NOT NULL DEFAULT clock_timestamp(),
        epoch bigint NOT NULL CHECK (epoch > 0),
        leader text NOT NULL,
        lease_until timestamptz NOT NULL,
        revision bigint NOT NULL CHECK (revision >= 0),
        chain bytea NOT NULL CHECK (octet_length(chain) = 16)
      ) WITH (fillfactor = 50);
      CREATE TABLE IF NOT EXISTS strata.catalog (
        store bigint PRIMARY KEY REFERENCES strata.store ON DELETE CASCADE,
        body bytea NOT NULL
      );
      CREATE TABLE IF NOT EXISTS strata.segment (
        store bigint NOT NULL REFERENCES strata.store ON DELETE CASCADE,
        first bigint NOT NULL,
        last bigint NOT NULL CHECK (last >= first),
        chain_before bytea NOT NULL CHECK (octet_length(chain_before) = 16),
        chain bytea NOT NULL CHECK (octet_length(chain) = 16),
        epoch bigint NOT NULL,
        deltas bigint NOT NULL CHECK (deltas > 0),
        from_time bigint NOT NULL,
        to_time bigint NOT NULL CHECK (to_time >= from_time),
        bytes bigint NOT NULL,
        body bytea NOT NULL,
        PRIMARY KEY (store, last)
      );
      CREATE TABLE IF NOT EXISTS strata.chunk (
        store bigint NOT NULL REFERENCES strata.store ON DELETE CASCADE,
        hash bytea NOT NULL CHECK (octet_length(hash) = 32),
        added timestamptz NOT NULL,
        body bytea NOT NULL,
        PRIMARY KEY (store, hash)
      );
      CREATE TABLE IF NOT EXISTS strata.snapshot (
        store bigint NOT NULL REFERENCES strata.store ON DELETE CASCADE,
        revision bigint NOT NULL CHECK (revision >= 0),
        chain bytea NOT NULL CHECK (octet_length(chain) = 16),
        time bigint NOT NULL,
        names text[] NOT NULL,
        entities bigint NOT NULL,
        bytes bigint NOT NULL,
        image bytea NOT NULL,
        PRIMARY KEY (store, revision)
      );
      CREATE TABLE IF NOT EXISTS strata.snapshot_chunk (
        store bigint NOT NULL,
        revision bigint NOT NULL,
        number bigint NOT NULL,
        hash bytea NOT NULL,
        PRIMARY KEY (store, revision, number),
        FOREIGN KEY (store, revision) REFERENCES strata.snapshot ON DELETE CASCADE,
        FOREIGN KEY (store, hash) REFERENCES strata.chunk DEFERRABLE INITIALLY DEFERRED
      );
      CREATE INDEX IF NOT EXISTS snapshot_chunk_hash ON strata.snapshot_chunk (store, hash);
      CREATE TABLE IF NOT EXISTS strata.format (
        version bigint NOT NULL,
        one boolean PRIMARY KEY DEFAULT true CHECK (one)
      );
      INSERT INTO strata.format (version) VALUES (\(version)) ON CONFLICT DO NOTHING;
      """

    /// A row if the tables are there, with the rights to read them that the role lacks, as a text.
    static let find = """
      SELECT concat_ws(', ',
        CASE WHEN NOT has_schema_privilege(n.oid, 'USAGE') THEN 'USAGE on the schema strata' END,
        (SELECT 'SELECT on ' || string_agg('strata.' || c.relname, ', ' ORDER BY c.relname)
          FROM pg_class c
          WHERE c.relnamespace = n.oid AND c.relkind = 'r' AND NOT has_table_privilege(c.oid, 'SELECT')
            AND c.relname IN (
              'store', 'catalog', 'segment', 'chunk', 'snapshot', 'snapshot_chunk', 'format')))
      FROM pg_namespace n JOIN pg_class f ON f.relnamespace = n.oid
      WHERE n.nspname = 'strata' AND f.relname = 'format' AND f.relkind = 'r'
      """

    /// The rights that every leader uses and the role lacks, as a text.
    static let missingForLeader = """
      SELECT string_agg(needed.right || ' on strata.' || needed.name, ', ' ORDER BY c.relname, needed.right)
      FROM (VALUES ('store', 'INSERT'), ('store', 'UPDATE'), ('catalog', 'INSERT'), ('catalog', 'UPDATE'),
        ('segment', 'INSERT'), ('chunk', 'INSERT'), ('chunk', 'UPDATE'), ('snapshot', 'INSERT'),
        ('snapshot', 'DELETE'), ('snapshot_chunk', 'INSERT')) AS needed (name, "right")
      JOIN pg_class c ON c.relname = needed.name AND c.relnamespace = to_regnamespace('strata')
      WHERE NOT has_table_privilege(c.oid, needed.right)
      HAVING count(*) > 0
      """

    /// The right that a role lacks to make the tables, with the statement that grants it; both are empty if it lacks none.
    static let missingForTables = """
      SELECT coalesce(lacking, ''), coalesce(remedy, '') FROM (
        SELECT
          CASE
            WHEN n.oid IS NULL AND NOT has_database_privilege(current_database(), 'CREATE')
              THEN 'CREATE on the database ' || current_database()
            WHEN n.oid IS NOT NULL AND NOT has_schema_privilege(n.oid, 'USAGE')
              THEN 'USAGE on the schema strata'
            WHEN n.oid IS NOT NULL AND NOT has_schema_privilege(n.oid, 'CREATE')
              THEN 'CREATE on the schema strata'
          END,
          CASE
            WHEN n.oid IS NULL
              THEN format('GRANT CREATE ON DATABASE %I TO %I', current_database(), current_user)
            ELSE format('GRANT USAGE, CREATE ON SCHEMA strata TO %I', current_user)
          END
        FROM (SELECT to_regnamespace('strata')::oid AS oid) AS n
      ) AS rights (lacking, remedy)
      """

    static let encoding = "SELECT current_setting('server_encoding')"

    static let readVersion = "SELECT version FROM strata.format"
  }
#endif
