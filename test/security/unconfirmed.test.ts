import test from 'ava';
import { createUpkeepActivities } from '../../activities/upkeep.activities.ts';
import { validateSlug } from '../../domain/catalog/product-fields.ts';
import { validateHandle } from '../../domain/identity/person-fields.ts';
import { startApi } from '../support/http/api.ts';

const api = await startApi();
test.after.always(() => api.close());
const { query } = api.test;

async function signIn(options: Parameters<typeof api.seed.person>[0]) {
  const person = await api.seed.person(options);
  const browser = api.browser();
  await browser.signIn(person);
  return { person, browser };
}

const NEW = '/console/new-product';
const makeProduct = (browser: ReturnType<typeof api.browser>, slug: string) =>
  browser.submit('/settings/security', {
    action: NEW,
    fields: { name: 'Name', slug, tagline: 'Short.', owner: 'me' },
  });

test.serial('an account with an unconfirmed address takes no slug', async (t) => {
  const { browser } = await signIn({ isEmailVerified: false });
  for (const answer of [await browser.get(NEW), await makeProduct(browser, 'squatted')]) {
    t.is(answer.status, 403);
    const page = await answer.text();
    t.regex(page, /Confirm your email address/);
    t.regex(page, /href="\/settings\/security"/);
  }
  t.deepEqual(await query(`select 1 from product_slug where slug = 'squatted'`), []);
});

test.serial('a removed draft gives its slugs back, and does not count', async (t) => {
  const { browser, person } = await signIn({});
  t.is((await makeProduct(browser, 'first-idea')).status, 303);
  await query(`insert into product_slug (slug, product_id, is_current)
    select 'older-idea', product_id, false from product_slug where slug = 'first-idea'`);
  const removal = '/console/products/first-idea/remove';
  t.regex(await (await browser.get(removal)).text(), /other products can use its slugs/);
  const fields = { slug: 'first-idea' };
  t.is((await browser.submit(removal, { action: removal, fields })).status, 303);
  const other = await signIn({});
  t.is((await makeProduct(other.browser, 'first-idea')).status, 303);
  t.is((await makeProduct(other.browser, 'older-idea')).status, 303);
  const [removed] = await query<{ slug: string }>(
    `select s.slug from product_slug s join product p on p.id = s.product_id
     where p.owner_person_id = $1`,
    [person.id],
  );
  t.regex(removed!.slug, /^gone-[0-9a-f]{32}$/);
  t.is(validateSlug(removed!.slug).problem, 'not_a_slug');
});

test.serial('removed products that keep their slugs count among the 100', async (t) => {
  const { browser, person } = await signIn({});
  const add = (count: number, listed: string) =>
    query(
      `insert into product (id, owner_person_id, name, tagline, state, listed_at)
       select gen_random_uuid(), $1, 'P', '', 'removed', ${listed} from generate_series(1, $2) n`,
      [person.id, count],
    );
  await add(100, 'null');
  t.is((await makeProduct(browser, 'still-room')).status, 303);
  await add(99, 'now()');
  t.is((await makeProduct(browser, 'one-too-many')).status, 422);
});

test.serial('an address that nobody confirms holds handle and address for 7 days', async (t) => {
  const { person, browser } = await signIn({ handle: 'squatter', isEmailVerified: false });
  const young = await api.seed.person({ isEmailVerified: false });
  const confirmed = await api.seed.person();
  const tied = await api.seed.person({ isEmailVerified: false });
  const product = await api.seed.product();
  await api.seed.grant({ productId: product.id, personId: tied.id });
  const operator = await api.seed.person({ isEmailVerified: false, isOperator: true });
  await query(`update person set created_at = gatehouse_now() - interval '8 days' where id <> $1`, [
    young.id,
  ]);
  await createUpkeepActivities(api, { maxDurationMs: Infinity }).removeEndedSessions();
  const left = await query<{ id: string }>(
    'select id from person where deleted_at is null and id = any($1)',
    [[person, young, confirmed, tied, operator].map(({ id }) => id)],
  );
  t.deepEqual(
    left.map(({ id }) => id).toSorted(),
    [young, confirmed, tied, operator].map(({ id }) => id).toSorted(),
  );
  t.is((await browser.get('/settings/profile')).headers.get('location'), '/sign-in');
  const again = await api.seed.person({ handle: 'squatter' });
  t.is(again.email, person.email, 'both are free');
});

test.serial('of 250 unconfirmed accounts none outlives a visit', async (t) => {
  await query(
    `insert into person (id, handle, display_name, email, created_at)
     select gen_random_uuid(), 'never_' || n, 'N', 'never_' || n || '@example.com',
       gatehouse_now() - interval '8 days' from generate_series(1, 250) n`,
  );
  await createUpkeepActivities(api, { maxDurationMs: Infinity }).removeEndedSessions();
  t.deepEqual(await query(`select 1 from person where handle like 'never%'`), []);
});

const STAFF = ['admin', 'support', 'gatehouse', 'operator', 'official', 'api', 'oauth', 'www'];

for (const name of [...STAFF, 'Admin', 'help', 'security', 'billing']) {
  test(`nobody is called ${name}`, (t) => {
    t.is(validateHandle(name).problem, 'reserved');
    t.is(validateSlug(name).problem, 'reserved');
  });
}

test('dashes and underscores do not make a reserved word free', (t) => {
  t.is(validateSlug('sign-in').problem, 'reserved');
  t.is(validateSlug('gate-house').problem, 'reserved');
  t.is(validateHandle('sign_in').problem, 'reserved');
  t.is(validateHandle('sup_port_').problem, 'reserved');
});

test('digits that look like letters do not make a reserved word free', (t) => {
  for (const name of ['gateh0use', 'supp0rt', 'he1p', 'gate-h0use']) {
    t.is(validateSlug(name).problem, 'reserved', name);
    t.is(validateHandle(name.replace('-', '_')).problem, 'reserved', name);
  }
});

test('words that only contain a reserved one are free', (t) => {
  for (const name of ['administrate', 'apiary', 'teamwork', 'helpful']) {
    t.is(validateHandle(name).problem, null, name);
    t.is(validateSlug(name).problem, null, name);
  }
});
