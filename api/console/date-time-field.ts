// The value of a browser's field for date and time has no zone; the label says UTC.
const LOCAL = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?$/;

/** Returns null for an empty field. */
export function readInstant(typed: string): Date | null | 'unreadable' {
  const text = typed.trim();
  if (text === '') return null;
  if (!LOCAL.test(text)) return 'unreadable';
  const at = new Date(`${text}Z`);
  // JavaScript accepts 31 February: a date is valid if it reads back as typed.
  const isReal = !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text.slice(0, 16));
  return isReal ? at : 'unreadable';
}
