import { rows, type EntityManager } from '../../../platform/database/database.ts';

export type CurrencyView = { currency: string; enabledAt: Date; prices: number };

/** The codes alone, for forms and rules. */
export async function listEnabledCurrencies(em: EntityManager): Promise<string[]> {
  const found = await rows<{ currency: string }>(
    em,
    'select currency from enabled_currency order by currency',
  );
  return found.map(({ currency }) => currency);
}

/** Enabled currencies with their number of active prices, without removed products. */
export async function listCurrencies(em: EntityManager): Promise<CurrencyView[]> {
  const found = await rows<CurrencyView>(
    em,
    `select c.currency, c.enabled_at as "enabledAt",
       (select count(*)::int from price r join offer o on o.id = r.offer_id
         join product p on p.id = o.product_id and p.state <> 'removed'
         where r.currency = c.currency and r.retired_at is null and o.retired_at is null) as prices
     from enabled_currency c order by c.currency`,
  );
  return found.map((row) => ({ ...row, enabledAt: new Date(row.enabledAt) }));
}

/** False when the currency is enabled already. */
export async function enableCurrency(em: EntityManager, currency: string): Promise<boolean> {
  const enabled = await rows(
    em,
    'insert into enabled_currency (currency) values (?) on conflict do nothing returning 1',
    [currency],
  );
  return enabled.length === 1;
}

/** Prices in a disabled currency stay and count again once it is enabled. */
export async function disableCurrency(em: EntityManager, currency: string): Promise<boolean> {
  const disabled = await rows(em, 'delete from enabled_currency where currency = ? returning 1', [
    currency,
  ]);
  return disabled.length === 1;
}
