import test from 'ava';
import { createClient } from '../../../domain/oauth/clients/oauth-client.repository.ts';
import { grantCode } from '../../../domain/oauth/consent.command.ts';
import {
  endAuthorizations,
  endConsentsOfDeletedClients,
  revokeConsent,
} from '../../../domain/oauth/connected-apps.command.ts';
import { EVENTS } from '../../../domain/webhooks/events.schema.ts';
import { addProduct } from '../../support/catalog/scene.ts';
import { openTestDatabase } from '../../support/engines/database.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);

const REDIRECT_URI = 'https://app.example/cb';
const BOTH = 'identity entitlements';

async function newClient(productId: string | null): Promise<string> {
  const client = { productId, kind: 'public' as const, name: 'App', redirectUris: [REDIRECT_URI] };
  return (await database.transaction((em) => createClient(em, client))).clientId;
}

async function newScene() {
  const { personId, productId } = await addProduct(testDatabase);
  return { personId, productId, clientId: await newClient(productId) };
}

type Scene = Awaited<ReturnType<typeof newScene>>;

const allow = ({ personId, clientId }: Omit<Scene, 'productId'>, scope = BOTH) =>
  database.transaction((em) =>
    grantCode(em, personId, { clientId, redirectUri: REDIRECT_URI, scope, challenge: null }),
  );

const revoke = (consent: Scene) => database.transaction((em) => revokeConsent(em, consent));

async function eventsOf({ productId }: Pick<Scene, 'productId'>) {
  type Row = { name: 'authorization.granted'; data: Record<string, unknown> };
  const sql = 'select name, data from event where product_id = $1 order by created_at, id';
  return testDatabase.query<Row>(sql, [productId]);
}

const namesOf = async (scene: Pick<Scene, 'productId'>) =>
  (await eventsOf(scene)).map(({ name }) => name.replace('authorization.', ''));

test('a first consent is granted, and what the person revokes is revoked: who, what and when', async (t) => {
  const scene = await newScene();
  await allow(scene);
  t.true(await revoke(scene));
  const events = await eventsOf(scene);
  t.deepEqual(await namesOf(scene), ['granted', 'revoked']);
  const [consent] = await testDatabase.query<{ granted_at: Date; revoked_at: Date }>(
    'select granted_at, revoked_at from consent where client_id = $1',
    [scene.clientId],
  );
  for (const [index, at] of [consent!.granted_at, consent!.revoked_at].entries()) {
    const { name, data } = events[index]!;
    t.deepEqual(EVENTS[name].data.strict().parse(data), {
      user_id: scene.personId,
      product_id: scene.productId,
      scopes: ['identity', 'entitlements'],
      occurred_at: at.toISOString(),
    });
  }
});

test('a consent that allows no more than the live one before is no event', async (t) => {
  const scene = await newScene();
  await allow(scene, 'identity');
  await allow(scene, 'identity');
  t.deepEqual(await namesOf(scene), ['granted']);
  await allow(scene, BOTH);
  t.deepEqual(await namesOf(scene), ['granted', 'granted'], 'its scopes grew');
  t.deepEqual((await eventsOf(scene))[1]!.data['scopes'], ['identity', 'entitlements']);
  await allow(scene, 'identity');
  t.deepEqual(await namesOf(scene), ['granted', 'granted']);
});

test('a consent stands when its tokens have expired: no event then, none at the next consent', async (t) => {
  const scene = await newScene();
  await allow(scene);
  await testDatabase.query(
    `insert into access_token (token_hash, client_id, person_id, scope, expires_at)
     values (sha256('expired'), $1, $2, 'identity', gatehouse_now() - interval '1 day')`,
    [scene.clientId, scene.personId],
  );
  await allow(scene);
  t.deepEqual(await namesOf(scene), ['granted']);
});

test('a consent after a revocation is granted again', async (t) => {
  const scene = await newScene();
  await allow(scene);
  await revoke(scene);
  await allow(scene);
  t.deepEqual(await namesOf(scene), ['granted', 'revoked', 'granted']);
});

test('two consents at once are granted once, two revocations at once are revoked once', async (t) => {
  const scene = await newScene();
  await Promise.all([allow(scene), allow(scene), allow(scene)]);
  t.deepEqual(await namesOf(scene), ['granted']);
  const done = await Promise.all([revoke(scene), revoke(scene), revoke(scene)]);
  t.deepEqual(done.toSorted(), [false, false, true]);
  t.deepEqual(await namesOf(scene), ['granted', 'revoked']);
});

test('a first-party client has no product to notify', async (t) => {
  const { personId } = await newScene();
  const count = async () =>
    (await testDatabase.query(`select 1 from event where data->>'user_id' = $1`, [personId]))
      .length;
  const scene = { personId, productId: '', clientId: await newClient(null) };
  await allow(scene, `${BOTH} mobile`);
  await revoke(scene);
  await allow(scene, `${BOTH} mobile`);
  await database.transaction((em) => endAuthorizations(em, personId));
  t.is(await count(), 0);
});

test('what ends with an account is revoked once for each live consent', async (t) => {
  const [one, other, earlier] = [await newScene(), await newScene(), await newScene()];
  const { personId } = one;
  for (const { clientId } of [one, other, earlier]) await allow({ personId, clientId });
  await revoke({ ...earlier, personId });
  const end = () => database.transaction((em) => endAuthorizations(em, personId));
  await Promise.all([end(), end()]);
  for (const scene of [one, other, earlier]) {
    t.deepEqual(await namesOf(scene), ['granted', 'revoked']);
  }
});

async function addConsents(clientId: string, count: number): Promise<void> {
  await testDatabase.query(
    `with people as (
       insert into person (id, handle, display_name, email)
       select id, handle, 'P', handle || '@example.com'
       from (select gen_random_uuid() as id, 'c' || substr(md5($1 || n), 1, 20) as handle
         from generate_series(1, $2::int) n) made
       returning id)
     insert into consent (person_id, client_id, scopes, granted_at)
     select id, $1, '{identity}', gatehouse_now() from people`,
    [clientId, count],
  );
}

const change = (clientId: string, column: string) =>
  testDatabase.query(`update oauth_client set ${column} = gatehouse_now() where id = $1`, [
    clientId,
  ]);

test.serial(
  'each consent to a deleted client is revoked once, also when a batch is cut off or two run',
  async (t) => {
    const scene = await newScene();
    const disabled = await newScene();
    await allow(disabled);
    await addConsents(scene.clientId, 250);
    await change(scene.clientId, 'deleted_at');
    await change(disabled.clientId, 'disabled_at');
    const batch = () => database.transaction(endConsentsOfDeletedClients);
    await t.throwsAsync(
      database.transaction(async (em) => {
        await endConsentsOfDeletedClients(em);
        throw new Error('cut off');
      }),
      { message: 'cut off' },
    );
    t.deepEqual(await eventsOf(scene), []);
    while ((await Promise.all([batch(), batch()])).some((ended) => ended > 0));
    const events = await eventsOf(scene);
    t.is(events.length, 250);
    t.is(new Set(events.map(({ data }) => data['user_id'])).size, 250);
    const [{ deleted_at: deletedAt, consents_ended_at: endedAt } = {}] = await testDatabase.query<
      Record<string, Date>
    >('select deleted_at, consents_ended_at from oauth_client where id = $1', [scene.clientId]);
    t.like(events[0], {
      name: 'authorization.revoked',
      data: { scopes: ['identity'], occurred_at: deletedAt!.toISOString() },
    });
    t.truthy(endedAt, 'nobody looks for more');
    t.is(await batch(), 0);
    t.deepEqual(await namesOf(disabled), ['granted'], 'a disabled client keeps its consents');
  },
);

test.serial(
  'a consent that ends with its account is not revoked again with its client',
  async (t) => {
    const scene = await newScene();
    await allow(scene);
    await change(scene.clientId, 'deleted_at');
    await database.transaction((em) => endAuthorizations(em, scene.personId));
    t.is(await database.transaction(endConsentsOfDeletedClients), 0);
    t.deepEqual(await namesOf(scene), ['granted', 'revoked']);
  },
);
