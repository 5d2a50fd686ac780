import pg from 'pg';

// Texts that differ by the length of a list would go on filling each connection's memory.
const MOST_NAMES = 1_000;

const names = new Map<string, string>();

/** PostgreSQL parses each statement with values once for a connection, and plans few of them anew. */
export const PreparingClient: typeof pg.Client = class extends pg.Client {
  override query(...given: never[]): never {
    const [text, values, ...rest] = given as unknown[];
    const name = typeof text === 'string' && Array.isArray(values) && nameOf(text, values);
    const asked = name ? [{ name, text, values }, ...rest] : given;
    return super.query(...(asked as Parameters<pg.Client['query']>)) as never;
  }
};

function nameOf(text: string, values: unknown[]): string | undefined {
  if (values.length > 0 && !names.has(text) && names.size < MOST_NAMES) {
    names.set(text, `statement_${names.size}`);
  }
  return names.get(text);
}
