// In the demo's past months Tide Table was Included as it is now, and Night Shift until this month.
import { addMonths } from '../../../domain/shared/instant.ts';
import { IncludedSpan } from '../../../domain/catalog/product.entity.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { pastMonths } from './members.ts';

type DemoProduct = { id: string; slug: string; included_with_member: boolean };

/** Writes as the owner of the database: the application leaves these rows to their trigger. */
export async function lengthenSpans(
  em: EntityManager,
  { products, at }: { products: readonly DemoProduct[]; at: Date },
): Promise<void> {
  const [startedAt] = pastMonths(at);
  for (const { id: productId, slug, included_with_member: isIncluded } of products) {
    if (isIncluded) {
      const open = { productId, endedAt: null, startedAt: { $gt: startedAt! } };
      await em.nativeUpdate(IncludedSpan, open, { startedAt: startedAt! });
    }
    const isKnown = (await em.count(IncludedSpan, { productId })) > 0;
    if (slug !== 'night-shift' || isKnown) continue;
    const endedAt = addMonths(at, 0);
    await em.insert(IncludedSpan, { productId, startedAt: startedAt!, endedAt });
  }
}
