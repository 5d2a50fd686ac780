import pg from 'pg';

// Texts that differ by the length of a list would go on filling each connection's memory.
const MOST_NAMES = 1_000;

const names = new Map<string, string>();

/** PostgreSQL parses each statement with values once for a connection, and plans few of them anew. */
export const PreparingClient: typeof pg.Client = class extends pg.Client {
  override query(...given: never[]): never {
    const [text, values, ...rest] = given as unknown[];
    const hasValues = Array.isArray(values) && values.length > 0;
    const name = typeof text === 'string' && hasValues ? nameOf(text) : undefined;
    const asked = name ? [{ name, text, values }, ...rest] : given;
    return super.query(...(asked as Parameters<pg.Client['query']>)) as never;
  }
};

function nameOf(text: string): string | undefined {
  if (!names.has(text) && names.size < MOST_NAMES) names.set(text, `statement_${names.size}`);
  return names.get(text);
}
