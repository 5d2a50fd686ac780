import test from 'ava';
import { readPage, type PageFindings } from '../../../clients/pages/read-page.ts';

const ADDRESS = 'https://paper.example/start/';

type Changes = { contentType?: string; address?: string; isCut?: boolean };

async function read(page: string | Uint8Array, changes: Changes = {}): Promise<PageFindings> {
  const found = await tryRead(page, changes);
  if ('refused' in found) throw new Error(found.refused);
  return found;
}

const tryRead = (page: string | Uint8Array, changes: Changes = {}) =>
  readPage({
    bytes: typeof page === 'string' ? Buffer.from(page) : page,
    contentType: 'text/html',
    address: ADDRESS,
    isCut: false,
    ...changes,
  });

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))),
  );

const jsonLd = (text: string) => `<script type="application/ld+json">${text}</script>`;

/** 請求書, an invoice. */
const SHIFT_JIS = [0x90, 0xbf, 0x8b, 0x81, 0x8f, 0x91];

const ENCODINGS: [string, Uint8Array, string | undefined, string][] = [
  [
    'Shift_JIS in a meta alone',
    bytes(
      '<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS"><title>',
      SHIFT_JIS,
      '</title>',
    ),
    'text/html',
    '請求書',
  ],
  [
    'Shift_JIS in the header alone',
    bytes('<title>', SHIFT_JIS, '</title>'),
    'TEXT/HTML; Charset="shift_jis"',
    '請求書',
  ],
  [
    'a declared UTF-8 that is windows-1252',
    bytes('<meta charset="utf-8"><title>', [0x93], 'Caf', [0xe9, 0x94], '</title>'),
    'text/html; charset=utf-8',
    '“Café”',
  ],
  ['windows-1252 undeclared', bytes('<title>Caf', [0xe9], '</title>'), undefined, 'Café'],
  ['UTF-8 undeclared', bytes('<title>Café</title>'), undefined, 'Café'],
  [
    'UTF-8 after 1,024 bytes without a declaration',
    bytes(`<!-- ${'x'.repeat(2_000)} --><title>Café</title>`),
    undefined,
    'Café',
  ],
  [
    'an unknown encoding in the header',
    bytes('<title>Café ', [0xff], '</title>'),
    'text/html; charset=x-sjis2',
    'Café \ufffd',
  ],
  [
    'an unknown encoding in a meta',
    bytes('<meta charset="utf-7"><title>Café ', [0xff], '</title>'),
    undefined,
    'Café \ufffd',
  ],
  [
    'an encoding that must not be decoded',
    bytes('<title>Cafe</title>'),
    'text/html; charset=iso-2022-kr',
    'Cafe',
  ],
  [
    'UTF-16 by its mark',
    Buffer.from('\ufeff<title>Café</title>', 'utf16le'),
    'text/html; charset=utf-8',
    'Café',
  ],
];

for (const [what, page, contentType = 'text/html', expected] of ENCODINGS) {
  test(`the title of a page in ${what}`, async (t) => {
    t.is((await read(page, { contentType })).name, expected);
  });
}

test('a page that is cut within a character is UTF-8 still', async (t) => {
  const cut = bytes('<head><title>Café</title></head>', [0xe2, 0x82]);
  t.is((await read(cut, { isCut: true })).name, 'Café');
});

test('entities are decoded once', async (t) => {
  t.is((await read('<title>Why JSON isn&#039;t</title>')).name, "Why JSON isn't");
  t.is((await read('<meta property="og:title" content="A &amp;#039; B">')).name, 'A &#039; B');
  t.is((await read(jsonLd('{"@type":"Product","name":"A &amp; B"}'))).name, 'A &amp; B');
});

const IMAGES: [string, string, string][] = [
  ['', '/a.png', 'https://paper.example/a.png'],
  ['', 'a.png', 'https://paper.example/start/a.png'],
  ['', '//cdn.example/a.png', 'https://cdn.example/a.png'],
  ['<base href="/assets/">', 'a.png', 'https://paper.example/assets/a.png'],
  ['<base href="//cdn.example/x/"><base href="/y/">', 'a.png', 'https://cdn.example/x/a.png'],
  ['<base href="javascript:1">', 'a.png', 'https://paper.example/start/a.png'],
  [
    '',
    'https://proxy.example/300x/https://origin.example/a//b.png?c=https://d',
    'https://proxy.example/300x/https://origin.example/a//b.png?c=https://d',
  ],
];

for (const [base, image, expected] of IMAGES) {
  test(`the picture ${image} after ${base || 'no base'}`, async (t) => {
    const { screenshots } = await read(`<meta property="og:image" content="${image}">${base}`);
    t.deepEqual(screenshots, [expected]);
  });
}

test('pictures have addresses of the web, without a user, each once', async (t) => {
  const images = [
    'data:image/png;base64,AA',
    'ftp://a.example/a',
    'https://u:p@a.example/',
    'http://[',
  ];
  const metas = [...images, '/a.png', '/a.png', `/${'x'.repeat(3_000)}`].map(
    (image) => `<meta property="og:image" content="${image}">`,
  );
  t.deepEqual((await read(metas.join(''))).screenshots, ['https://paper.example/a.png']);
  const many = Array.from({ length: 9 }, (_, n) => `<meta name="og:image" content="/${n}.png">`);
  t.is((await read(many.join(''))).screenshots.length, 8);
});

test('a page that is cut before its head is over is too large', async (t) => {
  const start = `<html><head><style>${' '.repeat(5_000)}</style>`;
  t.deepEqual(await tryRead(start, { isCut: true }), { refused: 'too_large' });
  const title = '<meta property="og:title" content="Paper">';
  t.like(await read(`${start}${title}</head>`, { isCut: true }), { name: 'Paper', isCut: true });
  t.like(await read(`${start}${title}<p>without a body`, { isCut: true }), { name: 'Paper' });
  t.like(await read(start), { name: null, isCut: false });
});

test('tags in the body are used, and a page needs no head', async (t) => {
  t.is((await read('<body><p><meta property="og:title" content="Paper"></p>')).name, 'Paper');
  t.is((await read('<svg><title>Logo</title></svg><title>Paper</title>')).name, 'Paper');
});

const BLOCKS: [string, string][] = [
  ['in CDATA', '<![CDATA[ {"@type":"Product","name":"Paper"} ]]>'],
  ['in a comment of a script and CDATA', '//<![CDATA[\n{"@type":"Product","name":"Paper"}\n//]]>'],
  ['in a comment of CSS and CDATA', '/*<![CDATA[*/ [{"@type":"Product","name":"Paper"}] /*]]>*/'],
  ['in a comment of HTML', '<!--\n{"@type":"Product","name":"Paper"}\n-->'],
  ['with a semicolon at its end', '{"@type":"Product","name":"Paper"};'],
  [
    'with a line break in a text',
    '{"@type":"Product","name":"Paper","description":"One\r\n\ttwo"}',
  ],
  ['in a graph', '{"@graph":[{"@type":"WebSite","name":"No"},{"@type":"Product","name":"Paper"}]}'],
  ['with several types', '{"@type":["A","SoftwareApplication"],"name":"Paper"}'],
  ['with a type by its address', '{"@type":"https://schema.org/WebApplication","name":"Paper"}'],
  ['in a list', '[{"@type":"Person","name":"No"},{"@type":"MobileApplication","name":"Paper"}]'],
  ['beside a product', '[{"@type":"Product","name":"No"},{"@type":"VideoGame","name":"Paper"}]'],
];

for (const [what, block] of BLOCKS) {
  test(`JSON-LD ${what} is found`, async (t) => {
    t.is((await read(`<title>Title</title>${jsonLd(block)}`)).name, 'Paper');
  });
}

test('of two blocks of JSON-LD the good one counts', async (t) => {
  const good = jsonLd('{"@type":"Product","name":"Paper"}');
  t.is((await read(jsonLd('{"@type":"Product", name}') + good)).name, 'Paper');
  t.is((await read(jsonLd('') + jsonLd('null') + jsonLd('7') + good)).name, 'Paper');
  t.is((await read(jsonLd(`${'['.repeat(50_000)}`) + good)).name, 'Paper');
});

test('a page is read in the order JSON-LD, OpenGraph, Twitter, HTML', async (t) => {
  const product = {
    '@type': 'SoftwareApplication',
    name: 'Paper',
    slogan: 'Paper that files itself',
    description: 'Scans, files and finds each sheet of paper.',
    logo: { '@type': 'ImageObject', url: '/logo.png' },
    screenshot: ['/one.png', { contentUrl: '/two.png' }],
    softwareHelp: { url: '/docs' },
    codeRepository: 'https://code.example/paper',
    releaseNotes: 'https://paper.example/changes',
  };
  const page = `<title>Title</title><meta name="description" content="HTML">
    <meta name="twitter:title" content="Twitter"><meta property="og:title" content="Graph">
    <meta property="og:image" content="/og.png"><meta name="twitter:image" content="/card.png">
    <link rel="icon" href="/16.png" sizes="16x16">`;
  t.deepEqual(await read(page + jsonLd(JSON.stringify(product))), {
    name: 'Paper',
    tagline: 'HTML',
    description: 'Scans, files and finds each sheet of paper.',
    icons: ['https://paper.example/logo.png', 'https://paper.example/16.png'],
    skippedIcons: [],
    screenshots: ['one', 'two', 'og', 'card'].map((name) => `https://paper.example/${name}.png`),
    links: {
      site: ADDRESS,
      docs: 'https://paper.example/docs',
      source: 'https://code.example/paper',
      changelog: 'https://paper.example/changes',
    },
    hints: { canonical: null, refresh: null },
    isCut: false,
  });
  t.is((await read(page)).name, 'Graph');
  t.is((await read(page.replace('og:title', 'og:x'))).name, 'Twitter');
  t.is((await read('<title> Title\n of it </title>')).name, 'Title of it');
  t.deepEqual((await read('<p>nothing')).name, null);
});

test('og:url of another host and a refresh are hints', async (t) => {
  const page = `<meta property="og:url" content="https://other.example/a">
    <meta http-equiv="Refresh" content="0; URL='/consent'">`;
  t.deepEqual((await read(page)).hints, {
    canonical: 'https://other.example/a',
    refresh: 'https://paper.example/consent',
  });
  const own = '<meta property="og:url" content="https://paper.example/b">';
  t.deepEqual((await read(own)).hints, { canonical: null, refresh: null });
});

test('icons as SVG, ICO and AVIF are skipped, larger ones come first', async (t) => {
  const { icons, skippedIcons } = await read(`
    <link rel="icon" href="/a.svg"><link rel="icon" type="image/svg+xml" href="/b">
    <link rel="shortcut icon" href="/c.ico"><link rel="icon" type="image/avif" href="/d.png">
    <link rel="icon" href="/e.png" sizes="32x32 192x192"><link rel="ICON" href="/f.png">
    <link rel="icon" href="/g.png" sizes="any"><link rel="mask-icon" href="/h.png">
    <link rel="apple-touch-icon-precomposed" href="/i.png" sizes="180x180">`);
  const paths = (list: string[]) => list.map((address) => new URL(address).pathname).join(' ');
  t.is(paths(icons), '/i.png /e.png /f.png /g.png');
  t.is(paths(skippedIcons), '/a.svg /b /c.ico /d.png');
});

test('nested elements and endless tags are read as far as the limits', async (t) => {
  const title = '<meta property="og:title" content="Paper">';
  const late = '<meta name="application-name" content="Late">';
  t.is((await read(title + '<div>'.repeat(100_000) + late)).name, 'Paper');
  t.is((await read(title + '<table>'.repeat(40_000) + late)).name, 'Paper');
  t.is((await read(title + '<p></p>'.repeat(20_000) + late)).name, 'Paper');
  t.is((await read(title + '<p></p>'.repeat(19_000) + late)).name, 'Late');
});

test('XHTML with an XML declaration is read, with elements that close themselves', async (t) => {
  const page = bytes(
    '<?xml version="1.0" encoding="windows-1252"?><html xmlns="http://www.w3.org/1999/xhtml"><head>',
    '<script src="a.js"/><title>Caf',
    [0xe9],
    '</title></head></html>',
  );
  t.is((await read(page, { contentType: 'Application/XHTML+xml ; a=b' })).name, 'Café');
});

test('texts are one line, well formed and bounded', async (t) => {
  const long = await read(
    `<title>${'😀'.repeat(300)}</title><meta name="description" content="a&#0;&#10;b">`,
  );
  t.is([...long.name!].length, 200);
  t.is(long.description, 'a\ufffd b');
  t.is((await read(jsonLd('{"@type":"Product","name":"a\\ud800b\\u0000c"}'))).name, 'a\ufffdb c');
});
