import test from 'ava';
import { highlight } from '../../../api/html/highlight.ts';
import { api } from './scene.ts';

const read = async (path: string) => (await api.request(path)).text();

test('programs that follow each other in different languages are tabs, and a response is none', async (t) => {
  const webhooks = await read('/docs/webhooks');
  const [, tabs = ''] = /<div class="code"[^>]*>\s*<header>([^]*?)<\/header>/.exec(webhooks)!;
  for (const language of ['TypeScript', 'Python', 'Go', 'Ruby', 'PHP']) {
    t.true(tabs.includes(`/>${language}</label`), language);
  }
  const access = await read('/docs/access');
  t.regex(access, /<span>curl<\/span>[^]*<span>JSON<\/span>/);
  t.regex(access, /\/>curl<\/label[^]*\/>TypeScript<\/label/);
});

test('code has the colours of its tokens by classes, and stays the text that it is', (t) => {
  const text = `const a = '<b>'; // "c"\nf(1, null);`;
  const shown = highlight(text, 'ts').toString();
  for (const token of ['k', 's', 'c', 'f', 'n'])
    t.true(shown.includes(`class="tok-${token}"`), token);
  t.notRegex(shown, /style=|hljs/);
  const plain = shown
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'");
  t.is(plain, text);
  t.is(highlight(text, 'mermaid'), text);
  t.is(highlight(text, 'constructor'), text);
});

test('a note of the guides is a note of the pages', async (t) => {
  const page = await read('/docs/webhooks');
  t.regex(page, /class="note warn"[^]*Deliveries arrive at least once/);
  t.false(page.includes('[!'));
});

test('a heading is the link to itself, and the contents lead to it', async (t) => {
  const page = await read('/docs/webhooks');
  t.regex(page, /<h2 id="send-a-test"><a href="#send-a-test">Send a test<\/a><\/h2>/);
  t.regex(page, /aria-label="Contents"[^]*href="#send-a-test"/);
});

test('the list of guides begins with the way of a new builder', async (t) => {
  const page = await read('/docs');
  const [, main = ''] = page.split('<main');
  const [, first] = /href="([^"]+)"/.exec(main)!;
  t.is(first, '/docs/new-builder');
});
