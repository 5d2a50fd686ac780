import test from 'ava';
import {
  validateDescription,
  validateSupportAddress,
  validateTags,
} from '../../../domain/catalog/listing-fields.ts';
import {
  isComplete,
  listListingRequirements,
} from '../../../domain/catalog/listing-requirements.ts';
import { validateDay, validateNotes } from '../../../domain/catalog/releases/release-fields.ts';

test('a description keeps what Markdown reads: spaces, tabs and empty lines', (t) => {
  const typed = '\r\n \n    code\tone  \r\n\n\n- a\n  - b\n\n';
  t.is(validateDescription(typed).value, '    code\tone  \n\n\n- a\n  - b');
  t.deepEqual(validateDescription(' \r\n '), { value: null, problem: null });
});

test('a description has at most 20,000 characters and 32 KiB', (t) => {
  const problemOf = (typed: string) => validateDescription(typed).problem;
  t.is(problemOf('x'.repeat(20_000)), null);
  t.is(problemOf('x'.repeat(20_001)), 'too_long');
  t.is(problemOf('\u{1f600}'.repeat(8_192)), null, '32 KiB');
  t.is(problemOf('\u{1f600}'.repeat(8_193)), 'too_long');
  t.is(problemOf('x'.repeat(200_000)), 'too_long');
  for (const hidden of ['\0', '\u0007', '\ud800', '\u202e']) {
    t.is(problemOf(`a${hidden}b`), 'unreadable', JSON.stringify(hidden));
  }
});

test('a description has at most 2,000 marks, of which lines and links are some', (t) => {
  const problemOf = (typed: string) => validateDescription(typed).problem;
  for (const [mark, most] of [
    ['*a* ', 1_000],
    ['[a](http://a.b) ', 285],
    ['http://a.b ', 400],
    ['- a\n', 2_000],
    ['a\n\n', 1_000],
  ] as const) {
    t.is(problemOf(`${mark.repeat(most)}z`), null, mark);
    t.is(problemOf(`${mark.repeat(most + 1)}z`), 'too_many_marks', mark);
  }
});

const TAGS: [string, string[], string | null][] = [
  ['', [], null],
  [' notes, Time  Tracking,notes ,\n,ab', ['notes', 'time-tracking', 'ab'], null],
  ['x'.repeat(24), ['x'.repeat(24)], null],
  ['x'.repeat(25), ['x'.repeat(25)], 'not_a_tag'],
  ['a', ['a'], 'not_a_tag'],
  ['-ab', ['-ab'], 'not_a_tag'],
  ['c++', ['c++'], 'not_a_tag'],
  ['über', ['über'], 'not_a_tag'],
];

test('up to 12 tags are slugs of 2 to 24 characters, each once', (t) => {
  for (const [typed, value, problem] of TAGS) {
    t.deepEqual(validateTags(typed), { value, problem } as object, typed);
  }
  const many = Array.from({ length: 13 }, (_, index) => `tag-${index}`);
  t.is(validateTags(many.slice(1).join()).problem, null);
  t.is(validateTags(many.join()).problem, 'too_many');
});

const SUPPORT: [string, string | null, string | null][] = [
  ['', null, null],
  [' help@müller.example ', 'help@xn--mller-kva.example', null],
  ['https://seller.example/help', 'https://seller.example/help', null],
  ['https://mastodon.example/@seller', 'https://mastodon.example/@seller', null],
  ['help@seller', 'help@seller', 'not_an_address'],
  ['seller.example/help', 'seller.example/help', 'not_a_url'],
  ['http://seller.example', 'http://seller.example', 'not_https'],
  ['javascript:alert(1)', 'javascript:alert(1)', 'not_a_url'],
  ['https://help@seller.example/', 'https://help@seller.example/', 'not_a_url'],
];

test('a support address is an email address or a page over https', (t) => {
  for (const [typed, value, problem] of SUPPORT) {
    const validated = validateSupportAddress(typed, 'https://gatehouse.example');
    t.deepEqual(validated, { value, problem } as object, typed);
  }
});

const COMPLETE = {
  websiteUrl: 'https://seller.example/',
  category: 'games',
  description: '\u{1f600}'.repeat(100),
  hasIcon: true,
  supportAddress: 'help@seller.example',
} as const;

test('a first listing needs website, category, a description of 100 characters, icon and support address', (t) => {
  t.true(isComplete(COMPLETE));
  const missing = (without: object) =>
    listListingRequirements({ ...COMPLETE, ...without })
      .filter(({ isMet }) => !isMet)
      .map(({ code }) => code);
  t.deepEqual(missing({ websiteUrl: null }), ['website']);
  t.deepEqual(missing({ category: null }), ['category']);
  t.deepEqual(missing({ description: '\u{1f600}'.repeat(99) }), ['description']);
  t.deepEqual(missing({ description: null, hasIcon: false }), ['description', 'icon']);
  t.deepEqual(missing({ supportAddress: null }), ['support_address']);
});

test('a release is of a real day or of none, with notes of at most 4,000 characters', (t) => {
  t.deepEqual(validateDay(' 2028-02-29 ').value, new Date('2028-02-29T00:00:00Z'));
  t.deepEqual(validateDay(''), { value: null, problem: null });
  for (const typed of [
    '2027-02-29',
    '29.2.2028',
    '2028-2-9',
    '02028-02-29',
    '0000-01-01',
    '9999-01-01',
  ]) {
    t.is(validateDay(typed).problem, 'not_a_day', typed);
  }
  t.is(validateNotes('x'.repeat(4_000)).problem, null);
  t.is(validateNotes('x'.repeat(4_001)).problem, 'too_long');
  t.deepEqual(validateNotes('\n'), { value: null, problem: null });
});
