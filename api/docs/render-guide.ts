import { readFileSync } from 'node:fs';
import MarkdownIt, { type Token } from 'markdown-it';
import type { Services } from '../services.ts';

/** The guides of `docs/` by reader, in reading order. */
export const SHELVES: [reader: string, guides: string[]][] = [
  ['Integrate a product', ['new-builder', 'sign-in', 'access', 'api-keys', 'webhooks', 'buy-link']],
  ['Sell a product', ['products', 'money', 'subscriptions', 'member', 'pool-and-seal']],
  ['Your account', ['accounts', 'teams', 'privacy']],
  ['Run Gatehouse', ['running-in-production', 'operating', 'security', 'simulator']],
  ['Read the code', ['first-change', 'architecture', 'commands', 'performance', 'glossary']],
];

export type Guide = {
  name: string;
  title: string;
  html: string;
  /** The headings of its parts. */
  contents: { id: string; text: string }[];
};

/** The addresses of this installation. */
export type Origins = { baseUrl: string; simulatorUrl: string | null };

export function originsOf({ baseUrl, processor }: Services['config']): Origins {
  return { baseUrl, simulatorUrl: processor.kind === 'simulator' ? processor.apiUrl : null };
}

/** What the files say; a page says where this installation is. */
const STORE = 'http://localhost:3000';
const SIMULATOR = 'http://localhost:3100';

const FOLDER = new URL('../../docs/', import.meta.url);
const NAMES = new Set(SHELVES.flatMap(([, guides]) => guides));
const markdown = new MarkdownIt();
const rendered = new Map<string, Guide>();

/** Returns null where there is no such guide. */
export function findGuide(name: string, origins: Origins): Guide | null {
  if (!NAMES.has(name)) return null;
  const key = `${name} ${origins.baseUrl} ${origins.simulatorUrl}`;
  const guide = rendered.get(key) ?? render(name, origins);
  rendered.set(key, guide);
  return guide;
}

/** The first program of a guide in a language; the guide is where it is kept and tried. */
export function readProgram(name: string, language: string, origins: Origins): string {
  const tokens = parse(name, origins);
  const fence = tokens.find(({ type, info }) => type === 'fence' && info === language);
  if (!fence) throw new Error(`docs/${name}.md has no program in ${language}`);
  return fence.content;
}

function parse(name: string, { baseUrl, simulatorUrl }: Origins): Token[] {
  const text = readFileSync(new URL(`${name}.md`, FOLDER), 'utf8');
  const here = text.replaceAll(STORE, baseUrl).replaceAll(SIMULATOR, simulatorUrl ?? SIMULATOR);
  return markdown.parse(here, {});
}

function render(name: string, origins: Origins): Guide {
  const tokens = parse(name, origins);
  const named = new Set<string>();
  for (const [index, token] of tokens.entries()) {
    const content = tokens[index + 1]?.content ?? '';
    if (token.type === 'tr_open')
      nameRow(token, { first: tokens[index + 2]?.content ?? '', named });
    if (token.type === 'heading_open') token.attrSet('id', slugOf(content));
    // The content security policy allows no style in an attribute.
    if (token.type === 'th_open' || token.type === 'td_open') token.attrs = null;
    for (const child of token.children ?? []) leadWithin(child);
  }
  // What scrolls sideways is reached by keyboard too.
  const rendition = markdown.renderer.render(tokens, markdown.options, {});
  const html = rendition.replaceAll(/<(pre|table)>/g, '<$1 tabindex="0">');
  return { name, title: tokens[1]!.content, html, contents: listParts(tokens) };
}

function listParts(tokens: Token[]): Guide['contents'] {
  return tokens.flatMap(({ type, tag }, index) => {
    if (type !== 'heading_open' || tag !== 'h2') return [];
    const text = tokens[index + 1]!.content;
    return [{ id: slugOf(text), text: text.replaceAll('`', '') }];
  });
}

/** A row about a name of two words or more, as an alert's, has the name as its anchor. */
function nameRow(row: Token, { first, named }: { first: string; named: Set<string> }): void {
  const [, name] = /^`([a-z]+(?:_[a-z]+)+)`$/.exec(first) ?? [];
  if (name === undefined || named.has(name)) return;
  named.add(name);
  row.attrSet('id', name);
}

/** A link between the files is one between the pages; files that are no guide have no page. */
function leadWithin(token: Token): void {
  const href = token.type === 'link_open' ? String(token.attrGet('href')) : '#';
  if (href.startsWith('#') || URL.canParse(href)) return;
  const [, name = '', fragment = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  token.attrs = NAMES.has(name) ? [['href', `/docs/${name}${fragment}`]] : null;
}

/** Names a heading as GitHub does, so that a link works in both places. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
