import test from 'ava';
import { buying } from './scene.ts';

const { api, sell, clicksOf, purchasesOf, expectCheckout } = buying;

test('a long src never changes the currency or the offer, and the purchase keeps it as it was sent', async (t) => {
  const product = await sell();
  const src = '語'.repeat(500);
  const asked = {
    src,
    currency: 'EUR',
    offer: product.offerId,
    return_to: `https://a.example/${'b'.repeat(900)}`,
  };
  const browser = api.browser();
  await browser.get(`/buy/${product.slug}?${new URLSearchParams(asked).toString()}`);
  const back = (await browser.signIn(await api.seed.person())).headers.get('location')!;
  const kept = new URL(back, api.url).searchParams;
  t.like(Object.fromEntries(kept), {
    currency: 'EUR',
    offer: asked.offer,
    return_to: asked.return_to,
  });
  t.true(src.startsWith(kept.get('src')!));
  const page = await (await fetch(expectCheckout(t, await browser.get(back)))).text();
  t.regex(page, /11\.50 EUR/);
  const [purchase] = await purchasesOf(product);
  t.like(purchase, { service_campaign: null, service_campaign_raw: src });
  t.deepEqual(await clicksOf(product), [{ source: 'buy-link', campaign: null, raw: src }]);
});

test('a return address that is too long to be kept is left out, and never the currency', async (t) => {
  const product = await sell();
  const asked = {
    currency: 'EUR',
    src: 'launch',
    return_to: `https://a.example/${'%'.repeat(970)}語`.repeat(2),
  };
  const browser = api.browser();
  await browser.get(`/buy/${product.slug}?${new URLSearchParams(asked).toString()}`);
  const back = (await browser.signIn(await api.seed.person())).headers.get('location')!;
  t.true(back.startsWith(`/buy/${product.slug}?src=launch&currency=EUR&resume=`), back);
  t.regex(await (await fetch(expectCheckout(t, await browser.get(back)))).text(), /11\.50 EUR/);
  t.is((await clicksOf(product)).length, 1);
});

test('the purchase has the campaign that its click was counted for, where src is shortened on the way', async (t) => {
  const product = await sell();
  const src = `${'語'.repeat(500)} Launch`;
  const browser = api.browser();
  await browser.get(`/buy/${product.slug}?src=${encodeURIComponent(src)}&currency=EUR`);
  const back = (await browser.signIn(await api.seed.person())).headers.get('location')!;
  expectCheckout(t, await browser.get(back));
  t.like((await purchasesOf(product))[0], { service_source: 'launch', service_campaign: 'launch' });
  t.like((await clicksOf(product))[0], { campaign: 'launch' });
});
