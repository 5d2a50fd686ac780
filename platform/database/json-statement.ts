import pg from 'pg';

type Statement = { name: string; text: string };
/** Values that the driver sends as they are: binding them cannot fail. */
type Value = string | Buffer | null;

/** The driver's connection, as far as pg.Query uses it. */
type Connection = {
  parse(statement: Statement): void;
  bind(portal: { statement: string; values: readonly Value[] }): void;
  execute(portal: object): void;
  sync(): void;
  submittedNamedStatements: Record<string, string>;
};

/** Properties of pg.Query that its types lack. */
type Named = {
  name: string;
  hasBeenParsed(connection: Connection): boolean;
};

/**
 * The driver's query without the work that a known statement does not need: a copy of its settings,
 * and PostgreSQL's description of the columns.
 */
class JsonQuery extends pg.Query {
  readonly texts: string[] = [];
  readonly #statement: Statement;
  readonly #values: readonly Value[];

  constructor(statement: Statement, values: readonly Value[]) {
    super(statement.text);
    this.#statement = statement;
    this.#values = values;
    (this as unknown as Named).name = statement.name;
  }

  prepare(connection: Connection) {
    const { name, text } = this.#statement;
    if (!(this as unknown as Named).hasBeenParsed(connection)) {
      connection.parse({ name, text });
      connection.submittedNamedStatements[name] = text;
    }
    connection.bind({ statement: name, values: this.#values });
    connection.execute({});
    connection.sync();
  }

  handleDataRow({ fields }: { fields: [string] }) {
    this.texts.push(fields[0]);
  }

  /** The number of rows is known. */
  handleCommandComplete() {}
}

/** Reads a statement whose one column is JSON: half the driver's work for a single caller. */
export async function readJson<Row>(
  pool: pg.Pool,
  statement: Statement,
  values: readonly Value[],
): Promise<Row[]> {
  const query = new JsonQuery(statement, values);
  await pool.query(query as unknown as pg.QueryConfig);
  return query.texts.map((text) => JSON.parse(text) as Row);
}
