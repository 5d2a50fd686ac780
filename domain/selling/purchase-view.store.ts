import { rows, type EntityManager } from '../platform/database.ts';
import type { PurchaseStatus } from './purchase-status.ts';

export type PurchaseView = {
  purchaseId: string;
  status: PurchaseStatus;
  amountMinor: number;
  currency: string;
  clearedAt: Date | null;
  productName: string;
  slug: string;
};

type Row = Omit<PurchaseView, 'amountMinor' | 'clearedAt'> & {
  amountMinor: string;
  clearedAt: Date | string | null;
};

/** A purchase as its buyer sees it; null for one of somebody else. */
export async function findPurchaseOf(
  em: EntityManager,
  key: { personId: string; purchaseId: string },
): Promise<PurchaseView | null> {
  const [row] = await rows<Row>(
    em,
    `select p.id as "purchaseId", p.status, c.amount_minor as "amountMinor", c.currency,
       p.cleared_at as "clearedAt", r.name as "productName", s.slug
     from purchase p
     join checkout c on c.id = p.checkout_id
     join product r on r.id = p.product_id
     join product_slug s on s.product_id = r.id and s.is_current
     where p.id = ? and p.person_id = ?`,
    [key.purchaseId, key.personId],
  );
  if (!row) return null;
  const clearedAt = row.clearedAt === null ? null : new Date(row.clearedAt);
  return { ...row, amountMinor: Number(row.amountMinor), clearedAt };
}
