import test from 'ava';
import {
  validateKeyName,
  validateProductName,
  validateTagline,
} from '../../domain/catalog/product-fields.ts';
import { validateDisplayName } from '../../domain/identity/person-fields.ts';
import { validateTeamName } from '../../domain/teams/team-name.ts';

const NAMES = [
  validateDisplayName,
  validateTeamName,
  validateProductName,
  validateTagline,
  validateKeyName,
];

const INVISIBLE: [string, string][] = [
  ['zero width spaces alone', '\u200b\u200b\u200b'],
  ['a zero width space', 'Ada\u200bShop'],
  ['a word joiner', 'Ada\u2060 Lovelace'],
  ['a right-to-left mark', '\u200fAda'],
  ['an embedding', 'a\u202eb'],
  ['an isolate', 'a\u2066b'],
  ['an Arabic letter mark', 'a\u061cb'],
  ['a soft hyphen', 'gate\u00adhouse'],
  ['a grapheme joiner', 'gate\u034fhouse'],
  ['a Hangul filler', '\u3164'],
  ['a Hangul filler after a letter', 'Ada\u3164'],
  ['a halfwidth Hangul filler', '\uffa0'],
  ['a blank Braille pattern', '\u2800'],
  ['tag characters', 'Ada\u{e0041}\u{e0042}'],
  ['tag characters after a flag', '\u{1f3f4}\u{e0041}\u{e007f}'],
  ['a variation selector after a letter', 'Ada\ufe0f'],
  ['a supplementary variation selector', 'Ada\u{e0100}'],
  ['a joiner in a Latin word', 'gate\u200dhouse'],
  ['a non-joiner in a Latin word', 'gate\u200chouse'],
  ['a joiner at the start', '\u200dAda'],
  ['a joiner after an emoji', 'Ada \u{1f469}\u200d'],
  ['two non-joiners', 'می\u200c\u200cخواهم'],
  ['a variation selector after a digit', '1\ufe0f'],
];

for (const [what, name] of INVISIBLE) {
  test(`a name cannot hide ${what}`, (t) => {
    for (const judge of NAMES) t.is(judge(name).problem, 'unreadable', judge.name);
  });
}

const SHOWN = [
  'می‌خواهم',
  'क्‍ष',
  'ශ්‍රී',
  '🧑🏽‍🚀 Zoë',
  '👨‍👩‍👧',
  '🏳️‍🌈',
  '👩‍❤️‍👨',
  '❤️ Ada',
  '1️⃣',
  '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
  '한국어',
  '日本',
];

for (const name of SHOWN) {
  test(`${name} is a name`, (t) => {
    for (const judge of NAMES) t.deepEqual(judge(name), { value: name, problem: null });
  });
}
