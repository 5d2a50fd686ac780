import { setTimeout as pause } from 'node:timers/promises';
import { ENTITIES } from '../../domain/entities.ts';
import { openDatabase } from '../../platform/database/database.ts';
import { newUuid } from '../../domain/shared/ids.ts';
import { recordEvent } from '../../domain/webhooks/event.repository.ts';
import type { Encryptor } from '../../domain/shared/secrets.ts';
import { addEndpoint, addProduct } from '../support/catalog/scene.ts';
import type { TestDatabase } from '../support/engines/database.ts';
import { untilDone } from './until-done.ts';

type Stream = { encryptor: Encryptor; count: number; perS: number; url: string };

const ENDPOINTS = 2;
const TELLERS = 10;

/** A product with several endpoints at one receiver. */
async function addHookedProduct(
  database: TestDatabase,
  { encryptor, url }: Pick<Stream, 'encryptor' | 'url'>,
) {
  const { productId, personId } = await addProduct(database);
  for (let slot = 1; slot <= ENDPOINTS; slot += 1) {
    const events = ['purchase.completed'];
    const endpoint = { productId, slot, events, secret: 'whsec_chaos', encryptor };
    await addEndpoint(database, { ...endpoint, url: `${url}/${slot}` });
  }
  return { productId, personId };
}

/** Commits events at a steady rate, whatever happens to the database; each makes one delivery an endpoint. */
export async function streamEvents(
  testDatabase: TestDatabase,
  { encryptor, count, perS, url }: Stream,
): Promise<string> {
  const { productId, personId } = await untilDone(() =>
    addHookedProduct(testDatabase, { encryptor, url }),
  );
  const options = { url: testDatabase.url, listenUrl: testDatabase.url, name: 'chaos' };
  const database = openDatabase({ ...options, entities: ENTITIES });
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
