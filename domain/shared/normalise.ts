type Wanted = { form: 'NFC' | 'NFKC' | 'NFKD'; longest: number };

/** How many times over its limit a text may be before it is refused unread. */
export const FAR_TOO_LONG = 4;

/**
 * Null for a text that is far too long: putting combining marks in order takes the square of their
 * number, so the length is judged before. Normalising may shorten a text, hence the room.
 */
export function normaliseText(text: string, { form, longest }: Wanted): string | null {
  return text.length > FAR_TOO_LONG * longest ? null : text.normalize(form);
}

/** What is far too long stays far too long, and is no more than that. */
export function cut(text: string, longest: number): string {
  return text.slice(0, FAR_TOO_LONG * longest + 1);
}
