import test from 'ava';
import { buying } from './scene.ts';

const { api, sell, signedIn, clicksOf, checkoutsOf, purchasesOf, expectReason, expectCheckout } =
  buying;

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

test('a buy link answers directly in capitals and with a slash behind it', async (t) => {
  const product = await sell({ slug: 'paper-trail', oldSlugs: ['paper-trial'] });
  const { browser } = await signedIn();
  const refs = ['Paper-Trail', 'paper-trail/', 'PAPER-TRIAL/', `${product.id.toUpperCase()}/`];
  for (const ref of refs) {
    expectCheckout(t, await browser.get(`/buy/${ref}`));
    expectReason(t, await api.request(`/buy/${ref}?currency=zzz`), 'currency_unknown');
  }
  t.is((await clicksOf(product)).length, 2 * refs.length);
});

test('a link in capitals is resumed after sign-in with its one click', async (t) => {
  const product = await sell({ slug: 'night-shift' });
  const browser = api.browser();
  await browser.get('/buy/Night-Shift/?currency=EUR');
  const back = (await browser.signIn(await api.seed.person())).headers.get('location')!;
  t.true(back.startsWith('/buy/night-shift?currency=EUR&resume='), back);
  expectCheckout(t, await browser.get(back));
  t.is((await clicksOf(product)).length, 1);
});

const PREVIEWS = [
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'Twitterbot/1.0',
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0',
  'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
  'TelegramBot (like TwitterBot)',
  'WhatsApp/2.23.20.0',
  'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
  'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com',
  'http.rb/5.1.1 (Mastodon/4.2.1; +https://social.example/)',
];

test('a preview of a link shows the product, and its click is recorded as automatic', async (t) => {
  const product = await sell({ name: 'Tide Table' });
  const path = `/buy/${product.slug}?src=launch&currency=EUR`;
  for (const agent of PREVIEWS) {
    const headers = { 'user-agent': agent };
    const response = await api.request(path, { headers });
    t.is(response.status, 303, agent);
    t.is(response.headers.get('location'), `/p/${product.slug}`);
    t.is(response.headers.get('set-cookie'), null);
    const page = await (await api.request(`/p/${product.slug}`, { headers })).text();
    t.regex(page, /<meta property="og:title" content="Tide Table"/);
  }
  await api.request(path, { headers: { 'user-agent': 'Mozilla/5.0 (X11) Firefox/140.0' } });
  const clicks = await api.test.query(
    `select source, is_automatic, count(*)::int from click where product_id = $1 group by 1, 2 order by 2`,
    [product.id],
  );
  t.deepEqual(clicks, [
    { source: 'buy-link:launch', is_automatic: false, count: 1 },
    { source: 'buy-link:launch', is_automatic: true, count: PREVIEWS.length },
  ]);
  t.deepEqual(await checkoutsOf(product), []);
});

test('a preview by HEAD or prefetch is 204 without a click, and of an unknown product 404', async (t) => {
  const product = await sell();
  const agent = { 'user-agent': PREVIEWS[0]! };
  const head = await api.request(`/buy/${product.slug}`, { method: 'HEAD', headers: agent });
  t.is(head.status, 204);
  const headers = { ...agent, 'sec-purpose': 'prefetch' };
  t.is((await api.request(`/buy/${product.slug}`, { headers })).status, 204);
  t.deepEqual(await clicksOf(product), []);
  t.is((await api.request('/buy/never-was', { headers: agent })).status, 404);
});

test('a preview of the link to Member shows Member', async (t) => {
  const headers = { 'user-agent': PREVIEWS[0]! };
  const response = await api.request('/member/subscribe', { headers });
  t.is(response.headers.get('location'), '/member');
});
