import test from 'ava';
import { answerForm, makeStale } from '../../../support/identity/proving.ts';
import { decideBuilder } from '../../../../domain/identity/operators/builder.repository.ts';
import { isSomebodyWaiting } from '../../../support/engines/database.ts';
import { eventually } from '../../../support/eventually.ts';
import { teams, operator } from './scene.ts';

const { api, roleOf, newEmail } = teams;
const { person: owner, browser, product } = operator;

// A key, a client secret and an endpoint's secret are shown by the page after the form, once.
const path = `/console/products/${product.slug}`;
const client = { kind: 'confidential', name: 'Web', redirect_uris: 'https://app.example/cb' };
const endpoint = { url: 'https://example.com/hook', events: 'purchase.completed' };
const SECRET = /gk_live_\w{49}|gcs_\w{40,}|whsec_\w{43}/;

type Fields = Record<string, string>;

const submit = (action: string, fields: Fields = {}) => browser.submit('/', { action, fields });
const secretOn = async (response: Response) => SECRET.exec(await response.text())?.[0] ?? null;

const newKey = (name = 'Server') => submit(`${path}/keys`, { mode: 'live', name });

async function idIn(action: string, fields: Fields): Promise<string> {
  const response = await submit(action, fields);
  await browser.follow(response);
  return new URL(response.headers.get('location')!, api.url).searchParams.get('shown')!;
}

const FORMS: [what: string, send: () => Promise<Response>][] = [
  ['a new key', () => newKey()],
  [
    'a rotated key',
    async () => {
      const id = await idIn(`${path}/keys`, { mode: 'live', name: 'Old' });
      return submit(`${path}/keys/${id}`, { action: 'rotate' });
    },
  ],
  ['a new client', () => submit(`${path}/clients`, client)],
  [
    'a rotated client',
    async () =>
      submit(`${path}/clients/${await idIn(`${path}/clients`, client)}`, { action: 'rotate' }),
  ],
  ['a new first-party client', () => submit('/operator/clients', client)],
  ['a new endpoint', () => submit(`${path}/endpoints`, endpoint)],
  [
    "an endpoint's secret",
    async () => {
      const id = await idIn(`${path}/endpoints`, { ...endpoint, url: 'https://example.com/b' });
      return submit(`${path}/endpoints/${id}/secret`);
    },
  ],
];

for (const [what, send] of FORMS) {
  test.serial(`the secret of ${what} is shown by the next page, once`, async (t) => {
    const response = await send();
    t.is(response.status, 303);
    t.is(await secretOn(response), null);
    const location = response.headers.get('location')!;
    t.notRegex(location, SECRET);
    const cookie = response.headers.getSetCookie().find((each) => each.includes('shown_'))!;
    t.notRegex(cookie, SECRET);
    t.regex(cookie, /httponly/i);
    t.regex(cookie, /samesite=lax/i);
    const first = await browser.get(location);
    t.is(first.headers.get('cache-control'), 'no-store');
    t.is(first.headers.get('content-encoding'), null);
    t.not(await secretOn(first), null);
    t.false([...browser.cookies.keys()].some((name) => name.includes('shown_')));
    const second = await browser.get(location);
    t.is(second.status, 200);
    t.is(await secretOn(second), null);
  });
}

test.serial('a reload of the page makes no other key, and says that it was shown', async (t) => {
  const count = async () => (await api.test.query('select 1 from api_key')).length;
  const response = await newKey();
  const made = await count();
  await browser.follow(response);
  const reloaded = await (await browser.follow(response)).text();
  t.regex(reloaded, /data-shown-before/);
  t.is(await count(), made);
});

test.serial('a new key is shown after a fresh proof too, which renews the session', async (t) => {
  await makeStale(api, owner);
  const action = `${path}/keys`;
  const page = await (await newKey()).text();
  const typed = { proof_password: owner.password };
  const response = await answerForm(browser, { page, action, typed });
  t.is(response.status, 303);
  t.not(await secretOn(await browser.follow(response)), null);
});

test.serial('two tabs show each its own key', async (t) => {
  const [one, other] = [await newKey('One'), await newKey('Other')];
  const shown = [
    await secretOn(await browser.follow(other)),
    await secretOn(await browser.follow(one)),
  ];
  t.false(shown.includes(null));
  t.not(shown[0], shown[1]);
});

test.serial('the cookie opens on no other page, in no other session and not changed', async (t) => {
  const stranger = api.browser();
  await stranger.signIn(owner);
  const response = await newKey();
  const location = response.headers.get('location')!;
  const [name, value] = [...browser.cookies].find(([each]) => each.includes('shown_'))!;
  const id = new URL(location, api.url).searchParams.get('shown')!;
  stranger.cookies.set(name, value);
  t.is(await secretOn(await stranger.get(location)), null);
  t.is(await secretOn(await browser.get(`${path}/clients?shown=${id}`)), null);
  for (const wrong of ['x', `${value.slice(0, -8)}AAAAAAA=`, value.slice(0, 20)]) {
    browser.cookies.set(name, wrong);
    const page = await browser.get(location);
    t.is(page.status, 200);
    t.is(await secretOn(page), null);
  }
});

test.serial('an address without its cookie, or with a strange id, is the page', async (t) => {
  for (const query of [
    'shown=x',
    'shown=',
    'shown=a&shown=b',
    `shown=${'x'.repeat(300)}`,
    'shown=%00',
  ]) {
    const response = await browser.get(`${path}/keys?${query}`);
    t.true([200, 400].includes(response.status), query);
    t.is(await secretOn(response), null);
  }
});

// A verification that is withdrawn while a builder makes something: the database decides which was
// first.
type Form = { path: string; fields: Record<string, string> };
type Seeded = Awaited<ReturnType<typeof api.seed.product>>;

const liveKeyOf = async ({ id }: Seeded) => {
  const [key] = await api.test.query<{ id: string }>(
    `select id from api_key where product_id = $1 and mode = 'live'`,
    [id],
  );
  return key!.id;
};

const VERIFIED_FORMS: [what: string, form: (product: Seeded) => Promise<Form> | Form][] = [
  ['a new live key', () => ({ path: 'keys', fields: { mode: 'live', name: 'Server' } })],
  [
    'the rotation of a live key',
    async (product) => ({
      path: `keys/${await liveKeyOf(product)}`,
      fields: { action: 'rotate' },
    }),
  ],
  [
    'a new client with a public address',
    () => ({
      path: 'clients',
      fields: { kind: 'confidential', name: 'Web', redirect_uris: 'https://app.example/cb' },
    }),
  ],
];

for (const [what, formOf] of VERIFIED_FORMS) {
  test.serial(
    `${what} is refused when the verification is withdrawn at the same time`,
    async (t) => {
      const owner = await api.seed.person({ isBuilder: true });
      const product = await api.seed.product({ owner });
      const { path, fields } = await formOf(product);
      const count = async () =>
        api.test.query(
          `select id::text from api_key where product_id = $1
         union all select id from oauth_client where product_id = $1`,
          [product.id],
        );
      const before = (await count()).length;
      const browser = api.browser();
      await browser.signIn(owner);
      const action = `/console/products/${product.slug}/${path}`;
      const withdrawn = await api.database.transaction(async (em) => {
        await decideBuilder(em, { personId: owner.id, decision: 'withdraw', reason: '' });
        const answer = browser.submit('/console', { action, fields });
        await eventually(() => isSomebodyWaiting(api.test), Boolean);
        return { answer };
      });
      const answer = await withdrawn.answer;
      t.is(answer.status, 422);
      t.is((await count()).length, before);
    },
  );
}

type Member = Awaited<ReturnType<typeof teams.signedIn>>;
type Team = Awaited<ReturnType<typeof teams.wholeTeam>>;

const invite = ({ browser }: Member, { path }: Team, email: string, role: string) =>
  browser.submit('/console/roles', { action: `${path}/invitations`, fields: { email, role } });

const change = ({ path, members }: Team, of: string, fields = {}) =>
  members.owner.browser.submit('/console/roles', { action: `${path}/members/${of}`, fields });

const openOf = ({ person }: Member) =>
  api.test.query<{ id: string; role: string }>(
    `select id, role from team_invitation
     where invited_by = $1 and withdrawn_at is null and accepted_at is null order by role`,
    [person.id],
  );

async function addOwner({ id }: Team): Promise<Member> {
  const owner = await teams.signedIn();
  await api.test.query(`insert into team_member values ($1, $2, 'owner')`, [id, owner.person.id]);
  return owner;
}

test('whoever is removed does not come back by an invitation of their own', async (t) => {
  const team = await teams.wholeTeam();
  const { admin } = team.members;
  const friend = await teams.signedIn();
  await invite(admin, team, friend.person.email, 'admin');
  const [open] = await openOf(admin);
  t.is((await change(team, `${admin.person.id}/remove`)).status, 303);
  const action = `/team-invitations/${open!.id}`;
  const refused = await friend.browser.submit('/console/roles', { action });
  t.is(refused.status, 404);
  t.regex(await refused.text(), /data-invitation="withdrawn"/);
  t.is(await roleOf(team.id, friend.person.id), null);
});

test('whoever is an owner no longer keeps the invitations that an admin may send', async (t) => {
  const team = await teams.wholeTeam();
  const second = await addOwner(team);
  for (const role of ['owner', 'viewer']) await invite(second, team, newEmail(), role);
  t.is((await change(team, second.person.id, { role: 'admin' })).status, 303);
  const roles = async () => (await openOf(second)).map(({ role }) => role);
  t.deepEqual(await roles(), ['viewer']);
  t.is((await change(team, second.person.id, { role: 'finance' })).status, 303);
  t.deepEqual(await roles(), []);
});

test('a deleted account leaves no invitation of its own behind', async (t) => {
  const team = await teams.wholeTeam();
  const second = await addOwner(team);
  await invite(second, team, newEmail(), 'viewer');
  const deleted = await second.browser.submit('/settings/profile', {
    action: '/settings/delete-account',
    fields: { password: second.person.password },
  });
  t.is(deleted.status, 303);
  t.deepEqual(await openOf(second), []);
});
