import { rows, type EntityManager } from '../../../platform/database/database.ts';
import type { PurchaseStatus } from './purchase-status.ts';

export type PurchaseView = {
  purchaseId: string;
  status: PurchaseStatus;
  amountMinor: number;
  currency: string;
  clearedAt: Date | null;
  hasReceipt: boolean;
  productName: string;
  slug: string;
};

type Row = Omit<PurchaseView, 'amountMinor' | 'clearedAt'> & {
  amountMinor: string;
  clearedAt: Date | string | null;
};

/** A purchase as its buyer sees it; null for a purchase of another person. */
export async function findPurchaseOf(
  em: EntityManager,
  key: { personId: string; purchaseId: string },
): Promise<PurchaseView | null> {
  const [row] = await rows<Row>(
    em,
    `select p.id as "purchaseId", p.status, c.amount_minor as "amountMinor", c.currency,
       p.cleared_at as "clearedAt",
       exists (select 1 from receipt where purchase_id = p.id) as "hasReceipt", r.name as "productName", s.slug
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

export type PurchaseLine = {
  purchaseId: string;
  status: PurchaseStatus;
  amountMinor: number;
  currency: string;
  createdAt: Date;
  productName: string;
  hasReceipt: boolean;
  isPartlyRefunded: boolean;
};

export type PurchasePage = { purchases: PurchaseLine[]; next: string | null };

const PAGE = 50;

/**
 * A page of a person's purchases, the latest first, with the id of its last one when older ones
 * follow.
 */
export async function listPurchasesOf(
  em: EntityManager,
  { personId, before }: { personId: string; before: string | null },
): Promise<PurchasePage> {
  const found = await rows<Omit<PurchaseLine, 'amountMinor'> & { amountMinor: string }>(
    em,
    `select p.id as "purchaseId", p.status, c.amount_minor as "amountMinor", c.currency,
       p.created_at as "createdAt", r.name as "productName",
       exists (select 1 from receipt where purchase_id = p.id) as "hasReceipt",
       exists (select 1 from payment where purchase_id = p.id
         and status = 'partially_refunded') as "isPartlyRefunded"
     from purchase p
     join checkout c on c.id = p.checkout_id
     join product r on r.id = p.product_id
     where p.person_id = ? and (?::text is null or p.id < ?)
     order by p.id desc limit ?`,
    [personId, before, before, PAGE + 1],
  );
  const purchases = found.slice(0, PAGE).map((purchase) => ({
    ...purchase,
    amountMinor: Number(purchase.amountMinor),
    createdAt: new Date(purchase.createdAt),
  }));
  const isLast = found.length <= PAGE;
  return { purchases, next: isLast ? null : purchases.at(-1)!.purchaseId };
}
