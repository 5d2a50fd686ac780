import { queueReceiptMail } from '../../identity/mail/mail.repository.ts';
import { toArrayParameter } from '../../../platform/database/array-parameter.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { withInstants } from '../../shared/instants.ts';
import { RECEIVED } from '../purchases/received-statuses.ts';

export type Receipt = {
  purchaseId: string;
  productName: string;
  sellerName: string;
  grossMinor: number;
  currency: string;
  issuedAt: Date;
};

export type ReceiptView = Receipt & {
  /** The current state of the money. */
  status: string;
  paymentStatus: string | null;
  /** The period that a subscription's payment paid for. */
  periodStart: Date | null;
  periodEnd: Date | null;
};

/**
 * Belongs in the transaction in which a purchase clears: writes the receipt and queues its mail.
 * Money that returns after a refund or a dispute makes no second receipt.
 */
export async function issueReceipt(em: EntityManager, purchaseId: string): Promise<void> {
  const issued = await rows(
    em,
    `insert into receipt (purchase_id, product_name, seller_name, gross_minor, currency)
     select u.id, p.name, coalesce(t.name, o.display_name), c.amount_minor, c.currency
     from purchase u join checkout c on c.id = u.checkout_id
     join product p on p.id = u.product_id
     left join person o on o.id = p.owner_person_id
     left join team t on t.id = p.owner_team_id
     where u.id = ? on conflict do nothing returning 1`,
    [purchaseId],
  );
  if (issued.length === 0) return;
  const [buyer] = await rows<{ personId: string; address: string }>(
    em,
    `select n.id as "personId", n.email as address
     from purchase u join person n on n.id = u.person_id and n.deleted_at is null where u.id = ?`,
    [purchaseId],
  );
  if (buyer) await queueReceiptMail(em, { ...buyer, purchaseId });
}

const RECEIPT = `select r.purchase_id as "purchaseId", r.product_name as "productName",
    r.seller_name as "sellerName", r.gross_minor as "grossMinor", r.currency,
    r.issued_at as "issuedAt"`;

/** The purchases of a person that have a receipt. */
export async function listReceiptsAmong(
  em: EntityManager,
  { personId, purchaseIds }: { personId: string; purchaseIds: string[] },
): Promise<string[]> {
  const found = await rows<{ id: string }>(
    em,
    `select u.id from purchase u join receipt r on r.purchase_id = u.id
     where u.person_id = ? and u.id = any(?::text[])`,
    [personId, toArrayParameter(purchaseIds)],
  );
  return found.map(({ id }) => id);
}

export async function findReceipt(em: EntityManager, purchaseId: string): Promise<Receipt | null> {
  const sql = `${RECEIPT} from receipt r where r.purchase_id = ?`;
  const [row] = await rows<Receipt>(em, sql, [purchaseId]);
  return row ? withInstants(present(row), ['issuedAt']) : null;
}

/**
 * The buyer's receipt with the current state of its money; null for a receipt of another person.
 */
export async function findReceiptOf(
  em: EntityManager,
  key: { personId: string; purchaseId: string },
): Promise<ReceiptView | null> {
  const [row] = await rows<ReceiptView>(
    em,
    `${RECEIPT}, paid.status as "paymentStatus", paid.period_start as "periodStart",
       paid.period_end as "periodEnd",
       case when paid.subscription_id is null then u.status
         when paid.status <> 'refunded' then 'cleared'
         when exists (select from dispute where payment_id = paid.id and status = 'lost')
         then 'charged_back' else 'refunded' end as status
     from receipt r join purchase u on u.id = r.purchase_id
     left join lateral (
       select * from payment m where m.purchase_id = u.id and m.status in ${RECEIVED}
       order by m.created_at, m.id limit 1) paid on true
     where r.purchase_id = ? and u.person_id = ?`,
    [key.purchaseId, key.personId],
  );
  return row ? withInstants(present(row), ['issuedAt', 'periodStart', 'periodEnd']) : null;
}

/** The driver returns a bigint as text. */
function present<View extends Receipt>(row: View): View {
  return { ...row, grossMinor: Number(row.grossMinor) };
}
