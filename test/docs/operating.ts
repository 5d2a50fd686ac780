import { readFileSync } from 'node:fs';
import test from 'ava';
import { alertGuide } from '../../api/html/guide-links.ts';
import { findGuide } from '../../api/docs/render-guide.ts';
import { ALERT_KINDS, ALERT_NAMES } from '../../domain/alerts/alert-kind.ts';

test('the page for operators says of each kind of alert what helps', (t) => {
  const page = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');
  const [, table] = /## When money or messages are stuck([^]*?)\n## /.exec(page)!;
  const explained = [...table!.matchAll(/^\| `(\w+)` /gm)].map(([, kind]) => kind);
  t.deepEqual(explained.toSorted(), Object.keys(ALERT_KINDS).toSorted());
});

test('the advice on each kind of alert can be linked to', (t) => {
  const origins = { baseUrl: 'https://gatehouse.example', simulatorUrl: null };
  for (const kind of ALERT_NAMES) {
    const [path, anchor] = alertGuide(kind).split('#');
    const { html } = findGuide(path!.replace('/docs/', ''), origins)!;
    const row = new RegExp(`<tr id="${anchor}">\\s*<td><code>${kind}</code></td>`, 'g');
    t.is([...html.matchAll(row)].length, 1, kind);
  }
});
