import { normaliseText } from './normalise.ts';

export type LineProblem = 'required' | 'too_long' | 'unreadable';

// Controls, lone surrogates, characters without a glyph, and characters that turn the text
// direction.
const UNREADABLE = /[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Cf}\p{DI}\u2028\u2029\u2800\ufffd]/u;

// Scripts whose spelling needs joiners.
const SCRIPTS =
  'Arab Beng Deva Gujr Guru Khmr Knda Mlym Mong Mymr Nkoo Orya Sinh Syrc Taml Telu Tibt'.split(' ');
const LETTER = `[[\\p{L}\\p{M}]&&[${SCRIPTS.map((script) => `\\p{scx=${script}}`).join('')}]]`;

// Invisible characters that change what is shown: joiners between letters, and the parts of an
// emoji.
const SHOWN = new RegExp(
  [
    `(?<=${LETTER})[\\u200c\\u200d](?=${LETTER})`,
    '(?<=[\\p{ExtPict}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{ExtPict})',
    '(?<=\\p{ExtPict})[\\ufe0e\\ufe0f]',
    '(?<=[#*0-9])\\ufe0f(?=\\u20e3)',
    '\\p{RGI_Emoji_Tag_Sequence}',
  ].join('|'),
  'gv',
);

/** One line for people, such as a name: spaces are folded, invisible characters refused. */
export function validateLine(given: string, longest: number): Validated {
  return validate(given, { longest, tidy: foldSpaces });
}

/** Paragraphs for people: each line by itself, with one empty line at most between two. */
export function validateLines(given: string, longest: number): Validated {
  return validate(given, { longest, tidy: foldLines });
}

export type MarkdownProblem = LineProblem | 'too_many_marks';

/**
 * A text with that many marks takes up to 25 ms of a core to render, and a full one of marks alone took
 * up to 68 ms: it is rendered on the thread that serves requests.
 */
const MOST_MARKS = 2_000;
/** What begins or ends an emphasis, code, the text of a link, an item of a list or a paragraph. */
const MARK = /[*_`[\]<>\n]/g;
/** An address takes as long as several marks. */
const ADDRESS = /:\/\//g;
const MARKS_OF_ADDRESS = 5;

/**
 * A text in Markdown: spaces at both ends of a line mean something, so they stay. Returns null when
 * nothing was typed; a refused text stays as it was typed.
 */
export function validateMarkdown(
  typed: string,
  longest: number,
): { value: string | null; problem: MarkdownProblem | null } {
  const { value, problem } = validate(typed, { longest, tidy: keepSpaces });
  if (problem === 'required') return { value: null, problem: null };
  const count = (what: RegExp) => value.match(what)?.length ?? 0;
  const marks = count(MARK) + MARKS_OF_ADDRESS * count(ADDRESS);
  if (problem === null && marks > MOST_MARKS) return { value: typed, problem: 'too_many_marks' };
  return { value: problem === null ? value : typed, problem };
}

type Validated = { value: string; problem: LineProblem | null };

type Wanted = { longest: number; tidy: (text: string) => string };

function validate(given: string, { longest, tidy }: Wanted): Validated {
  const normal = normaliseText(given, { form: 'NFC', longest });
  if (normal === null) return { value: '', problem: 'too_long' };
  const value = tidy(normal);
  if (value === '') return { value, problem: 'required' };
  if ([...value].length > longest) return { value: '', problem: 'too_long' };
  const isUnreadable = UNREADABLE.test(value.replaceAll(/[\n\t]/g, ' ').replaceAll(SHOWN, ''));
  return { value, problem: isUnreadable ? 'unreadable' : null };
}

function foldSpaces(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim();
}

function keepSpaces(text: string): string {
  const lines = text.replaceAll(/\r\n|\r/gu, '\n');
  return lines.replace(/^(?:[ \t]*\n)+/u, '').trimEnd();
}

function foldLines(text: string): string {
  const lines = text.split(/\r\n|[\r\n]/u).map(foldSpaces);
  return lines
    .join('\n')
    .replaceAll(/\n{3,}/gu, '\n\n')
    .trim();
}
