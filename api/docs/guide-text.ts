// The files of the guides, each read once.
import { readFileSync } from 'node:fs';
import MarkdownIt, { type Token } from 'markdown-it';
import type { Services } from '../services.ts';
import { SHELVES } from './shelves.ts';

/** The addresses of this installation. */
export type Origins = { baseUrl: string; simulatorUrl: string | null };

export function originsOf({ baseUrl, processor }: Services['config']): Origins {
  return { baseUrl, simulatorUrl: processor.kind === 'simulator' ? processor.apiUrl : null };
}

/** What the files say; a page says where this installation is. */
const STORE = 'http://localhost:3000';
const SIMULATOR = 'http://localhost:3100';

const FOLDER = new URL('../../docs/', import.meta.url);

const NAMES = new Set(SHELVES.flatMap(({ guides }) => guides.map(({ name }) => name)));
const texts = new Map<string, string>();

export const markdown = new MarkdownIt();

export function isGuide(name: string): boolean {
  return NAMES.has(name);
}

function readText(name: string): string {
  const text = texts.get(name) ?? readFileSync(new URL(`${name}.md`, FOLDER), 'utf8');
  texts.set(name, text);
  return text;
}

/** The title of a guide that is there. */
export function titleOf(name: string): string {
  return /^# (.+)$/m.exec(readText(name))![1]!;
}

export function parseGuide(name: string, { baseUrl, simulatorUrl }: Origins): Token[] {
  const text = readText(name);
  const here = text.replaceAll(STORE, baseUrl).replaceAll(SIMULATOR, simulatorUrl ?? SIMULATOR);
  return markdown.parse(here, {});
}

/** The first program of a guide in a language; the guide is where it is kept and tried. */
export function readProgram(name: string, language: string, origins: Origins): string {
  const tokens = parseGuide(name, origins);
  const fence = tokens.find(({ type, info }) => type === 'fence' && info === language);
  if (!fence) throw new Error(`docs/${name}.md has no program in ${language}`);
  return fence.content;
}

/** A part of a guide under its heading; the first one has the title alone. */
type Passage = {
  id: string | null;
  heading: string;
  text: string;
  /** The heading of the part that this part belongs to. */
  above: string[];
};

/** The parts of a guide as plain text: paragraphs, lists and tables, and no code. */
export function readPassages(name: string, origins: Origins): Passage[] {
  const passages: Passage[] = [];
  const tokens = parseGuide(name, origins);
  let part: string[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'inline') continue;
    const { type, tag } = tokens[index - 1]!;
    const words = toPlainText(token);
    if (type === 'heading_open') {
      const id = passages.length === 0 ? null : slugOf(token.content);
      passages.push({ id, heading: words, text: '', above: tag === 'h3' ? part : [] });
      if (tag === 'h2') part = [words];
    } else if (type !== 'th_open' && type !== 'td_open') passages.at(-1)!.text += `${words} `;
    else if (tokens[index - 2]!.type === 'tr_open' && type === 'td_open')
      passages.at(-1)!.text += writeRow(tokens, index);
  }
  return passages;
}

/** A row of a table as a sentence: its first cell, and what the others say of it. */
function writeRow(tokens: Token[], at: number): string {
  const end = tokens.findIndex(({ type }, index) => index > at && type === 'tr_close');
  const cells = tokens.slice(at, end).filter(({ type }) => type === 'inline');
  const [first, ...others] = cells.map(toPlainText).filter((cell) => cell !== '' && cell !== 'x');
  if (first === undefined) return '';
  const sentence = others.length === 0 ? first : `${first}: ${others.join(', ')}`;
  return sentence.endsWith('.') ? `${sentence} ` : `${sentence}. `;
}

export function toPlainText({ children }: Token): string {
  return (children ?? [])
    .map(({ type, content }) => (type === 'softbreak' ? ' ' : content))
    .join('');
}

/** Names a heading as GitHub does, so that a link works in both places. */
export function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
