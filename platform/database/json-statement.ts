import pg from 'pg';

type Statement = { name: string; text: string };
/** What the driver sends as it is: binding these cannot fail. */
type Value = string | Buffer | null;

/** Of the driver's connection, what pg.Query itself uses. */
type Connection = {
  parse(statement: Statement): void;
  bind(portal: { statement: string; values: readonly Value[] }): void;
  execute(portal: object): void;
  sync(): void;
  submittedNamedStatements: Record<string, string>;
};

/** What pg.Query has, and its types do not say. */
type Named = {
  name: string;
  hasBeenParsed(connection: Connection): boolean;
};

/**
 * The driver's query, less what a statement that is known needs no more than once: a copy of its
 * settings, and word from PostgreSQL of the columns of each answer.
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

  /** How many rows there were is known. */
  handleCommandComplete() {}
}

/** The rows of a statement whose one column is JSON. Half the driver's work, where nobody shares it. */
export async function readJson<Row>(
  pool: pg.Pool,
  statement: Statement,
  values: readonly Value[],
): Promise<Row[]> {
  const query = new JsonQuery(statement, values);
  await pool.query(query as unknown as pg.QueryConfig);
  return query.texts.map((text) => JSON.parse(text) as Row);
}
