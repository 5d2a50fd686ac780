/** The instant as Stripe writes it. */
export function seconds(at: Date): number {
  return Math.floor(at.getTime() / 1_000);
}
