import test from 'ava';
import { startPeople } from '../../support/people.ts';

const people = await startPeople();
const { api } = people;
test.after.always(() => api.close());

type Person = Awaited<ReturnType<typeof people.signedIn>>;

const PATH = '/settings/delete-account';

const remove = ({ browser }: Pick<Person, 'browser'>, password: string) =>
  browser.submit('/settings/profile', { action: PATH, fields: { password } });

const isSignedIn = async ({ browser }: Pick<Person, 'browser'>) =>
  (await browser.get('/library')).status === 200;

test.serial(
  'an account is not deleted while it owns a product, nor without its password',
  async (t) => {
    const one = await people.signedIn();
    const product = await api.seed.product({ owner: one.person });
    t.is((await remove(one, 'wrong')).status, 422);
    t.is((await remove(one, one.person.password)).status, 409);
    t.true(await isSignedIn(one));
    await api.test.query(`update product set state = 'removed' where id = $1`, [product.id]);
    t.is((await remove(one, one.person.password)).status, 303);
  },
);

test.serial('a deleted account leaves its purchases and nothing of the person', async (t) => {
  const one = await people.signedIn();
  const { person } = one;
  const product = await api.seed.product();
  await api.seed.grant({ productId: product.id, personId: person.id });
  const forget = { action: '/forgot-password', fields: { email: person.email } };
  await api.browser().submit('/forgot-password', forget);
  const page = await (await one.browser.get(PATH)).text();
  t.regex(page, /cannot be undone/);
  const done = await remove(one, person.password);
  t.is(done.headers.get('location'), '/sign-in?notice=account_deleted');
  t.false(await isSignedIn(one));
  t.is((await api.browser().signIn(person)).status, 422);
  const kept = await api.test.query('select person_id from access_grant where person_id = $1', [
    person.id,
  ]);
  t.is(kept.length, 1);
  for (const table of ['person', 'session', 'passkey', 'mail_token', 'throttle', 'outbox']) {
    const text = JSON.stringify(await api.test.query(`select * from ${table}`));
    t.false(text.includes(person.email) || text.includes(`"${person.handle}"`), table);
  }
  const again = await people.signUp({ email: person.email });
  t.is((await people.mailsTo(person.email))[0]?.purpose, 'verify_email');
  t.is(again.response.status, 303);
});
