import { queueReceiptMail } from '../../identity/mail/mail.repository.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { withInstants } from '../../shared/instants.ts';

/** The receipt of a paid period: a renewal of a subscription, or Member. */
export type ChargeReceipt = {
  paymentId: string;
  /** Null for Member. */
  subscriptionId: string | null;
  productName: string;
  sellerName: string;
  grossMinor: number;
  currency: string;
  issuedAt: Date;
  periodStart: Date;
  periodEnd: Date;
  status: string;
  /** The bank decided against the payment. */
  isTakenBack: boolean;
};

const INSTANTS = ['issuedAt', 'periodStart', 'periodEnd'] as const;

type Row = Omit<ChargeReceipt, 'grossMinor'> & { grossMinor: string };

/** Belongs in the transaction that books the money: writes the receipt once and queues its mail. */
export async function issueChargeReceipt(em: EntityManager, paymentId: string): Promise<void> {
  const [buyer] = await rows<{ personId: string; address: string }>(
    em,
    `with paid as (
       select y.id, y.gross_minor, y.currency, coalesce(s.person_id, m.person_id) as person_id,
         coalesce(p.name, 'Member') as product, coalesce(t.name, o.display_name, 'Gatehouse') as seller
       from payment y
       left join membership m on m.id = y.membership_id
       left join subscription s on s.id = y.subscription_id
       left join product p on p.id = s.product_id
       left join person o on o.id = p.owner_person_id
       left join team t on t.id = p.owner_team_id
       where y.id = ?),
     issued as (
       insert into charge_receipt (payment_id, product_name, seller_name, gross_minor, currency)
       select id, product, seller, gross_minor, currency from paid
       on conflict do nothing returning 1)
     select n.id as "personId", n.email as address
     from paid join person n on n.id = paid.person_id and n.deleted_at is null
     where exists (select from issued)`,
    [paymentId],
  );
  if (buyer) await queueReceiptMail(em, { ...buyer, paymentId });
}

const RECEIPT = `
  select c.payment_id as "paymentId", y.subscription_id as "subscriptionId",
    c.product_name as "productName", c.seller_name as "sellerName",
    c.gross_minor as "grossMinor", c.currency, c.issued_at as "issuedAt",
    y.period_start as "periodStart", y.period_end as "periodEnd", y.status,
    exists (select from dispute d where d.payment_id = y.id and d.status = 'lost') as "isTakenBack"
  from charge_receipt c join payment y on y.id = c.payment_id`;

export async function findChargeReceipt(
  em: EntityManager,
  paymentId: string,
): Promise<ChargeReceipt | null> {
  const [row] = await rows<Row>(em, `${RECEIPT} where c.payment_id = ?`, [paymentId]);
  return row ? present(row) : null;
}

/** Null for a receipt of another person. */
export async function findChargeReceiptOf(
  em: EntityManager,
  { personId, paymentId }: { personId: string; paymentId: string },
): Promise<ChargeReceipt | null> {
  const [row] = await rows<Row>(
    em,
    `${RECEIPT} left join subscription s on s.id = y.subscription_id
     left join membership m on m.id = y.membership_id
     where c.payment_id = ? and coalesce(s.person_id, m.person_id) = ?`,
    [paymentId, personId],
  );
  return row ? present(row) : null;
}

export type Charged = { subscriptionId: string } | { memberId: string };

export type ChargeReceiptPage = { receipts: ChargeReceipt[]; next: string | null };

const PAGE = 12;

/** The latest period first. Member's receipts include earlier memberships of the person. */
export async function listChargeReceipts(
  em: EntityManager,
  { of, before }: { of: Charged; before: string | null },
): Promise<ChargeReceiptPage> {
  const [condition, id] =
    'subscriptionId' in of
      ? ['y.subscription_id = ?', of.subscriptionId]
      : ['y.membership_id in (select id from membership where person_id = ?)', of.memberId];
  const found = await rows<Row>(
    em,
    `${RECEIPT} where ${condition}
       and (?::text is null or (y.period_start, y.id) <
         (select b.period_start, b.id from payment b where b.id = ?))
     order by y.period_start desc, y.id desc limit ?`,
    [id, before, before, PAGE + 1],
  );
  const receipts = found.slice(0, PAGE).map(present);
  return { receipts, next: found.length > PAGE ? receipts.at(-1)!.paymentId : null };
}

function present(row: Row): ChargeReceipt {
  return withInstants({ ...row, grossMinor: Number(row.grossMinor) }, INSTANTS);
}
