// The drawn picture of a person: five by five mirrored squares, from the id alone.

const CELL = 16;
const ROWS = [0, 1, 2, 3, 4];

/** Draws the same SVG for the same id. */
export function drawAvatar(personId: string): string {
  const number = fnv1a(personId.toLowerCase());
  const hue = number % 360;
  const squares = ROWS.flatMap((row) =>
    [0, 1, 2]
      .filter((column) => (number >>> (row * 3 + column)) & 1)
      .flatMap((column) => [...new Set([column, 4 - column])])
      .map((column) => square(column, row)),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 112 112" width="112" height="112">`,
    `<rect width="112" height="112" fill="hsl(${hue} 45% 92%)"/>`,
    `<g fill="hsl(${hue} 55% 42%)">${squares.join('')}</g>`,
    `</svg>`,
  ].join('');
}

function square(column: number, row: number): string {
  return `<rect x="${CELL + column * CELL}" y="${CELL + row * CELL}" width="${CELL}" height="${CELL}"/>`;
}

function fnv1a(text: string): number {
  let mixed = 0x811c9dc5;
  for (const character of text) {
    mixed = Math.imul(mixed ^ character.charCodeAt(0), 0x01000193) >>> 0;
  }
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
