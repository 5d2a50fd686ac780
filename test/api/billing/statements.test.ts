import test from 'ava';
import { startApi } from '../../support/http/api.ts';
import { createTestDatabase } from '../../support/engines/database.ts';
import { startListener } from '../../support/engines/statements.ts';

const database = await createTestDatabase();
const listener = await startListener(database.url);
const api = await startApi({ databaseUrl: listener.url });
const owner = await api.seed.person({ isBuilder: true });
await api.seed.payoutAccount(owner, { account: 'acct_x' });
const { slug } = await api.seed.product({ owner });
test.after.always(async () => {
  await api.close();
  listener.close();
  await database.drop();
});

/** Where the request leads, and the statements that it took. */
async function follow(path: string) {
  const { result, statements } = await listener.hear(() => api.request(path));
  return { location: result.headers.get('location'), statements };
}

test.serial(
  'an anonymous click takes at most four statements to sign-in, its record the first after the limit',
  async (t) => {
    const { location, statements } = await follow(`/buy/${slug}?src=docs`);
    t.is(location, '/sign-in');
    t.is(statements.length, 3, statements.join('\n\n'));
    t.regex(statements[0]!, /rate_window/);
    t.regex(statements[1]!, /insert into click/);
    t.regex(statements[2]!, /insert into pre_session/);
  },
);

test.serial('a refused click takes two', async (t) => {
  const { location, statements } = await follow(`/buy/${slug}?currency=zzz`);
  t.is(location, `/p/${slug}?reason=currency_unknown`);
  t.is(statements.length, 2);
});

test.serial('the product page takes one statement, the badge one and its limit', async (t) => {
  t.is((await follow(`/p/${slug}`)).statements.length, 1);
  t.is((await follow(`/p/${slug}/badge`)).statements.length, 2);
});
