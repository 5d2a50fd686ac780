import type pg from 'pg';
import { hashCredential, newCredential } from '../../../domain/shared/ids.ts';
import { personId } from './people.ts';

export const PRODUCTS = 1_000;
export const KEYS = 10_000;

/** The identifier of a product, as an expression of SQL; products count from 0. */
export function productId(n: string): string {
  return `('01900000-0000-7000-9000-' || lpad(to_hex(${n}), 12, '0'))::uuid`;
}

export async function loadCatalog(pool: pg.Pool) {
  await pool.query(
    `insert into product (id, owner_person_id, name, tagline, state, listed_at)
     select ${productId('n')}, ${personId('n + 1')}, 'Product ' || n, 'Does one thing well.', 'listed', now()
     from generate_series(0, ${PRODUCTS - 1}) n`,
  );
  const keys = Array.from({ length: KEYS }, () => newCredential('gk_live_'));
  await pool.query(
    `insert into api_key (id, product_id, key_hash, mode, name, last_four)
     select gen_random_uuid(), ${productId(`n % ${PRODUCTS}`)}, key_hash, 'live', 'Server', 'last'
     from unnest($1::bytea[]) with ordinality as given (key_hash, n)`,
    [keys.map(hashCredential)],
  );
  await pool.query('vacuum analyze product, api_key');
  return { keys };
}

/** A name, a seller who can charge, and an offer in two currencies for each product. */
export async function loadStorefront(pool: pg.Pool): Promise<void> {
  await pool.query(
    `insert into product_slug (slug, product_id)
     select 'product-' || n, ${productId('n')} from generate_series(0, ${PRODUCTS - 1}) n;
     insert into payout_account (id, person_id, processor_account, can_charge)
     select gen_random_uuid(), owner_person_id, 'acct_' || id, true from product;
     update person set builder_verified_at = now(), email_verified_at = now()
     where id in (select owner_person_id from product);
     insert into offer (id, product_id, kind, is_default)
     select gen_random_uuid(), id, 'one_time', true from product;
     insert into price (id, offer_id, currency, amount_minor, is_base)
     select gen_random_uuid(), o.id, c, 1900, c = 'USD' from offer o, unnest(array['USD', 'EUR']) c;
     with monthly as (
       insert into offer (id, product_id, kind, is_default)
       select gen_random_uuid(), ${productId('0')}, 'monthly', false returning id)
     insert into price (id, offer_id, currency, amount_minor, is_base)
     select gen_random_uuid(), id, 'USD', 1900, true from monthly`,
  );
  await pool.query('vacuum analyze product_slug, payout_account, person, offer, price');
}
