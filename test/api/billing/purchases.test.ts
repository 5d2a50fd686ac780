import test from 'ava';
import { Purchase } from '../../../domain/billing/purchases/purchase.entity.ts';
import { startApi } from '../../support/http/api.ts';
import { openReadyAccount } from '../../../packages/simulator/onboard.ts';

const api = await startApi();
const seller = await api.seed.person({ isBuilder: true });
const account = await openReadyAccount(api.processor, seller.email);
await api.seed.payoutAccount(seller, { account });
test.after.always(() => api.close());

async function buyOne() {
  const product = await api.seed.product({ owner: seller, name: 'Tiny <Synth>' });
  const person = await api.seed.person();
  const browser = api.browser();
  await browser.signIn(person);
  await browser.get(`/buy/${product.slug}`);
  const { id } = await api.database.em().findOneOrFail(Purchase, { personId: person.id });
  return { product, person, browser, id };
}

test('the buyer sees how the purchase stands, and the page looks again while it is open', async (t) => {
  const { browser, id } = await buyOne();
  const seen = async () => {
    const response = await browser.get(`/purchases/${id}?returned=yes`);
    const status = /data-status="(\w+)"/.exec(await response.text())?.[1];
    const [wait = null, address] = response.headers.get('refresh')?.split('; url=') ?? [];
    if (address) t.regex(address, new RegExp(`^/purchases/${id}\\?returned=yes&since=\\d+$`));
    return [response.status, status, wait];
  };
  t.deepEqual(await seen(), [200, 'pending', '2']);
  const em = api.database.em();
  await em.nativeUpdate(Purchase, { id }, { status: 'clearing' });
  t.deepEqual(await seen(), [200, 'clearing', '2']);
  await em.nativeUpdate(Purchase, { id }, { status: 'cleared', clearedAt: new Date() });
  t.deepEqual(await seen(), [200, 'cleared', null]);
});

test('the page looks again ever more slowly, and stops after a while', async (t) => {
  const { browser, id } = await buyOne();
  const seen = async (since: string) => {
    const response = await browser.get(`/purchases/${id}?returned=yes&since=${since}`);
    return { wait: response.headers.get('refresh'), page: await response.text() };
  };
  const ago = (seconds: number) => String(Math.floor(Date.now() / 1_000) - seconds);
  t.is((await seen(ago(20))).wait, '13');
  const slow = await seen(ago(600));
  t.is(slow.wait, '60');
  t.regex(slow.page, /updates automatically/);
  const over = await seen(ago(3_600));
  t.is(over.wait, null);
  t.regex(over.page, /no longer updates by itself/);
  for (const odd of ['x', '-1', '99999999999', '%00']) {
    t.regex((await seen(odd)).wait!, /^2; url=/, odd);
  }
});

test('names are escaped', async (t) => {
  const { browser, id } = await buyOne();
  const page = await (await browser.get(`/purchases/${id}`)).text();
  t.true(page.includes('Tiny &lt;Synth&gt;'));
  t.false(page.includes('<Synth>'));
});

test('a purchase of somebody else, an unknown one and nonsense are 404 alike', async (t) => {
  const { id } = await buyOne();
  const stranger = api.browser();
  await stranger.signIn(await api.seed.person());
  for (const ref of [id, 'pay_01K7SXG7JW8V5T2N4M6Q8R0ZAB', 'nonsense', '%00']) {
    t.is((await stranger.get(`/purchases/${ref}`)).status, 404, ref);
  }
});
