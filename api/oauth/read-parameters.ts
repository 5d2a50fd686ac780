// Parameters as RFC 6749 3.1 reads them: unknown ones are ignored, however they look.

type Known = { names: readonly string[]; longest: number };

/**
 * The values of each known parameter of a form-encoded text; null where one of them is no text or
 * too long.
 */
export function readKnown(
  text: string,
  { names, longest }: Known,
): Record<string, readonly string[]> | null {
  const values = new Map(names.map((name) => [name, [] as string[]]));
  for (const part of text.split('&')) {
    const known = values.get(nameOf(part));
    if (!known) continue;
    const value = decode(part.slice(encodedName(part).length + 1));
    if (value === null || value.length > longest) return null;
    known.push(value);
  }
  return Object.fromEntries(values);
}

/** The text without unknown parameters; each of the others as it came. */
export function keepKnown(text: string, names: readonly string[]): string {
  const isKnown = (part: string) => names.includes(nameOf(part));
  return text.split('&').filter(isKnown).join('&');
}

/** Empty where the name is no text: no known one is. */
function nameOf(part: string): string {
  return decode(encodedName(part)) ?? '';
}

function encodedName(part: string): string {
  return part.split('=', 1)[0]!;
}

function decode(encoded: string): string | null {
  // eslint-disable-next-line no-control-regex
  if (/[^\u0000-\u007f]/.test(encoded)) return null;
  try {
    const decoded = decodeURIComponent(encoded.replaceAll('+', ' '));
    return decoded.includes('\0') ? null : decoded;
  } catch {
    return null;
  }
}
