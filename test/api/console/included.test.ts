import test from 'ava';
import { noticeOf } from '../../support/http/arrival.ts';
import { closeActivationsOfExcluded } from '../../../domain/entitlements/memberships/activation.repository.ts';
import { createMemberships } from '../../support/subscriptions/memberships.ts';
import { startTeams } from '../../support/identity/teams.ts';

const teams = await startTeams();
const { api } = teams;
const stories = createMemberships({ testDatabase: api.test, database: api.database });
test.after.always(() => api.close());

type Browser = ReturnType<typeof api.browser>;
type Product = { id: string; slug: string };

const pathOf = ({ slug }: Product) => `/console/products/${slug}/selling`;
const change = (by: Browser, product: Product, action: string) =>
  by.submit('/console/roles', { action: `${pathOf(product)}/member`, fields: { action } });
const isIncluded = async ({ id }: Product) =>
  (
    await api.test.query<{ is: boolean }>(
      'select included_with_member as is from product where id = $1',
      [id],
    )
  )[0]!.is;
const auditEntriesOf = async ({ id }: Product) =>
  (
    await api.test.query<{ action: string }>(
      `select action from audit where product_id = $1 and action like 'product.%cluded'
       order by at, id`,
      [id],
    )
  ).map(({ action }) => action);

async function withTeam(state: 'draft' | 'listed' = 'listed') {
  const team = await teams.team(['admin']);
  const product = await teams.productOf(team, { state });
  return { ...team.members, product };
}

const check = async (product: { liveKey: string }, personId: string) => {
  const answer = await api.request(`/api/v1/entitlements?user_id=${personId}`, {
    headers: { authorization: `Bearer ${product.liveKey}` },
  });
  return (await answer.json()) as Record<string, unknown>;
};

test('an owner or admin includes a product with Member and takes it out, each once and in the trail', async (t) => {
  const { owner, admin, product } = await withTeam();
  const page = async () => (await owner.browser.get(pathOf(product))).text();
  t.regex(await page(), /data-included="false"[^]*Include with Member/);
  t.is(noticeOf(await change(admin.browser, product, 'include')), 'product_included');
  t.is(noticeOf(await change(owner.browser, product, 'include')), 'unchanged');
  t.true(await isIncluded(product));
  t.regex(await page(), /data-included="true"[^]*Remove from Member/);
  t.is(noticeOf(await change(owner.browser, product, 'exclude')), 'product_excluded');
  t.is(noticeOf(await change(admin.browser, product, 'exclude')), 'unchanged');
  t.false(await isIncluded(product));
  t.deepEqual(await auditEntriesOf(product), ['product.included', 'product.excluded']);
  t.is((await change(owner.browser, product, 'something')).status, 400);
});

test('included, every member may use it at once; taken out, those who opened it are told', async (t) => {
  const { owner, product } = await withTeam();
  const [member, other] = [await stories.subscribe(), await stories.subscribe()];
  t.false((await check(product, member.personId))['active']);
  await change(owner.browser, product, 'include');
  t.like(await check(product, member.personId), { active: true, type: 'member' });
  t.true(await stories.open(member, product.id));
  t.regex(await (await owner.browser.get(pathOf(product))).text(), /data-members="1"/);
  await change(owner.browser, product, 'exclude');
  for (const { personId } of [member, other]) {
    t.false((await check(product, personId))['active']);
  }
  while ((await api.database.transaction(closeActivationsOfExcluded)) > 0);
  const names = (await stories.told(product.id)).map(({ name }) => name);
  t.deepEqual(names, ['entitlement.created', 'entitlement.canceled']);
});

test('what was bought stays when the product is taken out of Member', async (t) => {
  const { owner, product } = await withTeam();
  await change(owner.browser, product, 'include');
  const member = await stories.subscribe();
  await api.seed.grant({ productId: product.id, personId: member.personId });
  await stories.open(member, product.id);
  await change(owner.browser, product, 'exclude');
  while ((await api.database.transaction(closeActivationsOfExcluded)) > 0);
  t.like(await check(product, member.personId), { active: true, type: 'purchase' });
  const names = (await stories.told(product.id)).map(({ name }) => name);
  t.false(names.includes('entitlement.canceled'));
});

test('of many clicks at once one switches', async (t) => {
  const { owner, product } = await withTeam();
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => change(owner.browser, product, 'include')),
  );
  const notices = answers.map(noticeOf).toSorted();
  t.deepEqual(notices, ['product_included', ...Array.from({ length: 7 }, () => 'unchanged')]);
  t.deepEqual(await auditEntriesOf(product), ['product.included']);
});

test('including and removing at once never leave a removed product Included', async (t) => {
  for (let round = 0; round < 5; round += 1) {
    const { owner, product } = await withTeam();
    await Promise.all([
      change(owner.browser, product, 'include'),
      owner.browser.submit('/console/roles', {
        action: `/console/products/${product.slug}/remove`,
        fields: { slug: product.slug },
      }),
    ]);
    t.false(await isIncluded(product));
  }
});

test('a product that is sold elsewhere is never Included, and one that is Included is delivered here', async (t) => {
  const { owner, product } = await withTeam('draft');
  const save = (delivery: string) =>
    owner.browser.submit('/console/roles', {
      action: `/console/products/${product.slug}/listing`,
      fields: { name: 'P', tagline: 'T.', delivery },
    });
  for (const table of ['api_key', 'offer']) {
    const column = table === 'api_key' ? 'revoked_at' : 'retired_at';
    await api.test.query(`update ${table} set ${column} = now() where product_id = $1`, [
      product.id,
    ]);
  }
  await change(owner.browser, product, 'include');
  t.is((await save('affiliate')).status, 422);
  await change(owner.browser, product, 'exclude');
  t.is((await save('affiliate')).status, 303);
  t.is(noticeOf(await change(owner.browser, product, 'include')), 'unchanged');
  t.notRegex(await (await owner.browser.get(pathOf(product))).text(), /id="member"/);
});

test('a builder who is not verified, and an operator, are told who may', async (t) => {
  const { browser, person } = await teams.signedIn();
  const product = await api.seed.product({ owner: person });
  const operator = await teams.signedIn(await api.seed.person({ isOperator: true }));
  for (const by of [browser, operator.browser]) {
    t.is((await change(by, product, 'include')).status, 403);
    t.regex(await (await by.get(pathOf(product))).text(), /include products with Member/);
  }
  t.false(await isIncluded(product));
});
