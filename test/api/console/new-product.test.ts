import test from 'ava';
import { startTeams } from '../../support/identity/teams.ts';
import { arrivalOf } from '../../support/http/arrival.ts';

const teams = await startTeams();
const { api } = teams;
const { person, browser } = await teams.signedIn();
test.after.always(() => api.close());

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

test.serial('of two products with one slug at once, one is made', async (t) => {
  const answers = await Promise.all([create({ slug: 'racer' }), create({ slug: 'racer' })]);
  t.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 422]);
});

const REFUSED: [string, Partial<typeof FORM>, RegExp][] = [
  ['no name', { name: ' ' }, /name-problem/],
  ['a name of 81 characters', { name: 'x'.repeat(81) }, /name-problem[^>]*>This is too long/],
  ['a name that turns the text around', { name: 'a\u202eb' }, /name-problem/],
  ['a tagline of 141 characters', { tagline: 'x'.repeat(141) }, /tagline-problem/],
  ['no slug', { slug: '' }, /slug-problem/],
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
    t.is(page.includes(team.name), mayMake, role);
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
