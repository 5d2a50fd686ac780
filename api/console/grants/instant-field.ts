// What a browser's field for date and time sends: no zone, which we say is UTC.
const LOCAL = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?$/;

/** Null for an empty field. */
export function readInstant(typed: string): Date | null | 'unreadable' {
  const text = typed.trim();
  if (text === '') return null;
  if (!LOCAL.test(text)) return 'unreadable';
  const at = new Date(`${text}Z`);
  // 31 February is a date to JavaScript: only what reads back as it was typed is one.
  const isReal = !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text.slice(0, 16));
  return isReal ? at : 'unreadable';
}
