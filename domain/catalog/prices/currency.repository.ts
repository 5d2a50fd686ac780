import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import { EnabledCurrency } from './currency.entity.ts';

export type CurrencyView = { currency: string; enabledAt: Date; prices: number };

/** The codes alone, for forms and rules. */
export async function listEnabledCurrencies(em: EntityManager): Promise<string[]> {
  const enabled = await kysely(em)
    .selectFrom('enabledCurrency')
    .select('currency')
    .orderBy('currency')
    .execute();
  return enabled.map(({ currency }) => currency);
}

/** Enabled currencies with their number of active prices, without removed products. */
export async function listCurrencies(em: EntityManager): Promise<CurrencyView[]> {
  return kysely(em)
    .selectFrom('enabledCurrency')
    .select(['enabledCurrency.currency', 'enabledCurrency.enabledAt'])
    .select(({ selectFrom }) =>
      selectFrom('price')
        .innerJoin('offer', 'offer.id', 'price.offerId')
        .innerJoin('product', 'product.id', 'offer.productId')
        .select(({ fn }) => fn.countAll<number>().as('prices'))
        .whereRef('price.currency', '=', 'enabledCurrency.currency')
        .where('price.retiredAt', 'is', null)
        .where('offer.retiredAt', 'is', null)
        .where('product.state', '<>', 'removed')
        .$asScalar()
        .$notNull()
        .as('prices'),
    )
    .orderBy('enabledCurrency.currency')
    .execute();
}

/** False when the currency is enabled already. */
export async function enableCurrency(em: EntityManager, currency: string): Promise<boolean> {
  const enabled = await kysely(em)
    .insertInto('enabledCurrency')
    .values({ currency })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return enabled.numInsertedOrUpdatedRows === 1n;
}

/** Prices in a disabled currency stay and count again once it is enabled. */
export async function disableCurrency(em: EntityManager, currency: string): Promise<boolean> {
  return (await em.nativeDelete(EnabledCurrency, { currency })) === 1;
}
