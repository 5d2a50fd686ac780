type Charged = { periodStart: Date | null };

/**
 * Which period of a subscription a charge has paid for. Before the first one is known there is no
 * other; what was charged for a later one than was ever accepted is no part of it.
 */
export function decidePeriodOf(
  charge: Charged,
  subscription: Charged,
): 'current' | 'older' | 'beyond' {
  const charged = charge.periodStart?.getTime() ?? Number.NEGATIVE_INFINITY;
  const current = subscription.periodStart?.getTime() ?? Number.NEGATIVE_INFINITY;
  if (charged === current) return 'current';
  return charged < current ? 'older' : 'beyond';
}
