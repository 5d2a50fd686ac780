import test from 'ava';
import { recordEvent } from '../../../../domain/webhooks/event.repository.ts';
import { Delivery, DeliveryState } from '../../../../domain/webhooks/deliveries/delivery.entity.ts';
import { newUuid } from '../../../../domain/shared/ids.ts';
import { createDeliveryRows } from '../../../support/webhooks/delivery-rows.ts';
import { teams, lone } from './scene.ts';

const { api } = teams;
const { person: builder, browser, synth, secret } = lone;

const PATH = `/console/products/${synth.slug}`;

test('a builder sees own products and those of each team, with their state and the own role', async (t) => {
  const team = await teams.team(['finance']);
  const theirs = await teams.productOf(team, { name: 'Tide Table', state: 'draft' });
  await api.test.query(`insert into team_member values ($1, $2, 'developer')`, [
    team.id,
    builder.id,
  ]);
  const page = await (await browser.get('/console')).text();
  const group = (heading: RegExp, of: string) =>
    new RegExp(`${heading.source}[\\s\\S]*data-product="${of}"`);
  t.regex(page, group(/<h2>Personal<\/h2>/, synth.slug));
  t.regex(page, group(new RegExp(`<h2>${team.name}</h2>`), theirs.slug));
  t.regex(page, /Pocket Synth[\s\S]*data-state="unlisted"/);
  t.regex(page, /You are developer[\s\S]*Tide Table[\s\S]*data-state="draft"/);
  const finance = await (await team.members.finance.browser.get('/console')).text();
  t.true(finance.includes('Tide Table') && !finance.includes('Pocket Synth'));
});

test('somebody without products sees how to make one', async (t) => {
  const registrant = await teams.signedIn();
  const page = await (await registrant.browser.get('/console')).text();
  t.regex(page, /No products yet/);
  t.true(page.includes('href="/console/new-product"'));
});

test('the pages of a product show keys by their last four, endpoints and deliveries', async (t) => {
  await api.database.transaction((em) =>
    recordEvent(em, {
      productId: synth.id,
      name: 'purchase.completed',
      data: {
        purchase_id: 'pay_1',
        user_id: newUuid(),
        product_id: synth.id,
        gross_minor: 1_250,
        currency: 'USD',
      },
    }),
  );
  const em = api.database.em();
  const { id } = await em.findOneOrFail(Delivery, { productId: synth.id });
  await em.nativeUpdate(DeliveryState, { deliveryId: id }, { status: 'retrying', step: 1 });
  const attempt = { deliveryId: id, step: 0, statusCode: 500, error: 'http_status' };
  await createDeliveryRows(api.test).attempt(attempt);
  const read = async (to: string) => (await browser.get(PATH + to)).text();
  const page = await read('');
  const all =
    page + (await read('/keys')) + (await read('/endpoints')) + (await read('/deliveries'));
  t.true((await read('/keys')).includes(synth.liveKey.slice(-4)));
  t.false(all.includes(synth.liveKey) || all.includes(secret) || all.includes('pay_1'));
  t.true((await read('/endpoints')).includes('https://receiver.example/hook'));
  t.regex(await read('/deliveries'), /Retrying[\s\S]*500/);
  t.true((await read('/deliveries')).includes(`href="${PATH}/deliveries/${id}"`), 'leads to it');
  t.regex(page, /data-issue="retrying_deliveries"/);
  t.regex(page, /Webhooks<span class="count"\s*>1</, 'what waits stands in the navigation');
  for (const to of ['', '/clients', '/selling']) t.true(page.includes(`href="${PATH}${to}"`), to);
  t.regex(page, new RegExp(`href="${PATH}" aria-current="page"`));
  const settings = await (await browser.get(`${PATH}/selling`)).text();
  t.true(settings.includes(`href="${PATH}/audit"`), 'a tab of the settings');
});

test('nobody sees the products of another', async (t) => {
  const stranger = await teams.signedIn(await api.seed.person({ isBuilder: true }));
  const page = await (await stranger.browser.get('/console')).text();
  t.false(page.includes('Pocket Synth') || page.includes('receiver.example'));
  for (const to of ['', '/clients', '/audit', '/transfer']) {
    t.is((await stranger.browser.get(PATH + to)).status, 404, to);
  }
});

test('a draft has its page in the store for its owner and its team alone', async (t) => {
  const team = await teams.team(['viewer']);
  const draft = await teams.productOf(team, { state: 'draft' });
  const own = await api.seed.product({ owner: builder, state: 'draft' });
  const status = async (by: { get(path: string): Promise<Response> }, slug: string) =>
    (await by.get(`/p/${slug}`)).status;
  t.is(await status(team.members.viewer.browser, draft.slug), 200);
  t.is(await status(browser, draft.slug), 404);
  t.is(await status(browser, own.slug), 200);
  t.is(await status(api.browser(), draft.slug), 404);
});
