import test from 'ava';
import { createKnownBadges } from '../../../api/storefront/known-badges.ts';
import { Product } from '../../../domain/catalog/product.entity.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import { holdSeal } from '../../support/catalog/seals.ts';
import { startApi } from '../../support/http/api.ts';

const api = await startApi({ limits: { badge: 10_000 } });
test.after.always(() => api.close());

const readBadge = async (ref: string, init?: RequestInit) => {
  const response = await api.request(`/p/${ref}/badge`, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
};

const sell = (state: 'draft' | 'listed' | 'unlisted' | 'removed', oldSlugs: string[] = []) =>
  api.seed.product({ state, oldSlugs });

test('the badge of a listed product says that it is on the platform', async (t) => {
  const { slug } = await sell('listed');
  const { status, headers, text } = await readBadge(slug);
  t.is(status, 200);
  t.is(headers.get('content-type'), 'image/svg+xml; charset=utf-8');
  t.regex(text, /^<svg [^>]*role="img"[^>]*aria-labelledby="t"/);
  t.regex(text, /<title id="t">Listed on Gatehouse<\/title>/);
  t.notRegex(text, /Not listed/);
});

test('the badge of an unlisted product says `Not listed`', async (t) => {
  const { status, text } = await readBadge((await sell('unlisted')).slug);
  t.is(status, 200);
  t.regex(text, /<title id="t">Not listed<\/title>/);
});

test('a draft and a removed product have the badge of an unknown one', async (t) => {
  const facts = async (ref: string, query = '') => {
    const response = await api.request(`/p/${ref}/badge${query}`);
    const { 'x-request-id': _id, date: _date, ...headers } = Object.fromEntries(response.headers);
    const { 'ratelimit-remaining': _left, 'ratelimit-reset': _reset, ...same } = headers;
    return { status: response.status, headers: same, text: await response.text() };
  };
  const unknown = await facts('never-was');
  t.is(unknown.status, 404);
  for (const state of ['draft', 'removed'] as const) {
    const { id, slug } = await sell(state, [`${state}-of-before`]);
    await holdSeal(api.test, { productId: id });
    for (const ref of [slug, id, `${state}-of-before`]) {
      t.deepEqual(await facts(ref), unknown, ref);
      t.deepEqual(await facts(ref, '?seal=1'), unknown, ref);
    }
  }
});

test('a badge answers directly in capitals and with a slash behind it', async (t) => {
  const { slug } = await sell('listed', ['capital-of-before']);
  for (const ref of [slug.toUpperCase(), 'Capital-Of-Before']) {
    for (const path of [`/p/${ref}/badge`, `/p/${ref}/badge/`]) {
      const response = await api.request(path);
      t.is(response.status, 200, path);
      t.regex(await response.text(), /Listed on Gatehouse/);
    }
  }
});

test('an unknown product is 404 with the same picture', async (t) => {
  const unlisted = await readBadge((await sell('unlisted')).slug);
  for (const ref of ['never-was', newUuid(), 'ab', 'NEVER', '%00', "'--", 'null']) {
    const { status, text, headers } = await readBadge(ref);
    t.is(status, 404, ref);
    t.is(text, unlisted.text);
    t.is(headers.get('content-type'), 'image/svg+xml; charset=utf-8');
    t.is(headers.get('etag'), null);
  }
});

test('old slugs and the UUID name the product directly', async (t) => {
  const product = await sell('listed', ['a-name-of-before']);
  for (const ref of ['a-name-of-before', product.id, product.id.toUpperCase()]) {
    t.regex((await readBadge(ref)).text, /Listed on Gatehouse/);
  }
});

test('the badge changes as soon as the product is unlisted: caches ask each time', async (t) => {
  const { id, slug } = await sell('listed');
  const first = await readBadge(slug);
  t.is(first.headers.get('cache-control'), 'no-cache');
  const etag = first.headers.get('etag')!;
  for (const given of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const again = await readBadge(slug, { headers: { 'if-none-match': given } });
    t.is(again.status, 304, given);
    t.is(again.text, '');
    t.is(again.headers.get('etag'), etag);
    t.is(again.headers.get('cross-origin-resource-policy'), 'cross-origin');
  }
  await api.database.em().nativeUpdate(Product, { id }, { state: 'unlisted' });
  const changed = await readBadge(slug, { headers: { 'if-none-match': etag } });
  t.is(changed.status, 200);
  t.regex(changed.text, /Not listed/);
  t.not(changed.headers.get('etag'), etag);
});

test('pages of any site may embed it', async (t) => {
  const listed = await sell('listed');
  for (const ref of [listed.slug, 'never-was']) {
    const { headers } = await readBadge(ref);
    t.is(headers.get('cross-origin-resource-policy'), 'cross-origin');
    t.is(headers.get('set-cookie'), null);
  }
});

test('many badges asked for at once are each their own', async (t) => {
  const [listed, unlisted] = [await sell('listed', ['one-more-name']), await sell('unlisted')];
  const refs = [listed.slug, unlisted.slug, 'never-was', listed.id, 'one-more-name', listed.slug];
  const found = await Promise.all([...refs, ...refs, ...refs].map((ref) => readBadge(ref)));
  const titles = found.map(({ text }) => /<title id="t">(.+?)</.exec(text)?.[1]);
  const [yes, no] = ['Listed on Gatehouse', 'Not listed'];
  t.deepEqual(titles.slice(0, 6), [yes, no, no, yes, yes, yes]);
  t.deepEqual(titles.slice(6, 12), titles.slice(0, 6));
  t.is(found[2]!.status, 404);
});

/** WCAG's contrast of two colours. */
function contrast(one: string, two: string): number {
  const light = (colour: string) =>
    [1, 3, 5]
      .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
      .map((part) => (part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
      .reduce((sum, part, index) => sum + part * [0.212_6, 0.715_2, 0.072_2][index]!, 0);
  const [dark, bright] = [light(one), light(two)].toSorted((a, b) => a - b);
  return (bright! + 0.05) / (dark! + 0.05);
}

test('its words stand out from what is behind them, and it needs no style, script or other file', async (t) => {
  for (const state of ['listed', 'unlisted'] as const) {
    const { text } = await readBadge((await sell(state)).slug);
    const behind = [...text.matchAll(/<rect [^>]*fill="(#\w{6})"/g)].map(([, colour]) => colour!);
    t.is(behind.length, 2);
    for (const colour of behind) t.true(contrast('#ffffff', colour) >= 4.5, colour);
    t.notRegex(text, /style|script|href|http:(?!\/\/www\.w3\.org)/);
  }
});

test.serial('past the limit of its address a badge says what the process knows', async (t) => {
  const strict = await startApi({ limits: { badge: 3 } });
  const [known, other] = [await strict.seed.product(), await strict.seed.product()];
  const badge = (ref: string, init?: RequestInit) => strict.request(`/p/${ref}/badge`, init);
  const [row] = await strict.test.query<{ left: number }>(
    'select (60 - extract(epoch from gatehouse_now())::numeric % 60)::float as left',
  );
  await strict.test.advance((row!.left + 1) * 1_000);
  const first = await badge(known.slug);
  await strict.test.query(`update product set state = 'unlisted' where id = $1`, [known.id]);
  const within = await badge(known.slug);
  t.regex(await within.text(), /Not listed/, 'at once, within the limit');
  t.is((await badge('never-was')).status, 404);
  await strict.test.query(`update product set state = 'listed' where id = $1`, [known.id]);
  for (const ref of [known.slug, known.slug.toUpperCase()]) {
    const past = await badge(ref);
    t.is(past.status, 200);
    t.is(past.headers.get('content-type'), 'image/svg+xml; charset=utf-8');
    t.is(past.headers.get('ratelimit-remaining'), '0');
    t.regex(await past.text(), /Not listed/);
  }
  const etag = within.headers.get('etag')!;
  t.not(etag, first.headers.get('etag'));
  t.is((await badge(known.slug, { headers: { 'if-none-match': etag } })).status, 304);
  t.is((await badge('never-was')).status, 404);
  t.is((await badge('%00')).status, 404);
  for (const ref of [other.slug, 'never-seen']) {
    const unknown = await badge(ref);
    t.is(unknown.status, 429, 'nothing is known');
    t.is(unknown.headers.get('content-type'), 'image/svg+xml; charset=utf-8');
    t.is(unknown.headers.get('cross-origin-resource-policy'), 'cross-origin');
    t.regex(unknown.headers.get('retry-after')!, /^([1-9]|[1-5][0-9]|60)$/);
    t.regex(await unknown.text(), /<title id="t">Gatehouse<\/title>/);
  }
  await strict.close();
});

test('what the process knows of a badge is forgotten after a minute', (t) => {
  let now = 1;
  const known = createKnownBadges(() => now);
  known.set('synth', { facts: null });
  now += 59_999;
  t.deepEqual(known.get('synth'), { facts: null });
  now += 2;
  t.is(known.get('synth'), undefined);
});

test('with ?seal=1 the badge says that the product holds the seal, and changes with it', async (t) => {
  const { id, slug } = await sell('listed');
  const plain = await readBadge(slug);
  const sealed = async (query = '?seal=1', init?: RequestInit) => {
    const response = await api.request(`/p/${slug}/badge${query}`, init);
    const { status, headers } = response;
    return { status, etag: headers.get('etag')!, headers, text: await response.text() };
  };
  const without = await sealed();
  t.is(without.text, plain.text, 'without the seal it is the plain badge');
  await holdSeal(api.test, { productId: id });
  const held = await sealed();
  t.is(held.status, 200);
  t.regex(held.text, /<title id="t">Listed on Gatehouse, with the quality seal<\/title>/);
  t.regex(held.text, />Quality seal</);
  t.is(held.headers.get('cache-control'), 'no-cache');
  t.not(held.etag, without.etag);
  t.is((await sealed('?seal=1', { headers: { 'if-none-match': held.etag } })).status, 304);
  t.is((await sealed('?seal=1', { headers: { 'if-none-match': without.etag } })).status, 200);

  const again = await readBadge(slug);
  t.is(again.text, plain.text, 'the plain badge stays byte for byte as it is');
  t.is(again.headers.get('etag'), plain.headers.get('etag'));
  for (const query of ['?seal=0', '?seal=', '?seal=1&seal=1', '?seal=true', '?other=1']) {
    const other = await sealed(query);
    t.is(other.status, 200, query);
    t.is(other.text, plain.text, query);
  }

  await api.test.query(`update product set state = 'unlisted' where id = $1`, [id]);
  t.regex((await sealed()).text, /<title id="t">Not listed<\/title>/);
  t.is((await api.request('/p/never-was/badge?seal=1')).status, 404);
});
