// A search over the headings and the paragraphs of the docs, which are few enough to be read whole.

export type Entry = {
  path: string;
  /** The page that it is on. */
  page: string;
  heading: string;
  text: string;
  /** Is the whole page, and not a part of it. */
  isPage: boolean;
  /** The names above its heading, from the shelf down. */
  trail: string[];
};

export type Indexed = Entry & {
  words: { page: string; heading: string; text: string };
};

const MOST_HITS = 20;
const MOST_OF_A_PAGE = 3;

const SCORES = { title: 10, heading: 5, page: 3, text: 1 };

export function indexEntries(entries: Entry[]): Indexed[] {
  return entries.map((entry) => ({
    ...entry,
    words: {
      page: joinWords(entry.page),
      heading: joinWords(entry.heading),
      text: joinWords(entry.text),
    },
  }));
}

function toWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Each word follows a space: a word of a query is found by its beginning. */
const joinWords = (text: string) => ` ${toWords(text).join(' ')}`;

/** Finds entries that have every word, the best first. */
export function findEntries(index: readonly Indexed[], query: string): Indexed[] {
  const words = [...new Set(toWords(query))];
  if (words.length === 0) return [];
  const found = index
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score);
  const counts = new Map<string, number>();
  return found
    .map(({ entry }) => entry)
    .filter(({ page }) => {
      const count = (counts.get(page) ?? 0) + 1;
      counts.set(page, count);
      return count <= MOST_OF_A_PAGE;
    })
    .slice(0, MOST_HITS);
}

/** Is zero where a word is missing. */
function scoreOf({ words: { page, heading, text }, isPage }: Indexed, words: string[]): number {
  let score = 0;
  for (const word of words) {
    const start = ` ${word}`;
    const inHeading = heading.includes(start);
    const inText = text.includes(start);
    const inPage = page.includes(start);
    if (!inHeading && !inText && !inPage) return 0;
    if (inHeading) score += isPage ? SCORES.title : SCORES.heading;
    else if (inPage) score += SCORES.page;
    if (inText && !(isPage && inHeading)) score += SCORES.text;
  }
  return score;
}

export type Piece = { text: string; isMarked: boolean };

const SNIPPET = 180;
const BEFORE = 60;

/** The text around the first word of the query. */
export function snippetOf(text: string, query: string): Piece[] {
  const words = toWords(query);
  const at = Math.max(0, text.search(patternOf(words)));
  const from = at <= BEFORE ? 0 : text.indexOf(' ', at - BEFORE) + 1;
  const end = text.length <= from + SNIPPET ? text.length : text.lastIndexOf(' ', from + SNIPPET);
  const shown = `${from > 0 ? '… ' : ''}${text.slice(from, Math.max(end, from)).trim()}${end < text.length ? ' …' : ''}`;
  return markWords(shown, query);
}

export function markWords(text: string, query: string): Piece[] {
  const words = toWords(query);
  if (words.length === 0) return [{ text, isMarked: false }];
  return text
    .split(patternOf(words))
    .map((piece, index) => ({ text: piece, isMarked: index % 2 === 1 }))
    .filter((piece) => piece.text !== '');
}

function patternOf(words: string[]): RegExp {
  const longestFirst = words.toSorted((one, other) => other.length - one.length);
  return new RegExp(`(?<![\\p{L}\\p{N}])(${longestFirst.join('|')})`, 'giu');
}
