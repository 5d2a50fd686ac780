import { randomBytes } from 'node:crypto';
import test from 'ava';
import { makeMailToken } from '../../domain/identity/mail/mail-link.ts';
import { ConfigurationError, readSecretKeys } from '../../platform/config.ts';
import { newEncryptedPoolKey, openPoolKey } from '../../domain/pool/period/period-key.ts';
import { createEncryptor, createTokenSigner, type SecretKey } from '../../domain/shared/secrets.ts';
import { encryptEndpointSecret } from '../../domain/webhooks/endpoints/endpoint-secret-encryption.ts';
import { openSecrets } from '../../domain/webhooks/endpoints/secret-rotation.repository.ts';
import {
  countEncryptedByKey,
  reencryptBatch,
} from '../../domain/webhooks/endpoints/rotate-encryption-key.query.ts';
import { readCommand } from '../../scripts/admin/command-line.ts';
import { UsageError } from '../../scripts/command.ts';
import { runAdmin } from '../support/identity/admin.ts';
import { eventually } from '../support/eventually.ts';
import { startPeople } from '../support/identity/people.ts';
import { createSeed } from '../support/catalog/seed.ts';
import { insertPeriod } from '../support/pool/insert-period.ts';

const leaked = { id: 'k1', key: randomBytes(32) };
const fresh = { id: 'k2', key: randomBytes(32) };
const secretKeys = [fresh, { ...leaked, isDecryptOnly: true }];

const people = await startPeople({ config: { secretKeys } });
const { api } = people;
test.after.always(() => api.close());

const { query } = api.test;
const { pool } = api.database;
const underLeaked = createSeed(api.database, [leaked]);
const settingOf = (keys: readonly SecretKey[]) =>
  keys
    .map(
      ({ id, key, isDecryptOnly }) =>
        `${id}:${key.toString('base64')}${isDecryptOnly ? ':open' : ''}`,
    )
    .join(',');
const rotateKey = (keys: readonly SecretKey[] = secretKeys) =>
  runAdmin(['rotate-key'], { DATABASE_URL: api.test.url, SECRET_KEYS: settingOf(keys) });

/** An endpoint that was rotated once, encrypted under the leaked key throughout. */
async function addRotated() {
  const product = await api.seed.product({ owner: await api.seed.person({ isBuilder: true }) });
  const endpoint = await underLeaked.endpoint({ productId: product.id, url: 'https://a.example' });
  const encrypted = encryptEndpointSecret(createEncryptor([leaked]), endpoint.id, 'whsec_before');
  await query(
    `update webhook_endpoint set previous_encrypted_secret = $2,
       previous_until = gatehouse_now() + interval '1 day' where id = $1`,
    [endpoint.id, encrypted],
  );
  return { productId: product.id, endpointId: endpoint.id, secret: endpoint.secret };
}

test.serial('a key that only opens makes no reset link', async (t) => {
  const { email } = await people.signUp();
  const page = await api.browser().submit('/forgot-password', {
    action: '/forgot-password',
    fields: { email },
  });
  t.is(page.status, 303);
  const mails = await people.mailsTo(email);
  const mail = mails.find(({ purpose }) => purpose === 'reset_password');
  const statusBy = async (key: typeof leaked) => {
    const token = makeMailToken(createTokenSigner([key]), mail!.id);
    return (await api.request(`/reset-password?token=${token}`)).status;
  };
  t.is(await statusBy(leaked), 404);
  t.is(await statusBy(fresh), 200);
});

test.serial('a secret that was moved to the row of another endpoint opens nowhere', async (t) => {
  const [mine, theirs] = [await addRotated(), await addRotated()];
  await query(
    `update webhook_endpoint set encrypted_secret =
       (select encrypted_secret from webhook_endpoint where id = $2) where id = $1`,
    [mine.endpointId, theirs.endpointId],
  );
  const encryptor = createEncryptor(secretKeys);
  await t.throwsAsync(openSecrets(api.database.em(), mine, encryptor));
  t.is((await openSecrets(api.database.em(), theirs, encryptor))!.current, theirs.secret);
  await query('delete from webhook_endpoint');
});

test.serial(
  'after rotate-key nothing needs the leaked key, and running it again changes nothing',
  async (t) => {
    const made = await Promise.all([addRotated(), addRotated(), addRotated()]);
    await query('update webhook_endpoint set deleted_at = now() where id = $1', [
      made[2]!.endpointId,
    ]);
    const done = await rotateKey();
    t.is(done.exitCode, 0, done.err);
    t.regex(
      done.out,
      /Encrypted anew with k2: 6\.\nEncrypted with k2: 6\.\nEncrypted with k1: 0\./,
    );
    const encryptor = createEncryptor([fresh]);
    for (const endpoint of made.slice(0, 2)) {
      const opened = await openSecrets(api.database.em(), endpoint, encryptor);
      t.is(opened!.current, endpoint.secret);
      t.is(opened!.previous!.secret, 'whsec_before');
    }
    const rowsOf = () => query('select * from webhook_endpoint order by id');
    const before = await rowsOf();
    const again = await rotateKey([fresh]);
    t.is(again.exitCode, 0, again.err);
    t.regex(again.out, /^Encrypted anew with k2: 0\.\nEncrypted with k2: 6\.\n$/);
    t.deepEqual(await rowsOf(), before);
    t.deepEqual(
      await query(`select subject, detail from audit where action = 'secrets.key_rotated'`),
      [{ subject: 'k2', detail: { count: 6 } }],
    );
    await query('delete from webhook_endpoint');
  },
);

test.serial('the keys of pool periods are encrypted anew, and name the same Members', async (t) => {
  const ids = ['2026-09:EUR', '2026-10:EUR'];
  const keys = ids.map((id) => newEncryptedPoolKey(createEncryptor([leaked]), id));
  for (const [place, id] of ids.entries()) {
    await insertPeriod({ query }, { id, encryptedKey: keys[place]! });
  }
  await query(`update pool_period set encrypted_key = $2 where id = $1`, [ids[1], 'k0:nobody']);
  const done = await rotateKey();
  t.is(done.exitCode, 1);
  t.regex(done.err, /opens these 1 secrets:\n {2}encrypted_key of pool period 2026-10:EUR/);
  t.regex(done.out, /Encrypted anew with k2: 1\./);
  const [row] = await query<{ encrypted_key: string }>(`select * from pool_period where id = $1`, [
    ids[0],
  ]);
  const nameBy = (key: typeof leaked, encryptedKey: string) =>
    openPoolKey(createEncryptor([key]), { id: ids[0]!, encryptedKey }).ofMember('a');
  t.is(nameBy(fresh, row!.encrypted_key), nameBy(leaked, keys[0]!));
  await query('delete from pool_period');
});

test.serial('every encrypted column is encrypted anew', async (t) => {
  const found = await query<{ place: string }>(
    `select table_name || '.' || column_name as place from information_schema.columns
     where table_schema = 'public' and column_name like '%encrypted%' order by 1`,
  );
  t.deepEqual(
    found.map(({ place }) => place),
    [
      'pool_period.encrypted_key',
      'webhook_endpoint.encrypted_secret',
      'webhook_endpoint.previous_encrypted_secret',
    ],
  );
});

test.serial('a secret that is rotated while rotate-key runs is not overwritten', async (t) => {
  const endpoint = await addRotated();
  const encryptor = createEncryptor(secretKeys);
  const rotated = encryptEndpointSecret(encryptor, endpoint.endpointId, 'whsec_rotated');
  const { batch } = await api.database.transaction(async (em) => {
    await em.execute('update webhook_endpoint set encrypted_secret = ? where id = ?', [
      rotated,
      endpoint.endpointId,
    ]);
    const running = reencryptBatch(pool, encryptor, null);
    await eventually(
      () =>
        query(`select 1 from pg_stat_activity where wait_event_type = 'Lock'
        and datname = current_database()`),
      (waiting) => waiting.length > 0,
    );
    return { batch: running };
  });
  t.is((await batch).reencrypted, 1, 'the previous secret');
  const opened = await openSecrets(api.database.em(), endpoint, createEncryptor([fresh]));
  t.is(opened!.current, 'whsec_rotated');
  await query('delete from webhook_endpoint');
});

test.serial('rotate-key goes on from batch to batch', async (t) => {
  const product = await api.seed.product();
  await query(
    `insert into webhook_endpoint (id, product_id, slot, url, events, encrypted_secret, deleted_at)
     select gen_random_uuid(), $1, 1, 'https://a.example', '{}', 'k1:', now()
     from generate_series(1, 501)`,
    [product.id],
  );
  const encryptor = createEncryptor(secretKeys);
  const first = await reencryptBatch(pool, encryptor, null);
  const second = await reencryptBatch(pool, encryptor, first.lastId);
  const third = await reencryptBatch(pool, encryptor, second.lastId);
  t.deepEqual(
    [first, second, third].map(({ unopened }) => unopened.length),
    [500, 1, 0],
  );
  t.is(third.lastId, null);
  await query('delete from webhook_endpoint');
});

test.serial('what no key opens stays as it is, and rotate-key names it and fails', async (t) => {
  const lost = await addRotated();
  const { exitCode, out, err } = await rotateKey([fresh]);
  t.is(exitCode, 1);
  t.regex(out, /Encrypted with k1: 2\./);
  t.regex(
    err,
    new RegExp(`opens these 2 secrets:\n  encrypted_secret of endpoint ${lost.endpointId}\n`),
  );
  t.deepEqual([...(await countEncryptedByKey(pool))], [['k1', 2]]);
  t.is((await rotateKey()).exitCode, 0);
  await query('delete from webhook_endpoint');
});

test.serial('rotate-key without SECRET_KEYS is refused', async (t) => {
  const { exitCode, err } = await runAdmin(['rotate-key'], { DATABASE_URL: api.test.url });
  t.is(exitCode, 1);
  t.regex(err, /rotate-key needs the SECRET_KEYS/);
  t.throws(() => readCommand(['rotate-key', '--email', 'a@example.com']), {
    instanceOf: UsageError,
  });
});

const KEY = randomBytes(32).toString('base64');

test('SECRET_KEYS is a list of keys, of which some only open', (t) => {
  const keys = readSecretKeys(`k2:${KEY}, k1:${KEY}:open`);
  t.deepEqual(
    keys.map(({ id, isDecryptOnly }) => [id, isDecryptOnly]),
    [
      ['k2', false],
      ['k1', true],
    ],
  );
});

test('every problem of SECRET_KEYS is in one message, without a key', (t) => {
  const error = t.throws(() =>
    readSecretKeys(`k1:${KEY}:open,K2:${KEY},k1:${KEY},k3:c2hvcnQ=,k4:${KEY}:closed`),
  );
  t.false(error instanceof ConfigurationError);
  for (const problem of [
    'entry 2 is not id:key',
    'entry 4 is not id:key',
    'entry 5 is not id:key',
    'two keys share an id',
    'the first key encrypts: it cannot be :open',
  ]) {
    t.true(error.message.includes(problem), problem);
  }
  t.false(error.message.includes(KEY));
});
