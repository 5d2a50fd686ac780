import { newPublicId, newUuid } from '../../../domain/shared/ids.ts';
import { addProduct } from '../catalog/scene.ts';
import type { TestDatabase } from '../engines/database.ts';

/** A price of Member in a currency. */
export async function addMemberPrice(
  testDatabase: TestDatabase,
  { currency, isRetired = false }: { currency: string; isRetired?: boolean },
): Promise<string> {
  const { personId } = await addProduct(testDatabase);
  const id = newUuid();
  await testDatabase.query(
    `insert into member_price (id, currency, billing_interval, amount_minor, set_by, retired_at)
     values ($1, $2, 'month', 999, $3, case when $4 then gatehouse_now() end)`,
    [id, currency, personId, isRetired],
  );
  return id;
}

/** A charge of Member that succeeded at an instant. */
export async function addMemberCharge(
  testDatabase: TestDatabase,
  charge: { priceId: string; at: string; status?: string },
): Promise<void> {
  const { priceId, at, status = 'succeeded' } = charge;
  const { personId } = await addProduct(testDatabase);
  await testDatabase.query(
    `with made as (
       insert into membership (id, person_id, status, price_id, amount_minor, currency,
         billing_interval)
       select $1, $2, 'active', id, amount_minor, currency, billing_interval
       from member_price where id = $3 returning *)
     insert into payment (id, membership_id, gross_minor, currency, cut_minor, status,
       processor_id, created_at)
     select $4::text, id, amount_minor, currency, 0, $5, $4, $6 from made`,
    [newUuid(), personId, priceId, newPublicId('ch_'), status, at],
  );
}
