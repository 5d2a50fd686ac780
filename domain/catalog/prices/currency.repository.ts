import type { EntityManager } from '../../../platform/database/database.ts';
import type { ExpressionBuilder } from 'kysely';
import { kysely, type Tables } from '../../kysely.ts';
import { EnabledCurrency } from './currency.entity.ts';

/** The codes alone, for forms and rules. */
export async function listEnabledCurrencies(em: EntityManager): Promise<string[]> {
  const enabled = await em.find(EnabledCurrency, {}, { orderBy: { currency: 'asc' } });
  return enabled.map(({ currency }) => currency);
}

/**
 * Lists enabled currencies with their number of active prices, without removed products, and of listed
 * products with one. `onlyHere` counts the products with no price in another enabled currency: they
 * stop selling without this one.
 */
export async function listCurrencies(em: EntityManager) {
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
    .select((currency) => [
      countSold(currency).$asScalar().$notNull().as('products'),
      countSold(currency)
        .where((product) =>
          product.not(
            product.exists(
              priced(product)
                .innerJoin('enabledCurrency as other', 'other.currency', 'price.currency')
                .whereRef('price.currency', '<>', 'enabledCurrency.currency'),
            ),
          ),
        )
        .$asScalar()
        .$notNull()
        .as('onlyHere'),
    ])
    .orderBy('enabledCurrency.currency')
    .execute();
}

export type CurrencyView = Awaited<ReturnType<typeof listCurrencies>>[number];

type Currency = ExpressionBuilder<Tables, 'enabledCurrency'>;

/** The listed products with a price in the currency. */
const countSold = ({ selectFrom }: Currency) =>
  selectFrom('product')
    .select(({ fn }) => fn.countAll<number>().as('products'))
    .where('product.state', '=', 'listed')
    .where((product) =>
      product.exists(priced(product).whereRef('price.currency', '=', 'enabledCurrency.currency')),
    );

const priced = ({ selectFrom }: ExpressionBuilder<Tables, 'enabledCurrency' | 'product'>) =>
  selectFrom('price')
    .innerJoin('offer', 'offer.id', 'price.offerId')
    .select('price.id')
    .whereRef('offer.productId', '=', 'product.id')
    .where('offer.retiredAt', 'is', null)
    .where('price.retiredAt', 'is', null);

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
