#if Postgres
  /// The tables of archives in a database: one of objects, and their format.
  enum PostgresSchema {
    /// The version of the tables, in `strata.format`, which is the format of what is in them.
    static let version = 4

    /// Makes the tables, unless they are there; run as one transaction.
    ///
    /// `IF NOT EXISTS` of a schema asks for the right to create one even where it is there, hence the block. The lock is one
    /// of the transaction, so that two programs that start at once make them once. A page has room for the next version of the
    /// head beside the one that it replaces.
    static let script = """
      SELECT pg_advisory_xact_lock(6004515310462005249);
      DO $$ BEGIN
        IF to_regnamespace('strata') IS NULL THEN CREATE SCHEMA strata; END IF;
      END $$;
      CREATE TABLE IF NOT EXISTS strata.object (
        store text NOT NULL,
        name text COLLATE "C" NOT NULL,
        put timestamptz NOT NULL,
        body bytea NOT NULL,
        PRIMARY KEY (store, name)
      ) WITH (fillfactor = 70);
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
            AND c.relname IN ('object', 'format')))
      FROM pg_namespace n JOIN pg_class f ON f.relnamespace = n.oid
      WHERE n.nspname = 'strata' AND f.relname = 'format' AND f.relkind = 'r'
      """

    /// The rights that every leader uses and the role lacks, as a text.
    static let missingForLeader = """
      SELECT string_agg(needed || ' on strata.object', ', ')
      FROM unnest(ARRAY['INSERT', 'UPDATE', 'DELETE']) AS needed
      WHERE NOT has_table_privilege('strata.object', needed)
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
