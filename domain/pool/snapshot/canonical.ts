// Files of the pool are JSON Lines in one form only: ASCII, keys in order, no spaces, numbers as texts,
// and a last line with the count and the SHA-256 of all lines before it.

/** A SHA-256 that grows; the text is ASCII. */
type RunningHash = { update(text: string): void; hex(): string };
export type CreateHash = () => RunningHash;

type Json = string | bigint | number | readonly Json[] | { readonly [key: string]: Json };

/** One line, without its end. Numbers are whole. */
export function canonicalJson(value: Json): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint' || typeof value === 'number') return `"${value}"`;
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([key, item]) => `"${key}":${canonicalJson(item)}`).join(',')}}`;
}

export type Signed = { lines: number; sha256: string };

/** Writes the lines of a file; `end` is its last line. */
export function createLineWriter(createHash: CreateHash) {
  const hash = createHash();
  let lines = 0;
  return {
    line(value: Json): string {
      const text = `${canonicalJson(value)}\n`;
      hash.update(text);
      lines += 1;
      return text;
    },
    end(): Signed & { text: string } {
      const sha256 = hash.hex();
      return { lines, sha256, text: `${canonicalJson({ lines, sha256 })}\n` };
    },
  };
}
