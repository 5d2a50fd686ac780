import test from 'ava';
import { renderMarkdown } from '../../platform/markdown.ts';

const SHOWN: [string, string, string][] = [
  ['HTML is text', 'a <b onclick="x">b</b>', '<p>a &lt;b onclick="x"&gt;b&lt;/b&gt;</p>'],
  ['a block of HTML is text', '<script>x</script>', '<p>&lt;script&gt;x&lt;/script&gt;</p>'],
  ['a picture is its text', '![a <b>](https://a.example/p.png)', '<p>a &lt;b&gt;</p>'],
  [
    'a link leaves without a recommendation',
    '[to](https://a.example/?a=1&b=%22 "title")',
    '<p><a href="https://a.example/?a=1&amp;b=%22" rel="nofollow noopener ugc">to</a></p>',
  ],
  [
    'a bare address is a link',
    'https://a.example/x.',
    '<p><a href="https://a.example/x" rel="nofollow noopener ugc">https://a.example/x</a>.</p>',
  ],
  ['a bare domain is text', 'a.example and help@a.example', '<p>a.example and help@a.example</p>'],
  ['a script is no link', '[x](javascript:alert(1))', '<p>[x](javascript:alert(1))</p>'],
  [
    'an encoded script is no link',
    '[x](java&#115;cript:alert(1))',
    '<p>[x](javascript:alert(1))</p>',
  ],
  ['data are no link', '[x](data:text/html,y)', '<p>[x](data:text/html,y)</p>'],
  ['an address of this site is no link', '[x](/sign-out)', '<p>[x](/sign-out)</p>'],
  ['one without a scheme is no link', '[x](//a.example)', '<p>[x](//a.example)</p>'],
  ['each heading is of one level', '# a\n\n###### b', '<h3>a</h3>\n<h3>b</h3>'],
  [
    'code names no class and is reached by keyboard',
    '```"onload=x\n<b>\n```',
    '<pre tabindex="0"><code>&lt;b&gt;\n</code></pre>',
  ],
];

for (const [title, source, html] of SHOWN) {
  test(`Markdown of sellers: ${title}`, (t) => t.is(renderMarkdown(source).trim(), html));
}

const TAG = /<\/?([a-z0-9]+)((?:\s[^>]*)?)>/g;
const ATTRIBUTES: Record<string, RegExp> = {
  a: /^( href="(?:https?:\/\/|mailto:)[^"<>]*" rel="nofollow noopener ugc")?$/,
  ol: /^( start="\d+")?$/,
  pre: /^( tabindex="0")?$/,
};
const PLAIN = 'p ul li blockquote code em strong h3 hr br'.split(' ');

test('no tag and no attribute leaves the renderer but those of its rules', (t) => {
  const parts = ['<', '>', '"', "'", '[', '](', ')', '`', '*', '_', '\\', '&lt;', '&#34;', '!'];
  const words = [
    'https://a.example',
    'javascript:x',
    ' onload=x ',
    '<img src=x>',
    '\n\n',
    '# ',
    'x',
  ];
  const all = [...parts, ...words];
  let seed = 48;
  const next = () => (seed = (seed * 48_271) % 2_147_483_647);
  for (let run = 0; run < 2_000; run += 1) {
    const source = Array.from({ length: 24 }, () => all[next() % all.length]).join('');
    const html = renderMarkdown(source);
    for (const [, name = '', attributes = ''] of html.matchAll(TAG)) {
      const allowed = ATTRIBUTES[name] ?? (PLAIN.includes(name) ? /^( \/)?$/ : /^never$/);
      t.regex(attributes, allowed, `${JSON.stringify(source)} is ${html}`);
    }
    t.is(html.replaceAll(TAG, '').includes('<'), false, JSON.stringify(source));
  }
});

test('a nesting of 20 is the deepest', (t) => {
  const html = renderMarkdown('>'.repeat(20_000));
  t.true(html.split('<blockquote>').length <= 21);
});
