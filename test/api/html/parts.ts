import { html } from '@prairielearn/html';
import test from 'ava';
import { copyable, cutId } from '../../../api/html/copy.ts';
import { ahead, shortDay, shortInstant } from '../../../api/html/dates.ts';
import { highlight, prettyJson } from '../../../api/html/highlight.ts';
import { fold } from '../../../api/html/parts/fold.ts';
import { writeCappedSum, writePercent, writePercentage } from '../../../api/html/numbers.ts';
import { paging } from '../../../api/html/parts/paging.ts';
import { readText } from '../../support/pages/read-page.ts';

const NOW = new Date('2026-11-27T10:58:04Z');
const shown = (part: { toString(): string }) => readText(part.toString());

test('JSON is indented, with names, strings, numbers and words told apart', (t) => {
  const text = prettyJson(
    '{"a":"<b> \\"q\\"","n":-1.5e3,"ok":true,"none":null,"of":[1]}',
  ).toString();
  t.true(text.includes('{\n  <span class="tok-f">&quot;a&quot;</span>'));
  t.true(text.includes('<span class="tok-s">&quot;&lt;b&gt; \\&quot;q\\&quot;&quot;</span>'));
  t.true(text.includes('<span class="tok-n">-1500</span>'));
  t.is(text.match(/tok-k">(true|null)</g)?.length, 2);
});

test('what is no JSON is shown as it is', (t) => {
  t.is(prettyJson('<h1>Away</h1>'), '<h1>Away</h1>');
  t.is(prettyJson('{"cut": "o'), '{"cut": "o');
});

test('spans of highlighted code are balanced, also around a language in another', (t) => {
  const programs = [
    ['html', '<p class="a">1</p><script>let a = "<b>";</script><style>p { top: 0 }</style>'],
    ['ts', 'const a = (one: string) => `${one} of ${2}`; // end'],
    ['yaml', '<% if a %>\nb: 1'],
  ] as const;
  for (const [language, text] of programs) {
    const marked = highlight(text, language).toString();
    let depth = 0;
    for (const [tag] of marked.matchAll(/<span[^>]*>|<\/span>/g)) {
      depth += tag === '</span>' ? -1 : 1;
      t.true(depth >= 0, marked);
      t.regex(tag, /^(<span class="tok-[ksfnc]">|<\/span>)$/);
    }
    t.is(depth, 0, marked);
  }
});

test('an instant of today is its time, one of another day or year names it', (t) => {
  t.is(shown(shortInstant(NOW, NOW)), '10:58');
  t.is(shown(shortInstant(NOW, NOW, 'second')), '10:58:04');
  t.is(shown(shortInstant(new Date('2026-09-01T23:59:00Z'), NOW)), '1 Sep, 23:59');
  t.is(shown(shortInstant(new Date('2025-12-31T00:00:00Z'), NOW)), '31 Dec 2025, 00:00');
  t.is(shown(shortDay('2026-09-30', NOW)), '30 Sep');
  t.is(shown(shortDay(new Date('2025-09-30T12:00:00Z'), NOW)), '30 Sep 2025');
});

test('what will happen says how far it is away', (t) => {
  const after = (seconds: number) => shown(ahead(new Date(NOW.getTime() + seconds * 1_000), NOW));
  t.is(after(-1), 'now');
  t.is(after(59), 'in less than 1 min');
  t.is(after(12 * 60), 'in 12 min');
  t.is(after(12 * 3_600), 'in 12 h');
  t.is(after(9 * 86_400), 'in 9 days');
});

test('a line that is cut in its middle still holds all of its text', (t) => {
  for (const text of ['gcl_TWETGAsEkWQxhRZWIYSq', 'short', '']) {
    const line = copyable({ id: 'line', label: 'id', text, isLine: true }).toString();
    t.is(readText(/<code[^>]*>[^]*<\/code>/.exec(line)![0]), text);
  }
});

test('a page of a list says how many rows it shows, and of how many where they are counted', (t) => {
  const range = (pages: { before: string | null; next: string | null; total?: string }) =>
    /<p>(.*)<\/p>/.exec(paging({ path: '/', ...pages }, 50).toString())?.[1];
  t.is(range({ before: null, next: 'a', total: '1,234' }), '1–50 of 1,234');
  t.is(range({ before: null, next: 'a' }), '1–50 of more than 50');
  t.is(range({ before: 'a', next: 'b', total: '999+' }), '50 of 999+');
  t.is(range({ before: 'a', next: 'b' }), '50 more');
  t.is(range({ before: 'b', next: null }), 'The last 50');
  t.is(range({ before: null, next: null, total: '50' }), undefined);
});

test('a share is 100 % only of all, and a change has separators from a thousand on', (t) => {
  t.is(writePercent(99_999, 100_000), '99.9 %');
  t.is(writePercent(2, 3), '66.7 %');
  t.is(writePercent(3, 3), '100.0 %');
  t.is(writePercent(5, 0), '0 %');
  t.is(writePercentage(12.5), '12.5 %');
  t.is(writePercentage(1_642.7), '1,643 %');
});

test('the sum of counts with a bound says when there may be more', (t) => {
  t.is(writeCappedSum([1_000, 3, 0], 1_000), '1,002+');
  t.is(writeCappedSum([999, 3], 1_000), '1,002');
});

test('an open fold is named by what it was about, not by Cancel alone', (t) => {
  const parts = { summary: 'Revoke', about: 'key of the server', content: html`` };
  t.is(shown(fold(parts)).match(/Cancel: Revoke key of the server/g)?.length, 1);
});

test('an id that is cut for the eye is whole in its text', (t) => {
  const id = 'evt_01H8XGJWBWBAQ4Z2V3N5M6P7Q8';
  t.is(shown(cutId(id)).replace('\u2026', ''), id);
});
