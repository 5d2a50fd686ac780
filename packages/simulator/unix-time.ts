/** As Stripe writes an instant. */
export function seconds(at: Date): number {
  return Math.floor(at.getTime() / 1_000);
}
