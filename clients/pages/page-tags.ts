import { setImmediate as nextTurn } from 'node:timers/promises';
import { Parser } from 'htmlparser2';

type Attributes = Record<string, string>;

/** The tags of a page that say something about it, in the order of the page. */
export type PageTags = {
  title: string | null;
  /** The first address of `base`. */
  base: string | null;
  metas: Attributes[];
  links: Attributes[];
  /** The texts of JSON-LD. */
  blocks: string[];
  /** The page went on after its head: all that it says about itself was read. */
  isHeadOver: boolean;
};

/** Time grows with the square of the depth: 100,000 nested elements take seconds. */
const MOST_DEPTH = 256;
const MOST_TAGS = 20_000;
const MOST_OF_A_KIND = 500;

const IN_HEAD = new Set(
  'html head title base meta link script style noscript template object'.split(' '),
);

/** What is read at once: a whole page would hold up what else the process does. */
const PART = 64 * 1_024;

/** Reads a page as a stream, as far as its depth and its tags allow. */
export async function readTags(text: string, { isXml }: { isXml: boolean }): Promise<PageTags> {
  const tags: PageTags = {
    title: null,
    base: null,
    metas: [],
    links: [],
    blocks: [],
    isHeadOver: false,
  };
  let depth = 0;
  let count = 0;
  let foreignDepth = 0;
  const isEnough = () => depth > MOST_DEPTH || count > MOST_TAGS;
  /** The parts of the text that is being read. */
  let parts: string[] | null = null;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        depth += 1;
        count += 1;
        if (isEnough()) return parser.pause();
        if (name === 'svg') foreignDepth += 1;
        if (!IN_HEAD.has(name) && foreignDepth === 0) tags.isHeadOver = true;
        if (isTextRead(name, attributes, tags) && foreignDepth === 0) parts = [];
        keepTag(name, attributes, tags);
      },
      ontext(part) {
        parts?.push(part);
      },
      onclosetag(name) {
        depth -= 1;
        if (name === 'svg') foreignDepth -= 1;
        if (name === 'head') tags.isHeadOver = true;
        if (parts === null) return;
        if (name === 'title') tags.title ??= parts.join('');
        else tags.blocks.push(parts.join(''));
        parts = null;
      },
    },
    { recognizeSelfClosing: isXml, recognizeCDATA: isXml },
  );
  for (let at = 0; at < text.length && !isEnough(); at += PART) {
    parser.write(text.slice(at, at + PART));
    await nextTurn();
  }
  return tags;
}

function isTextRead(name: string, { type = '' }: Attributes, tags: PageTags): boolean {
  if (name === 'title') return tags.title === null;
  return name === 'script' && /^\s*application\/ld\+json/i.test(type);
}

function keepTag(name: string, attributes: Attributes, tags: PageTags): void {
  if (name === 'base') tags.base ??= attributes['href'] ?? null;
  const kind = name === 'meta' ? tags.metas : name === 'link' ? tags.links : [];
  if (kind.length < MOST_OF_A_KIND) kind.push(attributes);
}
