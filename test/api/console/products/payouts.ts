import test from 'ava';
import { recordPayoutStatus } from '../../../../domain/catalog/payouts/payout-account.repository.ts';
import { noticeOf } from '../../../support/http/arrival.ts';
import { teams, away } from './scene.ts';

const { api } = teams;

type Teams = typeof teams;
type Browser = ReturnType<typeof api.browser>;
type Slug = { slug: string };

const pathOf = ({ slug }: Slug) => `/console/products/${slug}/selling/payouts`;
const press = (by: Browser, product: Slug, action: string) =>
  by.submit('/console/roles', { action: pathOf(product), fields: { action } });
const end = (url: string, state: string) =>
  fetch(url, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ state }) });
const statusOn = async (by: Browser, { slug }: Slug) =>
  /data-payouts="(\w+)"/.exec(
    await (await by.get(`/console/products/${slug}/selling`)).text(),
  )?.[1];

async function builder({ api: of, signedIn }: Teams = teams) {
  const { browser, person } = await signedIn(await of.seed.person({ isBuilder: true }));
  return { browser, person, product: await of.seed.product({ owner: person }) };
}

const accountsOf = (personId: string) =>
  api.test.query<{ processor_account: string; can_charge: boolean }>(
    'select processor_account, can_charge from payout_account where person_id = $1',
    [personId],
  );

test('a payout account is connected at the processor, and can charge once that says so', async (t) => {
  const { browser, person, product } = await builder();
  const response = await press(browser, product, 'connect');
  const link = response.headers.get('location')!;
  t.true(link.startsWith(`${api.config.processor.apiUrl}/connect/`), link);
  t.notRegex(response.headers.get('content-security-policy')!, /form-action/);
  t.is(await statusOn(browser, product), 'not_ready');
  const [account] = await accountsOf(person.id);
  t.false(account!.can_charge);
  t.regex(await (await fetch(link)).text(), /Payout account/);
  const back = (await end(link, 'enabled')).headers.get('location')!;
  t.is(back, `${api.url}${pathOf(product)}`);
  const returned = await browser.get(new URL(back).pathname);
  t.is(noticeOf(returned), 'payouts_returned');
  const page = await (await browser.follow(returned)).text();
  t.regex(page, /waiting for the payment processor&#39;s answer/);
  t.notRegex(page, /needed more details/, 'the answer is on its way');
  const again = await (await browser.get(pathOf(product).replace('/payouts', ''))).text();
  t.regex(again, /When last checked, the payment processor needed more details\./);
  t.is(await statusOn(browser, product), 'not_ready', 'opening a page changes nothing');
  await press(browser, product, 'refresh');
  t.is(await statusOn(browser, product), 'ready');
  t.is((await api.request(`/buy/${product.slug}`)).headers.get('location'), '/sign-in');
  const trail = await api.test.query<{ action: string; subject: string; detail: object }>(
    'select action, subject, detail from audit where product_id = $1 order by at, id',
    [product.id],
  );
  const subject = account!.processor_account;
  t.deepEqual(trail, [
    { action: 'payouts.connected', subject, detail: {} },
    { action: 'payouts.refreshed', subject, detail: { can_charge: true, before: false } },
  ]);
});

test('an account that the processor looks at, or wants more of, cannot charge yet', async (t) => {
  const { browser, product } = await builder();
  const page = async () => (await browser.get(`/console/products/${product.slug}/selling`)).text();
  for (const [state, words] of [
    ['new', /When last checked, the payment processor needed more details/],
    ['in_review', /When last checked, the payment processor was reviewing the account/],
  ] as const) {
    const link = (await press(browser, product, 'connect')).headers.get('location')!;
    await end(link, state);
    t.is((await press(browser, product, 'refresh')).status, 303);
    t.regex(await page(), words);
    t.is(await statusOn(browser, product), 'not_ready');
  }
});

test('a link works once; one that is over leads back to the console', async (t) => {
  const { browser, product } = await builder();
  const link = (await press(browser, product, 'connect')).headers.get('location')!;
  const answers = await Promise.all([end(link, 'enabled'), end(link, 'new')]);
  const locations = answers.map(({ headers }) => headers.get('location'));
  const path = `${api.url}${pathOf(product)}`;
  t.deepEqual(locations.toSorted(), [path, `${path}?over=1`]);
  const over = await fetch(link, { redirect: 'manual' });
  t.is(over.headers.get('location'), `${path}?over=1`);
  const back = await browser.get(`${pathOf(product)}?over=1`);
  t.is(noticeOf(back), 'payouts_link_over');
});

test('of many clicks at once one account is connected', async (t) => {
  const { browser, person, product } = await builder();
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => press(browser, product, 'connect')),
  );
  for (const { status, headers } of answers) {
    t.is(status, 303);
    t.regex(headers.get('location')!, /\/connect\//);
  }
  t.is((await accountsOf(person.id)).length, 1);
  const made = await api.test.query('select 1 from simulator.account where email = $1', [
    person.email,
  ]);
  t.is(made.length, 1);
});

test('owner and finance of a team connect its one account; who looks after the product refreshes', async (t) => {
  const team = await teams.wholeTeam();
  const [one, other] = [await teams.productOf(team), await teams.productOf(team)];
  const { finance, developer, admin } = team.members;
  t.is((await press(admin.browser, one, 'connect')).status, 403);
  t.is((await press(finance.browser, one, 'refresh')).status, 403);
  const link = (await press(finance.browser, one, 'connect')).headers.get('location')!;
  await end(link, 'enabled');
  t.is((await press(developer.browser, other, 'refresh')).status, 303);
  t.is(await statusOn(developer.browser, other), 'ready', 'the same account');
});

test('where there is no account there is nothing to refresh', async (t) => {
  const { browser, product } = await builder();
  const response = await press(browser, product, 'refresh');
  t.is(noticeOf(response), 'unchanged');
});

test('an answer that comes late never overwrites a newer one', async (t) => {
  const { person, product } = await builder();
  await api.seed.payoutAccount(person, { account: `acct_${product.slug}`, canCharge: false });
  const record = (canCharge: boolean, askedAt: string) =>
    api.database.transaction((em) =>
      recordPayoutStatus(em, {
        account: `acct_${product.slug}`,
        canCharge,
        isSubmitted: true,
        askedAt: new Date(askedAt),
      }),
    );
  t.deepEqual(await record(true, '2026-01-01T00:00:02Z'), { couldCharge: false });
  t.is(await record(false, '2026-01-01T00:00:01Z'), null);
  t.true((await accountsOf(person.id))[0]!.can_charge);
});

test('while the processor is away the console says so, and nothing is written', async (t) => {
  const { browser, person, product } = await builder(away);
  const response = await press(browser, product, 'connect');
  t.is(noticeOf(response), 'processor_unavailable');
  const written = await away.api.test.query('select 1 from payout_account where person_id = $1', [
    person.id,
  ]);
  t.deepEqual(written, []);
});
