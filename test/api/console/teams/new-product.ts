import { setTimeout as pause } from 'node:timers/promises';
import test from 'ava';
import { arrivalOf, noticeOf } from '../../../support/http/arrival.ts';
import { transferProduct } from '../../../../domain/catalog/transfer.command.ts';
import { rows } from '../../../../platform/database/database.ts';
import { isRefusal } from '../../../../domain/shared/refusal.ts';
import { teams, somebody } from './scene.ts';

const { api } = teams;
const { person, browser } = somebody;

const PATH = '/console/new-product';
const FORM = { name: 'Night Shift', slug: 'night-shift', tagline: 'Rotas.', owner: 'me' };

const create = (form: Partial<typeof FORM> = {}, by = browser) =>
  by.submit(PATH, { action: PATH, fields: { ...FORM, ...form } });

const findOwner = async (slug: string) =>
  (
    await api.test.query<{ person: string | null; team: string | null; state: string }>(
      `select owner_person_id as person, owner_team_id as team, state
       from product p join product_slug s on s.product_id = p.id where s.slug = $1`,
      [slug],
    )
  )[0];

test.serial('a lone builder makes a draft, and it is in the trail', async (t) => {
  const response = await create({ slug: ' First-One ' });
  t.is(arrivalOf(response), '/console/products/first-one product_created');
  t.deepEqual(await findOwner('first-one'), { person: person.id, team: null, state: 'draft' });
  const page = await (await browser.get('/console/products/first-one/audit')).text();
  t.regex(page, new RegExp(`${person.handle}[\\s\\S]*data-action="product.created"`));
  t.is((await api.request('/p/first-one')).status, 404);
});

test.serial('a taken slug is refused in place, whoever has or had it', async (t) => {
  await api.seed.product({ slug: 'present', oldSlugs: ['former'] });
  for (const slug of ['present', 'former', 'PRESENT']) {
    const response = await create({ slug });
    t.is(response.status, 422);
    const page = await response.text();
    t.regex(page, /id="slug-problem"[^>]*>This slug is taken/);
    t.true(page.includes('value="Night Shift"'));
  }
});

test.serial(
  'an empty slug is made from the name, and gets a number where it is taken',
  async (t) => {
    const form = { name: 'Café  Königin!', slug: '' };
    for (const slug of ['cafe-konigin', 'cafe-konigin-2', 'cafe-konigin-3']) {
      t.is(arrivalOf(await create(form)), `/console/products/${slug} product_created`);
    }
    const page = await (await browser.get('/p/cafe-konigin')).text();
    t.regex(
      page,
      /href="\/console\/products\/cafe-konigin\/listing"\s*>Edit</,
      'its page leads to the form',
    );
  },
);

test('an unknown well-known path answers JSON', async (t) => {
  const response = await api.request('/.well-known/openid-configuration');
  t.is(response.status, 404);
  t.regex(response.headers.get('content-type') ?? '', /^application\/json/);
  t.like(await response.json(), { error: 'not_found' });
});

test.serial('of two products with one slug at once, one is made', async (t) => {
  const answers = await Promise.all([create({ slug: 'racer' }), create({ slug: 'racer' })]);
  t.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 422]);
});

test.serial('of products of one name at once each gets a number of its own', async (t) => {
  const { members } = await teams.team(['admin']);
  const builders = [browser, members.owner.browser, members.admin.browser];
  const form = { name: 'Twice Told', slug: '' };
  const answers = await Promise.all(builders.map((by) => create(form, by)));
  t.deepEqual(answers.map((answer) => arrivalOf(answer).split(' ')[0]).toSorted(), [
    '/console/products/twice-told',
    '/console/products/twice-told-2',
    '/console/products/twice-told-3',
  ]);
});

const REFUSED: [string, Partial<typeof FORM>, RegExp][] = [
  ['no name', { name: ' ' }, /name-problem/],
  ['a name of 81 characters', { name: 'x'.repeat(81) }, /name-problem[^>]*>This is too long/],
  ['a name that turns the text around', { name: 'a\u202eb' }, /name-problem/],
  ['a tagline of 141 characters', { tagline: 'x'.repeat(141) }, /tagline-problem/],
  ['no slug, and a name without letters', { name: '道', slug: '' }, /slug-problem/],
  ['a slug of two characters', { slug: 'ab' }, /slug-problem/],
  ['a slug of 49 characters', { slug: 'a'.repeat(49) }, /slug-problem/],
  ['a slug with a dash at its end', { slug: 'abc-' }, /slug-problem/],
  ['a slug with other characters', { slug: 'a_b.c' }, /slug-problem/],
  [
    'a slug like an id',
    { slug: '0192f0c1-2b3c-7d4e-8f50-617283940a1b' },
    /slug-problem[^>]*>Use 3 to 48/,
  ],
  ['an owner that is none', { owner: 'nobody' }, /owner-problem/],
];

for (const [title, form, expected] of REFUSED) {
  test.serial(`${title}: refused in place, and nothing is written`, async (t) => {
    const before = await teams.count('product');
    const response = await create(form);
    t.is(response.status, 422);
    t.regex(await response.text(), expected);
    t.is(await teams.count('product'), before);
  });
}

test.serial('those whose role edits listings make products for the team', async (t) => {
  const team = await teams.wholeTeam();
  for (const [role, { browser: by }] of Object.entries(team.members)) {
    const mayMake = ['owner', 'admin', 'developer'].includes(role);
    const slug = `made-by-${role}`;
    const page = await (await by.get(PATH)).text();
    t.is(page.includes(`<option value="${team.id}"`), mayMake, role);
    t.is((await create({ slug, owner: team.id }, by)).status, mayMake ? 303 : 422, role);
    t.is((await findOwner(slug))?.team ?? null, mayMake ? team.id : null, role);
  }
  t.is((await create({ slug: 'not-mine', owner: team.id })).status, 422);
  t.like((await teams.trailOf(team.id))[0], { action: 'product.created' });
});

test.serial('an owner has 100 products at most', async (t) => {
  const many = await teams.signedIn();
  await api.test.query(
    `insert into product (id, owner_person_id, name, tagline)
     select gen_random_uuid(), $1, 'P', '' from generate_series(1, 99)`,
    [many.person.id],
  );
  const answers = await Promise.all([
    create({ slug: 'hundredth' }, many.browser),
    create({ slug: 'one-more' }, many.browser),
  ]);
  t.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 422]);
});

test.serial('a NUL, a missing field and a form from elsewhere write nothing', async (t) => {
  t.is((await create({ name: 'a\0b' })).status, 400);
  t.is((await browser.submit(PATH, { action: PATH, fields: { name: 'x' } })).status, 400);
  const foreign = { ...FORM, csrf: 'x' };
  t.is((await browser.submit(PATH, { action: PATH, fields: foreign })).status, 403);
});

type Browser = ReturnType<typeof api.browser>;

const pathOf = ({ slug }: { slug: string }) => `/console/products/${slug}/transfer`;
const move = (by: Browser, product: { slug: string }, teamId: string) =>
  by.submit('/console/roles', { action: pathOf(product), fields: { team: teamId } });
const addMember = (teamId: string, personId: string, role: string) =>
  api.test.query('insert into team_member values ($1, $2, $3)', [teamId, personId, role]);
const teamOf = async ({ id }: { id: string }) =>
  (
    await api.test.query<{ team: string | null }>(
      'select owner_team_id as team from product where id = $1',
      [id],
    )
  )[0]!.team;

test("a product of one's own goes to a team where one is owner or admin", async (t) => {
  const team = await teams.wholeTeam();
  for (const [role, { person, browser }] of Object.entries(team.members)) {
    const product = await api.seed.product({ owner: person });
    const mayMove = role === 'owner' || role === 'admin';
    const asked = await (await browser.get(pathOf(product))).text();
    t.is(asked.includes(`value="${team.id}"`), mayMove, role);
    t.is((await move(browser, product, team.id)).status, mayMove ? 303 : 422, role);
    t.is(await teamOf(product), mayMove ? team.id : null, role);
  }
});

test('a transfer is in the trail of both sides, and the page asks before it', async (t) => {
  const team = await teams.team([]);
  const other = await teams.team([]);
  const { browser, person } = team.members.owner;
  await addMember(other.id, person.id, 'owner');
  const product = await teams.productOf(team);
  t.regex(await (await browser.get(pathOf(product))).text(), /paid to the payout account/);
  t.is(await teamOf(product), team.id);
  const response = await move(browser, product, other.id);
  t.is(noticeOf(response), 'product_transferred');
  t.like((await teams.trailOf(team.id))[0], { action: 'product.handed_over', subject: product.id });
  t.like((await teams.trailOf(other.id))[0], { action: 'product.received', actor_id: person.id });
});

test("a team's product goes to another team of the same owner only", async (t) => {
  const team = await teams.wholeTeam();
  const other = await teams.team([]);
  const product = await teams.productOf(team);
  const { owner, admin, viewer } = team.members;
  t.is((await move(owner.browser, product, other.id)).status, 422);
  await addMember(other.id, owner.person.id, 'admin');
  t.is((await move(owner.browser, product, other.id)).status, 422);
  await addMember(other.id, admin.person.id, 'owner');
  t.is((await move(admin.browser, product, other.id)).status, 403);
  t.is((await move(viewer.browser, product, other.id)).status, 403);
  t.is((await move(owner.browser, product, team.id)).status, 422);
  t.is(await teamOf(product), team.id);
});

test('a product does not go to the team that has it, however its id is written', async (t) => {
  const team = await teams.team([]);
  const product = await teams.productOf(team);
  for (const id of [team.id, team.id.toUpperCase()]) {
    t.is((await move(team.members.owner.browser, product, id)).status, 422);
  }
  t.deepEqual(await teams.trailOf(team.id), []);
});

test('of two transfers at once one happens', async (t) => {
  const team = await teams.team([]);
  const { person } = team.members.owner;
  const others = [await teams.team([]), await teams.team([])];
  for (const { id } of others) await addMember(id, person.id, 'owner');
  const product = await teams.productOf(team);
  const by = { personId: person.id, ip: null };
  const transfer = { productId: product.id, fromTeamId: team.id, by };
  const answers = await Promise.all(
    others.map(({ id: toTeamId }) =>
      api.database.transaction((em) => transferProduct(em, { ...transfer, toTeamId })),
    ),
  );
  t.is(answers.filter((answer) => isRefusal(answer) && answer.refused === 'moved').length, 1);
  t.is(answers.filter((answer) => !isRefusal(answer)).length, 1);
});

test('a transfer locks the team before the product, as a new endpoint does', async (t) => {
  const team = await teams.team([]);
  const { browser, person } = team.members.owner;
  const product = await api.seed.product({ owner: person });
  let moved: Promise<Response> | undefined;
  await api.database.transaction(async (em) => {
    await rows(em, 'select 1 from team where id = ? for no key update', [team.id]);
    moved = move(browser, product, team.id);
    await pause(300);
    const free = 'select 1 from product where id = ? for no key update nowait';
    await t.notThrowsAsync(rows(em, free, [product.id]));
  });
  t.is((await moved!).status, 303);
});

test('no product is handed to a team that would have more than 100 endpoints', async (t) => {
  const team = await teams.team([]);
  const { browser, person } = team.members.owner;
  const addEndpoints = ({ id }: { id: string }, count: number) =>
    api.test.query(
      `insert into webhook_endpoint (id, product_id, slot, url, events, encrypted_secret)
       select gen_random_uuid(), $1, n, 'https://example.com/', '{}', '' from generate_series(1, $2) n`,
      [id, count],
    );
  for (let n = 0; n < 10; n += 1) await addEndpoints(await teams.productOf(team), 10);
  const product = await api.seed.product({ owner: person });
  await addEndpoints(product, 1);
  const refused = await move(browser, product, team.id);
  t.is(refused.status, 422);
  t.regex(await refused.text(), /more than 100 webhook endpoints/);
  t.is(await teamOf(product), null);
});

test('there is no transfer to a deleted team, of a removed product, nor with nonsense', async (t) => {
  const team = await teams.team([]);
  const { browser, person } = team.members.owner;
  const product = await api.seed.product({ owner: person });
  await api.test.query('update team set deleted_at = now() where id = $1', [team.id]);
  t.is((await move(browser, product, team.id)).status, 422);
  t.is((await move(browser, product, 'nonsense')).status, 400);
  const removed = await api.seed.product({ owner: person, state: 'removed' });
  t.is((await move(browser, removed, team.id)).status, 404);
  const asked = await (await browser.get(pathOf(product))).text();
  t.regex(asked, /You have no team that can take this product/);
});
