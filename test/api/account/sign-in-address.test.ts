import test from 'ava';
import { createUpkeepActivities } from '../../../activities/upkeep.activities.ts';
import { erasePerson } from '../../../domain/identity/account.repository.ts';
import { startApi } from '../../support/http/api.ts';

const api = await startApi({ config: { isProxyTrusted: true } });
const { query } = api.test;
test.after.always(() => api.close());

const addressesOf = ({ id }: { id: string }) =>
  query<{ address: string; last_at: Date }>(
    'select address, last_at from sign_in_address where person_id = $1 order by address',
    [id],
  );

async function signInFrom(
  address: string,
  { email, password }: { email: string; password: string },
): Promise<number> {
  const fields = { email, password };
  const headers = { 'x-forwarded-for': address };
  const response = await api.browser().submit('/sign-in', { action: '/sign-in', fields, headers });
  return response.status;
}

test('a sign-in keeps its address, of IPv6 the network, once', async (t) => {
  const person = await api.seed.person();
  for (const address of ['192.0.2.7', '192.0.2.7', '2001:db8:1:2:3::4', '2001:db8:1:2::9']) {
    t.is(await signInFrom(address, person), 303);
  }
  const found = await addressesOf(person);
  t.deepEqual(
    found.map(({ address }) => address),
    ['192.0.2.7', '2001:db8:1:2::/64'],
  );
});

test('a wrong password keeps no address', async (t) => {
  const person = await api.seed.person();
  t.is(await signInFrom('192.0.2.8', { ...person, password: 'wrong' }), 422);
  t.deepEqual(await addressesOf(person), []);
});

test('an address that is used again after a day stays, one of 90 days ago goes', async (t) => {
  const person = await api.seed.person();
  await signInFrom('192.0.2.9', person);
  await signInFrom('192.0.2.10', person);
  await query(
    `update sign_in_address set last_at = gatehouse_now() - interval '91 days' where person_id = $1`,
    [person.id],
  );
  await signInFrom('192.0.2.10', person);
  await createUpkeepActivities(api, { maxDurationMs: Infinity }).removeEndedSessions();
  const found = await addressesOf(person);
  t.deepEqual(
    found.map(({ address }) => address),
    ['192.0.2.10'],
  );
});

test('a deleted account leaves no address', async (t) => {
  const person = await api.seed.person();
  await signInFrom('192.0.2.11', person);
  await api.database.transaction((em) => erasePerson(em, person.id));
  t.deepEqual(await addressesOf(person), []);
});
