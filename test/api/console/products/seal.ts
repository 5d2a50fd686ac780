import test from 'ava';
import { judgeSeal } from '../../../../domain/seal/criteria.ts';
import { holdSeal, readSeal } from '../../../support/catalog/seals.ts';
import { teams, operator } from './scene.ts';

const { api } = teams;
const { query } = api.test;

const FIGURES = {
  people: 20,
  returningPeople: 15,
  days: 100,
  daysOfLargest: 10,
  daysOfFive: 31,
  charges: 100,
  refundedCharges: 9,
  lostChargebacks: 0,
  listedDays: 90,
  firstAttempts: 99,
  firstSuccesses: 1,
  callbacks: 100,
  tokens: 98,
};

async function scene() {
  const team = await teams.team(['developer', 'viewer']);
  const product = await teams.productOf(team);
  const path = `/console/products/${product.slug}/seal`;
  const { developer, viewer, owner } = team.members;
  const read = async () => (await developer.browser.get(path)).text();
  const appeal = (text: string, browser = developer.browser) =>
    browser.submit(path, { action: path, fields: { text } });
  return { product, path, read, appeal, viewer, owner };
}

const auditOf = async (productId: string) =>
  (
    await query<{ action: string }>(
      `select action from audit where product_id = $1 and action like 'seal.%' order by at`,
      [productId],
    )
  ).map(({ action }) => action);

test('before the first review each criterion has its target alone', async (t) => {
  const { read } = await scene();
  const text = await read();
  t.regex(text, /data-seal-state="none"/);
  t.regex(text, /At least 25/);
  t.notRegex(text, /data-criterion/);
  t.regex(text, /The next review is on <time/);
});

test('each criterion has its value, its target and what is missing, and the history follows', async (t) => {
  const { product, read } = await scene();
  await holdSeal(api.test, { productId: product.id, isNoticed: true });
  await query(
    `insert into seal_review (product_id, week, is_passed, criteria, state)
     values ($1, '2026-11-16', false, $2, 'noticed'), ($1, '2026-11-09', true, '[]', 'held')`,
    [product.id, JSON.stringify(judgeSeal(FIGURES))],
  );
  const text = await read();
  const results = [...text.matchAll(/data-criterion="(\w+)" data-result="(\w+)"/g)];
  t.deepEqual(Object.fromEntries(results.map(([, name, result]) => [name, result])), {
    people: 'failed',
    returning_people: 'passed',
    refunds: 'passed',
    chargebacks: 'passed',
    largest_person: 'passed',
    five_people: 'failed',
    listed_days: 'passed',
    webhooks: 'not_judged',
    sign_ins: 'failed',
  });
  t.regex(text, /5 more people/);
  t.regex(text, /15 of 20 \(75\.0 %\)/);
  t.regex(text, /4 qualified days of other people/);
  t.regex(text, /1 more code exchanged/);
  t.regex(text, /loses it\s+with\s+the\s+first\s+failed\s+review\s+after\s+<time/);
  t.deepEqual(
    [...text.matchAll(/data-review="(\w+)"/g)].map(([, each]) => each),
    ['failed', 'passed'],
  );
  t.regex(text, /badge\?seal=1/);
});

test('an appeal is a text to the operator, who restores the seal, and both are in the trail', async (t) => {
  const { product, path, read, appeal, viewer } = await scene();
  t.notRegex(await read(), /<textarea/, 'nothing is lost');
  await holdSeal(api.test, { productId: product.id, isNoticed: true });
  t.regex(await read(), /<textarea/);
  t.is((await appeal('x', viewer.browser)).status, 403);
  for (const unfit of ['  ', 'x'.repeat(2_001), '\u0007']) {
    const refused = await appeal(unfit);
    t.is(refused.status, 422);
    t.regex(await refused.text(), /id="text-problem"/);
  }
  const said = 'Our <b>customers</b> were away.\r\n\r\n  They  are back.\n';
  t.is((await appeal(said)).headers.get('location'), path);
  const shown = await read();
  t.regex(shown, /data-appeal="open"/);
  t.true(shown.includes('Our &lt;b&gt;customers&lt;/b&gt; were away.\n\nThey are back.</p>'));
  t.notRegex(shown, /<textarea/);

  const list = await (await operator.browser.get('/operator/seals')).text();
  t.true(list.includes(`href="${path}"`));
  const [, appealId] = /name="appeal" value="([^"]+)"/.exec(
    list.slice(list.indexOf(`href="${path}"`)),
  )!;
  const answer = (outcome: string) =>
    operator.browser.submit('/operator/seals', {
      action: '/operator/seals',
      fields: { appeal: appealId!, outcome },
    });
  t.is((await answer('restored')).status, 303);
  t.is((await answer('declined')).status, 303, 'the first answer counts');
  t.like(await readSeal(api.test, product.id), { state: 'held', restored_from: 'noticed' });
  const restored = await read();
  t.regex(restored, /data-appeal="restored"/);
  t.regex(restored, /until the next review/);
  t.deepEqual(await auditOf(product.id), ['seal.appealed', 'seal.restored']);
});

test('an operator declines an appeal, and the seal stays as it is', async (t) => {
  const { product, read, appeal } = await scene();
  await holdSeal(api.test, { productId: product.id, isNoticed: true });
  await appeal('Please.');
  const [row] = await query<{ id: string }>('select id from seal_appeal where product_id = $1', [
    product.id,
  ]);
  const fields = { appeal: row!.id, outcome: 'declined' };
  await operator.browser.submit('/operator/seals', { action: '/operator/seals', fields });
  t.like(await readSeal(api.test, product.id), { state: 'noticed' });
  const declined = await read();
  t.regex(declined, /data-appeal="declined"/);
  t.regex(declined, /You can appeal again after the next review\./);
  t.notRegex(declined, /Send appeal/);
  await appeal('Please, please.');
  t.deepEqual(await auditOf(product.id), ['seal.appealed', 'seal.appeal_declined']);
});

test('the owner loses the seal at once by unlisting or removing the product', async (t) => {
  for (const action of ['unlist', 'remove'] as const) {
    const { product, owner } = await scene();
    await holdSeal(api.test, { productId: product.id });
    const of = `/console/products/${product.slug}`;
    const form = {
      unlist: { action: `${of}/selling/state`, fields: { action: 'unlist' } },
      remove: { action: `${of}/remove`, fields: { slug: product.slug } },
    }[action];
    t.is((await owner.browser.submit('/console/roles', form)).status, 303);
    const state = await readSeal(api.test, product.id);
    t.like(state, { state: 'lost', loss_reason: `${action}${action === 'remove' ? 'd' : 'ed'}` });
  }
});

test('an operator unlists a product, and it loses the seal with it', async (t) => {
  const { product, path } = await scene();
  await holdSeal(api.test, { productId: product.id });
  const action = `/operator/products/${product.id}`;
  const fields = { action: 'unlist', state: 'all', slug: '' };
  await operator.browser.submit('/operator/products', { action, fields });
  t.like(await readSeal(api.test, product.id), { state: 'lost', loss_reason: 'unlisted' });
  t.regex(await (await operator.browser.get(path)).text(), /because the product was unlisted/);
  const [notice] = await query(
    `select kind, data->>'reason' as reason from notification where product_id = $1`,
    [product.id],
  );
  t.deepEqual(notice, { kind: 'seal_lost', reason: 'unlisted' });
});
