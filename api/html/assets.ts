import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

export type Asset = {
  type: string;
  path: string;
  /** Fonts are compressed already. */
  encodings: readonly Encoding[];
  /** Compressed once, when it is first asked for. */
  bodyIn(encoding: Encoding): Promise<Buffer>;
};

type Encoding = (typeof ENCODINGS)[number];

/** The best first. */
const ENCODINGS = ['br', 'gzip', 'identity'] as const;

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

const COMPRESS: Record<Encoding, (body: Buffer) => Promise<Buffer>> = {
  br: (body) => promisify(brotliCompress)(body, BROTLI),
  gzip: (body) => promisify(gzip)(body),
  identity: async (body) => body,
};

const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

/** The style sheets, scripts, pictures and fonts of the pages, by name; fonts first, which style sheets name. */
export const ASSETS = new Map<string, Asset>();

const FILES = [
  import.meta
    .resolve('@fontsource-variable/hanken-grotesk/files/hanken-grotesk-latin-wght-normal.woff2'),
  import.meta
    .resolve('@fontsource-variable/hanken-grotesk/files/hanken-grotesk-latin-ext-wght-normal.woff2'),
  import.meta.resolve('@fontsource-variable/geist-mono/files/geist-mono-latin-wght-normal.woff2'),
  import.meta.resolve('./icon.svg'),
  import.meta.resolve('./css/base.css'),
  import.meta.resolve('./css/outside.css'),
  import.meta.resolve('./css/store.css'),
  import.meta.resolve('./css/account.css'),
  import.meta.resolve('./css/console.css'),
  import.meta.resolve('./css/docs.css'),
  import.meta.resolve('./copy.js'),
  import.meta.resolve('../account/passkeys/passkeys.js'),
];

for (const url of FILES) {
  const name = url.slice(url.lastIndexOf('/') + 1);
  ASSETS.set(name, readAsset(url, name));
}

/** The path of an asset, with a hash of its bytes: browsers keep it for good. */
export function assetPath(name: string): string {
  const asset = ASSETS.get(name);
  if (!asset) throw new Error(`there is no asset ${name}`);
  return asset.path;
}

function readAsset(url: string, name: string): Asset {
  const extension = name.slice(name.lastIndexOf('.') + 1);
  const file = readFileSync(new URL(url));
  const body = url.includes('/html/css/') ? Buffer.from(squeeze(file.toString())) : file;
  const stem = name.slice(0, -extension.length - 1);
  const digest = hash('sha256', body, 'hex').slice(0, 12);
  const bodies: Partial<Record<Encoding, Promise<Buffer>>> = {};
  const bodyIn = (encoding: Encoding) => (bodies[encoding] ??= COMPRESS[encoding](body));
  const encodings = extension === 'woff2' ? (['identity'] as const) : ENCODINGS;
  return {
    type: TYPES[extension]!,
    path: `/assets/${stem}.${digest}.${extension}`,
    encodings,
    bodyIn,
  };
}

/** A style sheet without comments and indentation, its fonts by their paths. */
function squeeze(sheet: string): string {
  return sheet
    .replaceAll(/\/\*[^]*?\*\//g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};>]) ?/g, '$1')
    .replaceAll(';}', '}')
    .replaceAll(/([:,]) /g, '$1')
    .replaceAll(/(?<=[ :(,-])0\./g, '.')
    .replaceAll(/(?<=@media) (?=\()| (?=!important)/g, '')
    .replaceAll(/url\((?<font>[\w-]+\.woff2)\)/g, (_, font: string) => `url(${assetPath(font)})`);
}
