import { rows, type EntityManager } from '../../../platform/database/database.ts';
import type { DisputeStatus } from './dispute-status.ts';

/** SQL, of a purchase `p`: its bank has yet to decide. */
export const HAS_OPEN_DISPUTE = `exists (select from dispute d join payment y on y.id = d.payment_id
  where y.purchase_id = p.id and d.status in ('warning', 'open'))`;

export type DisputeLine = {
  id: string;
  purchaseId: string;
  amountMinor: number;
  currency: string;
  reason: string;
  status: DisputeStatus;
  createdAt: Date;
  settledAt: Date | null;
};

/** `next` is the id of the last dispute shown when older ones follow. */
export type DisputePage = { lines: DisputeLine[]; next: string | null };

const PAGE = 50;

/** Lists the disputes of a product, the newest first. */
export async function listDisputes(
  em: EntityManager,
  { productId, before }: { productId: string; before: string | null },
): Promise<DisputePage> {
  const found = await rows<DisputeLine & { amountMinor: string }>(
    em,
    `select d.id, y.purchase_id as "purchaseId", d.amount_minor as "amountMinor", d.currency,
       d.reason, d.status, d.created_at as "createdAt", d.settled_at as "settledAt"
     from dispute d join payment y on y.id = d.payment_id join purchase p on p.id = y.purchase_id
     where p.product_id = ? and (?::text is null or d.id < ?)
     order by d.id desc limit ?`,
    [productId, before, before, PAGE + 1],
  );
  const lines = found.slice(0, PAGE).map((line) => ({
    ...line,
    amountMinor: Number(line.amountMinor),
    createdAt: new Date(line.createdAt),
    settledAt: line.settledAt === null ? null : new Date(line.settledAt),
  }));
  return { lines, next: found.length > PAGE ? lines.at(-1)!.id : null };
}
