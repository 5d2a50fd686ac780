import { unsafeHtml, type HtmlSafeString } from '@prairielearn/html';
import type { Token } from 'markdown-it';
import { toProgram } from '../html/highlight.ts';
import { code } from '../html/parts/code.ts';
import { note } from '../html/parts/note.ts';
import { isGuide, markdown, parseGuide, slugOf, toPlainText, type Origins } from './guide-text.ts';

export type Guide = {
  name: string;
  title: string;
  /** The first paragraph. */
  lede: HtmlSafeString;
  /** What follows it. */
  html: string;
  /** The headings of its parts. */
  contents: { id: string; text: string; isSub: boolean }[];
  /** How long it takes to read. */
  minutes: number;
};

const WORDS_PER_MINUTE = 220;

const rendered = new Map<string, Guide>();

/** Returns null where there is no such guide. */
export function findGuide(name: string, origins: Origins): Guide | null {
  if (!isGuide(name)) return null;
  const key = `${name} ${origins.baseUrl} ${origins.simulatorUrl}`;
  const guide = rendered.get(key) ?? render(name, origins);
  rendered.set(key, guide);
  return guide;
}

/** A text of one paragraph, such as a description of the reference. */
export function renderInline(text: string): HtmlSafeString {
  return unsafeHtml(markdown.renderInline(text));
}

const { rules } = markdown.renderer;

// A heading is the link to itself.
rules['heading_open'] = (tokens, index) => {
  const slug = slugOf(tokens[index + 1]!.content);
  return `<${tokens[index]!.tag} id="${slug}"><a href="#${slug}">`;
};
rules['heading_close'] = (tokens, index) => `</a></${tokens[index]!.tag}>`;
// What scrolls sideways is reached by keyboard too.
rules['table_open'] = () => '<div class="table" tabindex="0"><table>';
// An address of the docs is a link, which GitHub could not follow.
rules['code_inline'] = (tokens, index) => {
  const text = markdown.utils.escapeHtml(tokens[index]!.content);
  const isAddress = /^\/docs(\/[\w-]+)?$/.test(text);
  return isAddress ? `<a href="${text}"><code>${text}</code></a>` : `<code>${text}</code>`;
};
rules['table_close'] = () => '</table></div>';

function render(name: string, origins: Origins): Guide {
  const tokens = parseGuide(name, origins);
  const named = new Set<string>();
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'tr_open')
      nameRow(token, { first: tokens[index + 2]?.content ?? '', named });
    // The content security policy allows no style in an attribute.
    if (token.type === 'th_open' || token.type === 'td_open') token.attrs = null;
    if (token.type === 'th_open') token.attrSet('scope', 'col');
    for (const child of token.children ?? []) leadWithin(child);
  }
  const [, title, , , lede] = tokens;
  return {
    name,
    title: title!.content,
    lede: write(lede!.children ?? [], true),
    html: write(joinPrograms(toNotes(tokens.slice(6)))).toString(),
    contents: listParts(tokens),
    minutes: Math.ceil(countWords(tokens) / WORDS_PER_MINUTE),
  };
}

function write(tokens: Token[], isInline = false): HtmlSafeString {
  const { renderer, options } = markdown;
  const env = {};
  return unsafeHtml(
    isInline ? renderer.renderInline(tokens, options, env) : renderer.render(tokens, options, env),
  );
}

function countWords(tokens: Token[]): number {
  return tokens
    .filter(({ type }) => type === 'inline' || type === 'fence')
    .reduce((sum, { content }) => sum + content.split(/\s+/).length, 0);
}

function listParts(tokens: Token[]): Guide['contents'] {
  return tokens.flatMap(({ type, tag }, index) => {
    if (type !== 'heading_open' || tag === 'h1') return [];
    const heading = tokens[index + 1]!;
    return [{ id: slugOf(heading.content), text: toPlainText(heading), isSub: tag !== 'h2' }];
  });
}

/** Fences in these languages that follow each other say the same thing: they become tabs. */
const PROGRAMS = new Set(['sh', 'ts', 'python', 'go', 'ruby', 'php']);

function joinPrograms(tokens: Token[]): Token[] {
  const joined: Token[] = [];
  let run: Token[] = [];
  let count = 0;
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'fence') {
      joined.push(token);
      continue;
    }
    run.push(token);
    if (isContinued(run, tokens[index + 1])) continue;
    count += 1;
    joined.push(toBlock(token, writeCode(run, `code-${count}`)));
    run = [];
  }
  return joined;
}

function isContinued(run: Token[], next: Token | undefined): boolean {
  const all = [...run, next];
  return (
    next?.type === 'fence' &&
    all.every((token) => PROGRAMS.has(token!.info)) &&
    new Set(all.map((token) => token!.info)).size === all.length
  );
}

function writeCode(run: Token[], id: string): HtmlSafeString {
  const [first, ...others] = run.map(({ info, content }) => toProgram(info, content));
  return code({ id, programs: [first!, ...others] });
}

const TONES = { NOTE: 'info', TIP: 'ok', IMPORTANT: 'warn', WARNING: 'warn' } as const;

/** A quotation that begins with `[!NOTE]`, as GitHub has it, is a note. */
function toNotes(tokens: Token[]): Token[] {
  const shown: Token[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index]!;
    const tone = token.type === 'blockquote_open' ? readTone(tokens[index + 2]) : null;
    if (tone === null) {
      shown.push(token);
      continue;
    }
    const end = tokens.findIndex(({ type }, at) => at > index && type === 'blockquote_close');
    const inner = tokens.slice(index + 1, end);
    inner[1]!.children!.splice(0, 2); // the mark and the end of its line
    shown.push(toBlock(token, note({ tone, more: write(joinPrograms(inner)) })));
    index = end;
  }
  return shown;
}

function readTone(first: Token | undefined) {
  const [, kind] = /^\[!(\w+)\]\n/.exec(first?.content ?? '') ?? [];
  return kind !== undefined && kind in TONES ? TONES[kind as keyof typeof TONES] : null;
}

/** A token that is written as it is. */
function toBlock({ constructor }: Token, content: HtmlSafeString): Token {
  const block = new (constructor as typeof Token)('html_block', '', 0);
  block.content = content.toString();
  return block;
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
  token.attrs = isGuide(name) ? [['href', `/docs/${name}${fragment}`]] : null;
}
