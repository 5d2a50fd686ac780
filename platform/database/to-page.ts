/**
 * A page of a list whose statement read one row more than `size`: `next` is the cursor of the last
 * line when others follow.
 */
export function toPage<Line, Cursor>(
  found: Line[],
  size: number,
  cursorOf: (last: Line) => Cursor,
): { lines: Line[]; next: Cursor | null } {
  const lines = found.slice(0, size);
  return { lines, next: found.length > size ? cursorOf(lines.at(-1)!) : null };
}
