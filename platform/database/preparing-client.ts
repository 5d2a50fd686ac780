import pg from 'pg';

// Texts that differ by the length of a list would go on filling each connection's memory.
const MOST_NAMES = 1_000;

const names = new Map<string, string>();

/** `hasTimedOut`: a statement was given up, and its response is still to come. */
type Preparing = pg.Client & { hasTimedOut: boolean };

/** PostgreSQL parses each statement with values once for a connection, and plans few of them anew. */
export const PreparingClient: new (config?: string | pg.ClientConfig) => Preparing = class
  extends pg.Client
{
  hasTimedOut = false;

  override query(...given: never[]): never {
    const [text, values, ...rest] = given as unknown[];
    const hasValues = Array.isArray(values) && values.length > 0;
    const name = typeof text === 'string' && hasValues ? nameOf(text) : undefined;
    const named = name ? [{ name, text, values }, ...rest] : given;
    const result: unknown = super.query(...(named as Parameters<pg.Client['query']>));
    if (result instanceof Promise) result.catch((error) => this.#note(error));
    return result as never;
  }

  #note(error: unknown): void {
    if (error instanceof Error && error.message === 'Query read timeout') this.hasTimedOut = true;
  }
};

function nameOf(text: string): string | undefined {
  if (!names.has(text) && names.size < MOST_NAMES) names.set(text, `statement_${names.size}`);
  return names.get(text);
}
