/** The steps that make the tables, in order. A published step never changes; what is new is a new step. */
export const migrations: readonly ((schema: string) => string)[] = [
  (schema) => `
    CREATE TABLE ${schema}.log_trees (
      tree text COLLATE "C" PRIMARY KEY,
      opened timestamptz NOT NULL DEFAULT now()
    );
    CREATE TABLE ${schema}.log_records (
      tree text COLLATE "C" NOT NULL REFERENCES ${schema}.log_trees,
      position bigint NOT NULL,
      "time" timestamptz(3) NOT NULL,
      id text NOT NULL,
      type text NOT NULL,
      call text,
      server text,
      kind text,
      name text,
      verdict text,
      outcome text,
      profile text,
      trace_id text,
      line text NOT NULL,
      PRIMARY KEY (tree, position)
    );
    CREATE INDEX log_records_order ON ${schema}.log_records ("time", tree, position);
    CREATE INDEX log_records_id ON ${schema}.log_records (id);
    CREATE INDEX log_records_call ON ${schema}.log_records (call) WHERE call IS NOT NULL;
    CREATE INDEX log_records_trace ON ${schema}.log_records (trace_id) WHERE trace_id IS NOT NULL;
    CREATE INDEX log_records_key ON ${schema}.log_records (server, kind, name, "time");
    CREATE TABLE ${schema}.log_checkpoints (
      tree text COLLATE "C" NOT NULL REFERENCES ${schema}.log_trees,
      size bigint NOT NULL,
      note text NOT NULL,
      PRIMARY KEY (tree, size)
    );
    CREATE FUNCTION ${schema}.log_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF current_setting('truename.retention', true) = 'on' AND TG_OP = 'DELETE' THEN
        RETURN OLD;
      END IF;
      RAISE EXCEPTION 'the decision log is append-only' USING ERRCODE = 'insufficient_privilege';
    END $$;
    CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON ${schema}.log_records
      FOR EACH ROW EXECUTE FUNCTION ${schema}.log_append_only();
    CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON ${schema}.log_checkpoints
      FOR EACH ROW EXECUTE FUNCTION ${schema}.log_append_only();
    CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON ${schema}.log_trees
      FOR EACH ROW EXECUTE FUNCTION ${schema}.log_append_only();
    CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON ${schema}.log_records
      FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.log_append_only();
    CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON ${schema}.log_checkpoints
      FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.log_append_only();
  `,
]
