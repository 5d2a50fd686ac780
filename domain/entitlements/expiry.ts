// When access that ran out is announced as expired.

/** The access that the product was last notified of. */
export type Announced = { isActive: boolean; endsAt: Date | null };

/** True when the clock has passed an end that was announced as ahead. */
export function isExpiryOwed(announced: Announced, at: Date): boolean {
  return announced.isActive && announced.endsAt !== null && announced.endsAt <= at;
}
