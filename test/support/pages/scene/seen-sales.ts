import type { TestApi } from '../../http/api.ts';

const SALES = [
  ['cleared', 'store', 'succeeded', 0, 'monthly-newsletter-of-may-26'],
  ['cleared', 'docs', 'succeeded', 0, 'docs'],
  ['clearing', 'store', 'clearing', 0, null],
  ['refunded', 'email', 'refunded', 1, null],
  ['cleared', 'website', 'partially_refunded', 0.4, null],
  ['charged_back', 'social', 'refunded', 1, null],
  ['quarantined', 'github', 'succeeded', 0, null],
  ['failed', 'buy_link', 'failed', 0, null],
  ['canceled', 'buy_link', null, 0, null],
] as const;

/** A purchase in each state, half of them in another currency, and what was booked of them. */
export async function addSales(api: TestApi, productId: string) {
  for (const [index, [status, source, payment, share, campaign]] of SALES.entries()) {
    const { id: personId } = await api.seed.person();
    const number = String(index).padStart(24, '0');
    const currency = index % 4 === 3 ? 'EUR' : 'USD';
    const grossMinor = (index + 1) * 123_450;
    const cutMinor = grossMinor / 10;
    await api.test.query(
      `with c as (insert into checkout (id, person_id, product_id, offer_id, price_id, amount_minor,
          currency, status, expires_at)
         select gen_random_uuid(), $2, $1, o.id, r.id, $5, r.currency, 'paid', now()
         from offer o join price r on r.offer_id = o.id
         where o.product_id = $1 and r.currency = $4 limit 1 returning *)
       insert into purchase (id, checkout_id, person_id, product_id, status, service_source,
         service_campaign, created_at, cleared_at, refunded_minor)
       select 'pay_02' || $3, id, person_id, product_id, $6, $7, $8,
         now() - interval '1 hour' * $9,
         case when $6 in ('cleared', 'refunded', 'charged_back', 'quarantined') then now() end, $10 from c`,
      [
        productId,
        personId,
        number,
        currency,
        grossMinor,
        status,
        source,
        campaign,
        index + 1,
        Math.round(grossMinor * share),
      ],
    );
    if (payment === null) continue;
    await api.test.query(
      `insert into payment (id, purchase_id, gross_minor, currency, cut_minor, status, processor_id,
         returned_minor)
       values ('ch_02' || $1, 'pay_02' || $1, $2, $3, $4, $5, 'ch_02' || $1, $6)`,
      [number, grossMinor, currency, cutMinor, payment, Math.round(grossMinor * share)],
    );
    const entries = [
      ['gross', grossMinor],
      ['cut', -cutMinor],
      ['refund', -Math.round(grossMinor * share)],
      ['cut_returned', Math.round(cutMinor * share)],
    ] as const;
    for (const [kind, amountMinor] of entries) {
      if (amountMinor === 0 || payment === 'failed') continue;
      await api.test.query(
        `insert into ledger_entry (booking, account, kind, amount_minor, currency, payment_id, product_id)
         select $1, account, $2, $3::bigint * sign, $4, $5, $6
         from (values ('seller', 1), ('platform', -1)) e (account, sign)`,
        [`seen-${number}-${kind}`, kind, amountMinor, currency, `ch_02${number}`, productId],
      );
    }
  }
}
