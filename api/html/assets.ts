import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

export type Asset = {
  type: string;
  path: string;
  /** Compressed once, when it is first asked for: the largest has 1.5 MB. */
  bodyIn(encoding: Encoding): Promise<Buffer>;
};

type Encoding = (typeof ENCODINGS)[number];

/** The best first. */
export const ENCODINGS = ['br', 'gzip', 'identity'] as const;

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
};

/** The style sheets, scripts and pictures of the pages, by name. */
export const ASSETS = new Map(
  [
    import.meta.resolve('@picocss/pico/css/pico.min.css'),
    import.meta.resolve('swagger-ui-dist/swagger-ui.css'),
    import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
    import.meta.resolve('./icon.svg'),
    import.meta.resolve('./gatehouse.css'),
    import.meta.resolve('./banner.css'),
    import.meta.resolve('./copy.js'),
    import.meta.resolve('../account/passkeys/passkeys.js'),
    import.meta.resolve('../docs/reference.css'),
    import.meta.resolve('../docs/reference.js'),
  ].map((url) => {
    const name = url.slice(url.lastIndexOf('/') + 1);
    return [name, readAsset(url, name)];
  }),
);

/** The path of an asset, with a hash of its bytes: browsers keep it for good. */
export function assetPath(name: string): string {
  const asset = ASSETS.get(name);
  if (!asset) throw new Error(`there is no asset ${name}`);
  return asset.path;
}

function readAsset(url: string, name: string): Asset {
  const body = readFileSync(new URL(url));
  const extension = name.slice(name.lastIndexOf('.') + 1);
  const stem = name.slice(0, -extension.length - 1);
  const digest = hash('sha256', body, 'hex').slice(0, 12);
  const path = `/assets/${stem}.${digest}.${extension}`;
  const bodies: Partial<Record<Encoding, Promise<Buffer>>> = {};
  const bodyIn = (encoding: Encoding) => (bodies[encoding] ??= COMPRESS[encoding](body));
  return { type: TYPES[extension]!, path, bodyIn };
}
