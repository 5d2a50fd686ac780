import test from 'ava';
import { newPublicId } from '../../../../domain/shared/ids.ts';
import { createSales } from '../../../support/purchases/sales.ts';
import { arrivalOf, noticeOf } from '../../../support/http/arrival.ts';
import { pictureFile } from '../../../support/http/picture-file.ts';
import { createMaker, teams } from './scene.ts';

const { api } = teams;

type Browser = ReturnType<typeof api.browser>;
type Slug = { slug: string };

const pathOf = ({ slug }: Slug) => `/console/products/${slug}/selling`;
const submit = (by: Browser, action: string, fields: Record<string, string | File>) =>
  by.submit('/console/roles', { action, fields });
const list = (by: Browser, product: Slug, action = 'list') =>
  submit(by, `${pathOf(product)}/state`, { action });
const stateOf = async ({ id }: { id: string }) =>
  (await api.test.query<{ state: string }>('select state from product where id = $1', [id]))[0]!
    .state;
const actionsOf = async ({ id }: { id: string }) =>
  (
    await api.test.query<{ action: string }>(
      'select action from audit where product_id = $1 order by at, id',
      [id],
    )
  ).map(({ action }) => action);

async function missing(by: Browser, product: Slug, page = pathOf(product)) {
  const text = await (await by.get(page)).text();
  return [...text.matchAll(/data-requirement="(\w+)" data-met="false"/g)].map(([, code]) => code);
}

test('a draft is made sellable step by step, and each step leaves the checklist', async (t) => {
  const { browser, person } = await teams.signedIn(await api.seed.person({ isBuilder: true }));
  const fields = { name: 'Step', slug: 'by-steps', tagline: 'T.', owner: 'me' };
  await submit(browser, '/console/new-product', fields);
  const product = { slug: 'by-steps' };
  const steps = ['not_listed', 'no_active_price', 'no_commercial_operator', 'payouts_not_ready'];
  t.deepEqual(await missing(browser, product), [...steps, 'no_way_to_check']);
  const overview = '/console/products/by-steps';
  t.deepEqual(await missing(browser, product, overview), [...steps, 'no_way_to_check']);
  t.is((await list(browser, product)).status, 422, 'not without a price');
  await submit(browser, '/console/products/by-steps/prices', { currency: 'USD', amount: '5' });
  const refused = await list(browser, product);
  t.is(refused.status, 422, 'not without a listing');
  t.regex(await refused.text(), /Complete the listing/);
  await submit(browser, '/console/products/by-steps/listing', {
    version: '0',
    name: 'Step',
    tagline: 'T.',
    delivery: 'entitlement_api',
    website_url: 'https://step.example',
    category: 'utilities',
    description: 'What it does. '.repeat(10),
    support_address: 'help@step.example',
  });
  t.is((await list(browser, product)).status, 422, 'not without an icon');
  await submit(browser, '/console/products/by-steps/listing/icon', { icon: await pictureFile() });
  t.is((await list(browser, product)).status, 303);
  t.deepEqual(await missing(browser, product), [...steps.slice(2), 'no_way_to_check']);
  const buy = async () => (await api.request('/buy/by-steps')).headers.get('location');
  t.is(await buy(), '/p/by-steps?reason=no_commercial_operator');
  await submit(browser, `${pathOf(product)}/operator`, { action: 'answer' });
  t.is(await buy(), '/p/by-steps?reason=payouts_not_ready');
  await api.seed.payoutAccount(person, { account: 'acct_by_steps' });
  t.is(await buy(), '/sign-in');
  t.deepEqual(await missing(browser, product), ['no_way_to_check']);
  await submit(browser, '/console/products/by-steps/keys', { name: 'Server', mode: 'live' });
  t.deepEqual(await missing(browser, product), []);
  t.regex(await (await browser.get(pathOf(product))).text(), /data-ready="true"/);
});

test('a product is listed, unlisted and listed again, each once and in the trail', async (t) => {
  const { browser, product } = await createMaker({ state: 'draft' });
  t.is(noticeOf(await list(browser, product)), 'product_listed');
  t.is(noticeOf(await list(browser, product)), 'unchanged');
  t.is(await stateOf(product), 'listed');
  t.true((await (await api.request('/')).text()).includes(product.name));
  t.is(noticeOf(await list(browser, product, 'unlist')), 'product_unlisted');
  t.is((await api.request(`/p/${product.slug}`)).status, 200);
  t.is((await list(browser, product)).status, 303);
  t.deepEqual(await actionsOf(product), ['product.listed', 'product.unlisted', 'product.listed']);
  t.is((await list(browser, product, 'remove')).status, 400);
});

test('an address has to be confirmed before listing', async (t) => {
  const team = await teams.team(['admin']);
  const product = await teams.productOf(team, { state: 'draft' });
  const { browser, person } = team.members.admin;
  await api.test.query('update person set email_verified_at = null where id = $1', [person.id]);
  t.is((await list(browser, product)).status, 403);
  t.is(await stateOf(product), 'draft');
});

test('listing and withdrawing the base price at once never leave a listed product without one', async (t) => {
  for (let round = 0; round < 5; round += 1) {
    const { browser, product } = await createMaker({ state: 'draft' });
    await Promise.all([
      list(browser, product),
      submit(browser, `/console/products/${product.slug}/prices/USD`, { action: 'withdraw' }),
    ]);
    const bad = await api.test.query(
      `select 1 from product p where p.id = $1 and p.state = 'listed' and not exists (
         select from offer o join price r on r.offer_id = o.id and r.is_base and r.retired_at is null
         where o.product_id = p.id)`,
      [product.id],
    );
    t.deepEqual(bad, []);
  }
});

test('a commercial operator is a team owner or finance, and stops being one with the role', async (t) => {
  const team = await teams.wholeTeam();
  const product = await teams.productOf(team);
  await api.test.query('update product set commercial_operator_id = null where id = $1', [
    product.id,
  ]);
  const { owner, finance, developer } = team.members;
  const path = `${pathOf(product)}/operator`;
  const isMissing = async () =>
    (await missing(owner.browser, product)).includes('no_commercial_operator');
  t.is((await submit(developer.browser, path, { action: 'answer' })).status, 403);
  t.true(await isMissing());
  t.is((await submit(finance.browser, path, { action: 'answer' })).status, 303);
  t.false(await isMissing());
  await api.test.query(
    `update team_member set role = 'viewer' where team_id = $1 and person_id = $2`,
    [team.id, finance.person.id],
  );
  t.true(await isMissing());
  const stop = { action: 'stop', person: finance.person.id };
  t.is((await submit(owner.browser, path, stop)).status, 303);
  t.is(noticeOf(await submit(owner.browser, path, stop)), 'unchanged');
  await submit(owner.browser, path, { action: 'answer' });
  t.is(noticeOf(await submit(owner.browser, path, stop)), 'unchanged');
  t.false(await isMissing(), 'whoever has taken over stays');
  t.deepEqual(await actionsOf(product), [
    'product.operator_set',
    'product.operator_unset',
    'product.operator_set',
  ]);
});

test('nobody answers for sales whose verification was withdrawn meanwhile', async (t) => {
  const { browser, person, product } = await createMaker();
  await api.test.query('update person set builder_verified_at = null where id = $1', [person.id]);
  t.is((await submit(browser, `${pathOf(product)}/operator`, { action: 'answer' })).status, 403);
  t.deepEqual(await missing(browser, product), ['no_commercial_operator', 'payouts_not_ready']);
});

test('a product that is sold elsewhere is listed without a price, and has nothing to sell here', async (t) => {
  const { browser, product } = await createMaker({
    delivery: 'external_store',
    state: 'draft',
    prices: {},
  });
  t.deepEqual(await missing(browser, product), ['not_listed']);
  t.is((await list(browser, product)).status, 303);
  t.notRegex(await (await browser.get(pathOf(product))).text(), /id="payouts"/);
});

test('a removed product is gone: its page, its console, its keys; and its slug stays taken', async (t) => {
  const { browser, product } = await createMaker();
  const path = `/console/products/${product.slug}/remove`;
  t.is((await submit(browser, path, { slug: 'another' })).status, 422);
  t.is(await stateOf(product), 'listed');
  const answer = await submit(browser, path, { slug: product.slug });
  t.is(arrivalOf(answer), '/console product_removed');
  t.is((await api.request(`/p/${product.slug}`)).status, 404);
  t.is((await api.request(`/buy/${product.slug}`)).status, 404);
  t.is((await browser.get(pathOf(product))).status, 404);
  const asked = await api.request(`/api/v1/entitlements?user_id=${product.id}`, {
    headers: { authorization: `Bearer ${product.liveKey}` },
  });
  t.is(asked.status, 401);
  t.deepEqual(await actionsOf(product), ['product.removed']);
  const again = { name: 'N', slug: product.slug, tagline: 'T', owner: 'me' };
  t.is((await submit(browser, '/console/new-product', again)).status, 422);
});

test('what a removed product has sold can still be seen and refunded, by nobody else than before', async (t) => {
  const { browser, product } = await createMaker({ prices: { USD: 1_900 } });
  const sales = createSales({ testDatabase: api.test, database: api.database });
  const sale = await sales.paidSale(await sales.orderOf(product, api.seed));
  t.is(
    (await submit(browser, `/console/products/${product.slug}/remove`, { slug: product.slug }))
      .status,
    303,
  );
  const path = `/console/products/${product.slug}`;
  const kept = ['/purchases', `/purchases/${sale.purchaseId}`, '/disputes', '/statements', '/pool'];
  const operator = api.browser();
  await operator.signIn(await api.seed.person({ isOperator: true }));
  const stranger = api.browser();
  await stranger.signIn(await api.seed.person({ isBuilder: true }));
  for (const page of kept) {
    t.is((await browser.get(path + page)).status, 200, page);
    t.is((await operator.get(path + page)).status, 200, page);
    t.is((await stranger.get(path + page)).status, 404, page);
  }
  for (const page of ['', '/keys', '/prices', '/grants', '/audit']) {
    t.is((await browser.get(path + page)).status, 404, page);
  }
  t.true((await (await browser.get('/console')).text()).includes(`href="${path}/purchases"`));
  const payment = String((await sales.paymentOf(sale))['id']);
  for (const [by, amount] of [
    [browser, '1.00'],
    [operator, '2.00'],
  ] as const) {
    const fields = { amount, payment, refund: newPublicId('re_'), reason: 'duplicate' };
    const action = `${path}/purchases/${sale.purchaseId}/refund`;
    t.is((await by.submit(`${path}/purchases/${sale.purchaseId}`, { action, fields })).status, 303);
  }
  t.is((await sales.fenceFor(sale)).intents.length, 2);
});
