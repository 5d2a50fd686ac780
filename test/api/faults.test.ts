import { Writable } from 'node:stream';
import test from 'ava';
import { json } from '../../api/response.ts';
import { defineRoute } from '../../api/route.ts';
import { ROUTES } from '../../api/routes.ts';
import { createLogger } from '../../platform/log.ts';
import { startApi } from '../support/http/api.ts';

const broken = (path: string) =>
  defineRoute({
    method: 'GET',
    path,
    summary: 'Fails',
    credential: 'public',
    limit: null,
    input: {},
    statuses: [200],
    errors: ['internal_error'],
    async handler({ services }) {
      await services.database.pool.query(`select 'hunter2'::integer`);
      return json({});
    },
  });

const lines: string[] = [];
const sink = new Writable({
  write(chunk: Buffer, _, done) {
    lines.push(chunk.toString());
    done();
  },
});
const api = await startApi({
  routes: [...ROUTES, broken('/api/broken'), broken('/broken')],
  logger: createLogger({ name: 'api', format: 'json', level: 'info', output: sink }),
});
const product = await api.seed.product();
test.after.always(() => api.close());

test.serial(
  'a fault is 500 without its text or stack, and is logged with the request id',
  async (t) => {
    const response = await api.request('/api/broken');
    const body = await response.text();
    t.is(response.status, 500);
    t.like(JSON.parse(body), { error: 'internal_error' });
    t.notRegex(body, /hunter2|integer|\.ts|node_modules/);
    const line = lines.find((text) => text.includes('request failed'))!;
    const id = response.headers.get('x-request-id')!;
    t.like(JSON.parse(line), { requestId: id, err: { reason: '22P02' } });
    t.regex(line, /faults\.test\.ts/);
    t.false(lines.join('').includes('hunter2'));
    const page = await api.request('/broken');
    t.is(page.status, 500);
    t.regex(await page.text(), /data-error="internal_error"/);
  },
);

test.serial(
  'a log line names the pattern of the path, and nothing that the caller sent',
  async (t) => {
    lines.length = 0;
    await api.request(`/p/${product.slug}?reason=s3cret-query`, {
      headers: { cookie: 'gatehouse_session=s3cret-cookie', authorization: 'Bearer s3cret-key' },
    });
    await api.request('/sign-in', {
      method: 'POST',
      body: new URLSearchParams({ email: 's3cret-mail', password: 's3cret-password' }),
    });
    await api.request('/s3cret-path');
    const logged = lines.map((line) => JSON.parse(line));
    t.deepEqual(
      logged.map(({ method, route, status }) => [method, route, status]),
      [
        ['GET', '/p/:ref', 200],
        ['POST', '/sign-in', 403],
        ['GET', null, 404],
      ],
    );
    t.notRegex(lines.join(''), /s3cret/);
  },
);
