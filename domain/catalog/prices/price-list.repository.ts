import type { OfferKind } from '../product.repository.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';

export type PriceVersion = {
  priceId: string;
  /** The offer's kind. */
  kind: OfferKind;
  isDefaultOffer: boolean;
  currency: string;
  amountMinor: number;
  isBase: boolean;
  /** Nothing is sold in a disabled currency. */
  isEnabled: boolean;
  createdAt: Date;
  retiredAt: Date | null;
};

const MOST_RETIRED = 50;

/**
 * A product's prices: current ones, default offer and base price first, then the last retired ones.
 */
export async function listPriceVersions(
  em: EntityManager,
  productId: string,
): Promise<{ active: PriceVersion[]; retired: PriceVersion[] }> {
  const found = await rows<PriceVersion & Record<'createdAt' | 'amountMinor', string>>(
    em,
    `(select ${COLUMNS} from ${TABLES} and r.retired_at is null
      order by o.is_default desc, o.created_at, o.id, r.is_base desc, r.currency)
     union all
     (select ${COLUMNS} from ${TABLES} and r.retired_at is not null
      order by r.retired_at desc, r.id desc limit ${MOST_RETIRED})`,
    [productId, productId],
  );
  const versions: PriceVersion[] = found.map((row) => ({
    ...row,
    amountMinor: Number(row.amountMinor),
    createdAt: new Date(row.createdAt),
    retiredAt: row.retiredAt === null ? null : new Date(row.retiredAt),
  }));
  return {
    active: versions.filter(({ retiredAt }) => retiredAt === null),
    retired: versions.filter(({ retiredAt }) => retiredAt !== null),
  };
}

/** True when the default offer has a base price in an enabled currency. */
export async function hasBasePrice(em: EntityManager, productId: string): Promise<boolean> {
  const found = await rows(
    em,
    `select 1 from price r join offer o on o.id = r.offer_id
     join enabled_currency c on c.currency = r.currency
     where o.product_id = ? and o.is_default and o.retired_at is null and r.retired_at is null and r.is_base`,
    [productId],
  );
  return found.length > 0;
}

const COLUMNS = `r.id as "priceId", o.kind, o.is_default as "isDefaultOffer", r.currency, r.amount_minor as "amountMinor",
  r.is_base as "isBase", c.currency is not null as "isEnabled", r.created_at as "createdAt",
  r.retired_at as "retiredAt"`;

const TABLES = `price r join offer o on o.id = r.offer_id
  left join enabled_currency c on c.currency = r.currency
  where o.product_id = ? and o.retired_at is null`;
