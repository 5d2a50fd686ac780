import test from 'ava';
import { proveClient } from '../../../domain/oauth/tokens/exchange-code.repository.ts';
import {
  createClient,
  findAuthorizeClient,
} from '../../../domain/oauth/clients/oauth-client.repository.ts';
import { rotateClientSecret } from '../../../domain/oauth/clients/oauth-client.command.ts';
import { openTestDatabase } from '../../support/engines/database.ts';
import { addProduct } from '../../support/catalog/scene.ts';

const REDIRECT_URI = 'https://app.example/cb';
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const MANY = 1_000_000;
const WINDOW = { name: 'token', limit: MANY, address: '192.0.2.1', addressLimit: MANY };

const { testDatabase, database, close } = await openTestDatabase();
const { productId, personId } = await addProduct(testDatabase);
await testDatabase.query(
  'update person set email_verified_at = now(), builder_verified_at = now() where id = $1',
  [personId],
);
await testDatabase.query(
  `insert into product_slug (slug, product_id, is_current) values ('the-product', $1, true)`,
  [productId],
);
const by = { personId, isOperator: false, isEmailVerified: true, ip: '192.0.2.1' };
test.after.always(close);

async function newClient(): Promise<string> {
  const client = { productId, kind: 'public' as const, name: 'App', redirectUris: [REDIRECT_URI] };
  return (await database.transaction((em) => createClient(em, client))).clientId;
}

test.serial(
  'a replaced secret keeps working for 48 hours, and no more than two live at once',
  async (t) => {
    const client = {
      productId,
      kind: 'confidential' as const,
      name: 'App',
      redirectUris: [REDIRECT_URI],
    };
    const created = await database.transaction((em) => createClient(em, client));
    const { clientId } = created;
    const isRight = async (secret: string | null) =>
      (await proveClient(database.pool, { clientId, secret, window: WINDOW }))?.isProven;
    const rotate = () =>
      database.transaction((em) => rotateClientSecret(em, { productId, clientId, by }));
    const [first, again] = await Promise.all([rotate(), rotate()]);
    const made = [first, again].filter((answer) => 'secret' in answer);
    t.is(made.length, 1);
    t.deepEqual(
      [first, again].filter((answer) => 'refused' in answer),
      [{ refused: 'two_live' }],
    );
    t.true(await isRight(created.secret));
    t.true(await isRight(made[0]!.secret));
    await testDatabase.advance(48 * HOUR_MS - MINUTE_MS);
    t.true(await isRight(created.secret));
    await testDatabase.advance(2 * MINUTE_MS);
    t.false(await isRight(created.secret));
    t.true(await isRight(made[0]!.secret));
    t.false(await isRight(null));
    t.true('secret' in (await rotate()));
  },
);

test.serial('a client that is unknown, disabled, or of a removed product is nobody', async (t) => {
  const disabled = await newClient();
  t.not(await findAuthorizeClient(database.em(), disabled), null);
  await testDatabase.query('update oauth_client set disabled_at = gatehouse_now() where id = $1', [
    disabled,
  ]);
  for (const client of [disabled, 'gcl_unknown']) {
    t.is(await findAuthorizeClient(database.em(), client), null);
    const named = { clientId: client, secret: null, window: WINDOW };
    t.not((await proveClient(database.pool, named))?.isProven, true);
  }
});
