// How texts become the words that are searched for: of products and of queries in the same way.
import { foldText } from '../../shared/normalise.ts';

const LONGEST_QUERY = 200;
const MOST_WORDS = 8;
/** A longer run of letters is found by its beginning. */
const LONGEST_WORD = 40;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** The words of a text: lower case, without accents and punctuation. */
export function toWords(text: string): string[] {
  const words = foldText(text).match(WORD) ?? [];
  return words.map((word) => [...word].slice(0, LONGEST_WORD).join(''));
}

/** A name as it is compared; one without any word, such as an emoji, stands for itself. */
export function toComparedName(name: string): string {
  return toWords(name).join(' ') || foldText(name).trim();
}

export type SearchQuery = {
  /** The text that is looked for, as pages show it. */
  text: string;
  name: string;
  words: string[];
  isCut: boolean;
  hasMoreWords: boolean;
};

/** Reads what somebody typed; NUL and lone surrogates, which PostgreSQL cannot hold, are dropped. */
export function readSearchQuery(typed: string): SearchQuery {
  const readable = typed.slice(0, 2 * LONGEST_QUERY + 1).replaceAll(/[\0\p{Cs}]/gu, '');
  const characters = [...readable.trim()];
  const text = characters.slice(0, LONGEST_QUERY).join('').trim();
  const words = toWords(text);
  return {
    text,
    name: toComparedName(text),
    words: [...new Set(words)].slice(0, MOST_WORDS),
    isCut: characters.length > LONGEST_QUERY,
    hasMoreWords: words.length > MOST_WORDS,
  };
}
