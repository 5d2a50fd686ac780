// Numbers for people.

/** A part of a whole: `12.5 %`; of nothing, `0 %`. */
export function writePercent(part: number, whole: number, digits = 1): string {
  return `${whole <= 0 ? 0 : ((100 * part) / whole).toFixed(digits)} %`;
}

/** A share that is set in basis points: `12.5 %`. */
export function writeBasisPoints(basisPoints: number): string {
  return `${basisPoints / 100} %`;
}
