import { readFileSync } from 'node:fs';
import test from 'ava';
import { ALERT_KINDS } from '../../domain/alerts/alert-kind.ts';

test('the page for operators says of each kind of alert what helps', (t) => {
  const page = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');
  const [, table] = /## When money or messages are stuck([^]*?)\n## /.exec(page)!;
  const explained = [...table!.matchAll(/^\| `(\w+)` /gm)].map(([, kind]) => kind);
  t.deepEqual(explained.toSorted(), Object.keys(ALERT_KINDS).toSorted());
});
