import test from 'ava';
import { findEntries, indexEntries, markWords, snippetOf } from '../../../api/docs/search.ts';
import { readText } from '../../support/pages/read-page.ts';
import { api } from './scene.ts';

const entry = (page: string, heading: string, text: string) => ({
  path: `/${page}#${heading}`,
  page,
  heading,
  text,
  isPage: page === heading,
  trail: [],
});

const INDEX = indexEntries([
  entry('Keys', 'Rotate', 'A webhook is named once.'),
  entry('Hooks', 'Webhook endpoints', 'An address.'),
  entry('Webhooks', 'Webhooks', 'Receive events.'),
  entry('Webhooks', 'Rotate the secret', 'The old one signs too.'),
]);

const find = (query: string) => findEntries(INDEX, query).map(({ heading }) => heading);

test('a title counts more than a heading, and a heading more than text', (t) => {
  t.deepEqual(find('webhook'), ['Webhooks', 'Webhook endpoints', 'Rotate the secret', 'Rotate']);
});

test('every word has to be there, by its beginning and in any case', (t) => {
  t.deepEqual(find('ROTATE secr'), ['Rotate the secret']);
  t.deepEqual(find('otate'), []);
  t.deepEqual(find('rotate nothing'), []);
  t.deepEqual(find(' ?! '), []);
});

test('a page has at most three of the results', (t) => {
  const many = Array.from({ length: 9 }, (_, place) => entry('A', `Part ${place}`, 'words'));
  t.is(findEntries(indexEntries(many), 'words').length, 3);
});

test('a snippet shows the text around the word, and marks it', (t) => {
  const text = `${'before '.repeat(40)}the Signature-header ${'after '.repeat(60)}`;
  const pieces = snippetOf(text, 'signature');
  t.deepEqual(
    pieces.filter(({ isMarked }) => isMarked).map((piece) => piece.text),
    ['Signature'],
  );
  t.true(pieces.map((piece) => piece.text).join('').length < 200);
  t.deepEqual(markWords('a.b', 'b a'), [
    { text: 'a', isMarked: true },
    { text: '.', isMarked: false },
    { text: 'b', isMarked: true },
  ]);
});

const search = async (query: string) => {
  const response = await api.request(`/docs/search${query}`);
  return { status: response.status, text: await response.text() };
};

test('the search finds guides and operations, and leads to the part of the page', async (t) => {
  const found = await search('?q=rotate+the+secret');
  t.regex(found.text, /href="\/docs\/webhooks#rotate-the-secret"/);
  t.regex(found.text, /<mark>/);
  t.regex((await search('?q=refunded_minor')).text, /href="\/docs\/reference\/purchase\.refunded"/);
  t.regex((await search('?q=entitlements')).text, /href="\/docs\/reference\/check-entitlement"/);
});

test('a result names the way to its part, and a row of a table reads as a sentence', async (t) => {
  const { text } = await search('?q=rotate+the+secret');
  t.is(text.match(/<search>/g)?.length, 1, 'one field');
  t.regex(text, /<small>[^<]+ › [^<]+<\/small>\s*<a href="\/docs\/webhooks#rotate-the-secret"/);
  const row = readText((await search('?q=service-signature-previous+old')).text);
  t.regex(row, /service-signature-previous: the same/);
});

test('an empty query says what to enter, and one without a match leads on', async (t) => {
  for (const query of ['', '?q=', '?q=+', '?q=a&q=b']) {
    t.regex((await search(query)).text, /Enter a word/, query);
  }
  const often = [...(await search('')).text.matchAll(/"\/docs\/search(\?q=[^"]+)"/g)];
  t.is(often.length, 6);
  for (const [, query] of often) t.regex((await search(query!)).text, /\d+ results? for/, query);
  const none = await search('?q=nothingofthekind');
  t.regex(none.text, /Nothing about “nothingofthekind”/);
  t.regex(none.text, /href="\/docs">See all guides/);
});

test('a query is text of at most 200 characters', async (t) => {
  const { status, text } = await search(`?q=${encodeURIComponent(`<b>"${'x'.repeat(300)}`)}`);
  t.is(status, 200);
  t.true(text.includes(`value="&lt;b&gt;&#34;${'x'.repeat(196)}"`));
  t.notRegex(text, /<b>"/);
  t.is((await search(`?q=${'%00'}`)).status, 200);
});
