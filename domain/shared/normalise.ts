type Wanted = { form: 'NFC' | 'NFKC' | 'NFKD'; longest: number };

/** A text beyond so many times its limit is refused unread. */
export const FAR_TOO_LONG = 4;

/**
 * Returns null for a far too long text: ordering combining marks takes the square of their number,
 * so the length is checked before. Normalising may shorten a text, so the limit is generous.
 */
export function normaliseText(text: string, { form, longest }: Wanted): string | null {
  return text.length > FAR_TOO_LONG * longest ? null : text.normalize(form);
}

/** A far too long text stays far too long, and no more. */
export function cut(text: string, longest: number): string {
  return text.slice(0, FAR_TOO_LONG * longest + 1);
}

/** Lower-case letters and digits of English, other runs as a dash: accents are dropped; none at the ends. */
export function toDashed(
  text: string,
  { longest, longestRead }: { longest: number; longestRead: number },
): string {
  return text
    .slice(0, longestRead)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, longest)
    .replace(/-$/, '');
}

/** Lower case without the accents of European letters; the text has a bounded length. */
export function foldText(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '');
}
