import { setTimeout as pause } from 'node:timers/promises';
import { ENTITIES } from '../../domain/entities.ts';
import { openDatabase } from '../../domain/platform/database.ts';
import { newUuid } from '../../domain/platform/ids.ts';
import { recordEvent } from '../../domain/webhooks/event.store.ts';
import { addProduct } from '../support/scene.ts';
import type { TestDatabase } from '../support/database.ts';
import { untilDone } from './patience.ts';

type Stream = { count: number; perS: number; url: string };

const ENDPOINTS = 2;
const TELLERS = 10;

/** A product with several endpoints at one receiver, whose secrets are those of the demo's. */
async function addHookedProduct({ query, ...rest }: TestDatabase, url: string) {
  const { productId, personId } = await addProduct({ query, ...rest });
  await query(
    `insert into webhook_endpoint (id, product_id, slot, url, events, sealed_secret)
     select gen_random_uuid(), $1, n, $2 || '/' || n, '{purchase.completed}',
       (select sealed_secret from webhook_endpoint limit 1)
     from generate_series(1, $3) n`,
    [productId, url, ENDPOINTS],
  );
  return { productId, personId };
}

/** Commits events at a steady rate, whatever happens to the database; each makes one delivery an endpoint. */
export async function streamEvents(
  testDatabase: TestDatabase,
  { count, perS, url }: Stream,
): Promise<string> {
  const { productId, personId } = await untilDone(() => addHookedProduct(testDatabase, url));
  const options = { url: testDatabase.url, listenUrl: testDatabase.url, name: 'chaos' };
  const database = await openDatabase({ ...options, entities: ENTITIES });
  let told = 0;
  const tell = async () => {
    while (told < count) {
      told += 1;
      // A commit whose answer was lost makes one event more: each that is in the table has to arrive.
      await untilDone(() =>
        database.transaction((em) =>
          recordEvent(em, {
            productId,
            name: 'purchase.completed',
            data: {
              purchase_id: `pay_${newUuid()}`,
              user_id: personId,
              product_id: productId,
              gross_minor: 1_900,
              currency: 'USD',
            },
          }),
        ),
      );
      await pause((1_000 * TELLERS) / perS);
    }
  };
  await Promise.all(Array.from({ length: TELLERS }, tell));
  await database.close();
  return productId;
}
