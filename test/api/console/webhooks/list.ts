import test from 'ava';
import { selectDeliveries } from '../../../../domain/webhooks/deliveries/delivery-list.repository.ts';
import { teams, rows } from './delivery.scene.ts';

const { api } = teams;

async function scene() {
  const team = await teams.team(['viewer']);
  const product = await teams.productOf(team);
  const endpoint = { productId: product.id, url: 'https://hooks.example/in' };
  const { id: endpointId } = await api.seed.endpoint(endpoint);
  const path = `/console/products/${product.slug}/deliveries`;
  const { browser } = team.members.owner;
  const made = { productId: product.id, endpointId };
  return {
    team,
    product,
    path,
    browser,
    made,
    async listed(query = ''): Promise<string[]> {
      const response = await browser.get(path + query);
      t0(response.status);
      const html = await response.text();
      return [...html.matchAll(/data-delivery="(evt_\w+)"/g)].map(([, id]) => id!);
    },
  };
}

function t0(status: number): void {
  if (status !== 200) throw new Error(`answered ${status}`);
}

test('the console lists recent deliveries with status code and error', async (t) => {
  const { made, path, browser } = await scene();
  const deliveryId = await rows.delivery({
    ...made,
    status: 'retrying',
    step: 2,
    dueInMinutes: 5,
  });
  await rows.attempt({ deliveryId, step: 0, error: 'timeout', durationMs: 10_004 });
  await rows.attempt({ deliveryId, step: 1, statusCode: 503, error: 'http_status' });
  const html = await (await browser.get(path)).text();
  t.regex(html, /<span class="pill warn live"[^>]*>Retrying</);
  t.regex(html, /data-heading="Answer"[^>]*>\s*<div>503</);
  t.regex(html, /next <time datetime="[^"]+"\s*>in 5 min</);
  t.regex(html, /data-heading="Attempts"[^>]*>\s*<div>2<\/div>/);
  t.notRegex(html, /hooks\.example/, 'one endpoint needs no name');
  t.false(html.includes('style='));
});

test('deliveries are found by status, event, endpoint and time, also together', async (t) => {
  const { made, product, listed } = await scene();
  const url = 'https://other.example/in';
  const { id: other } = await api.seed.endpoint({ productId: product.id, url, slot: 2 });
  const dead = await rows.delivery({ ...made, status: 'dead', minutesAgo: 1 });
  const created = { ...made, eventName: 'entitlement.created' };
  const succeeded = await rows.delivery({ ...created, minutesAgo: 200 });
  const elsewhere = await rows.delivery({ ...made, endpointId: other, minutesAgo: 10 });
  t.deepEqual(await listed(), [dead, elsewhere, succeeded]);
  t.deepEqual(await listed('?status=dead'), [dead]);
  t.deepEqual(await listed('?status=succeeded'), [elsewhere, succeeded]);
  t.deepEqual(await listed('?event=entitlement.created'), [succeeded]);
  t.deepEqual(await listed(`?endpoint=${other}`), [elsewhere]);
  const hourAgo = new Date(Date.now() - 3_600_000).toISOString().slice(0, 16);
  t.deepEqual(await listed(`?since=${hourAgo}`), [dead, elsewhere]);
  t.deepEqual(await listed(`?until=${hourAgo}`), [succeeded]);
  t.deepEqual(await listed(`?status=succeeded&event=purchase.completed&endpoint=${other}`), [
    elsewhere,
  ]);
  t.deepEqual(await listed('?status=&event=&endpoint=&since=&until='), [
    dead,
    elsewhere,
    succeeded,
  ]);
});

for (const status of ['succeeded', 'dead'] as const) {
  test(`lists of what is ${status} page by cursor: every delivery once, also those of the same instant`, async (t) => {
    const { made, path, browser } = await scene();
    const ids = [];
    for (let n = 0; n < 120; n += 1) {
      ids.push(await rows.delivery({ ...made, status, minutesAgo: 5 }));
    }
    for (const table of ['delivery', 'delivery_state']) {
      await api.test.query(
        `update ${table} set created_at = date_trunc('hour', created_at) where product_id = $1`,
        [made.productId],
      );
    }
    const seen: string[] = [];
    let next: string | undefined = `${path}?status=${status}`;
    while (next) {
      const html: string = await (await browser.get(next.replaceAll('&amp;', '&'))).text();
      seen.push(...[...html.matchAll(/data-delivery="(evt_\w+)"/g)].map(([, id]) => id!));
      next = /href="([^"]+)" rel="next"/.exec(html)?.[1];
    }
    t.is(seen.length, 120);
    t.deepEqual(seen.toSorted(), ids.toSorted());
  });
}

test('a list that is empty says why, and a filter that cannot be read is refused', async (t) => {
  const { path, browser, product } = await scene();
  const textOf = async (query: string) => (await browser.get(path + query)).text();
  t.regex(await textOf(''), /No deliveries yet/);
  t.regex(await textOf('?status=dead'), /Nothing matches/);
  await api.test.query('update webhook_endpoint set deleted_at = now() where product_id = $1', [
    product.id,
  ]);
  t.regex(await textOf(''), /has no webhook endpoint/);
  for (const wrong of ['?status=lost', '?event=x', '?endpoint=1', '?since=yesterday']) {
    t.is((await browser.get(path + wrong)).status, 400, wrong);
  }
  t.is((await browser.get(`${path}?before=nonsense`)).status, 200);
});

test('the chart counts outcomes by the hour, as a picture and as a table', async (t) => {
  const { made, path, browser } = await scene();
  for (const status of ['succeeded', 'succeeded', 'dead', 'held'] as const) {
    await rows.delivery({ ...made, status, minutesAgo: 180 });
  }
  await rows.delivery({ ...made, status: 'pending', minutesAgo: 300 });
  await rows.delivery({ ...made, status: 'dead', minutesAgo: 49 * 60 });
  const html = await (await browser.get(path)).text();
  t.regex(html, /accepted 2, in progress 1, dead, held or cancelled 2\./);
  t.regex(html, /<svg[^>]*role="img"[^>]*aria-labelledby="outcomes-title outcomes-summary"/);
  t.is([...html.matchAll(/<rect\s+class="bar-\d"\s+x=/g)].length, 3);
  t.regex(html, /aria-label="Deliveries in the last 48 hours, by outcome"/);
});

test('a product of others is not there', async (t) => {
  const { path } = await scene();
  const stranger = await teams.signedIn();
  t.is((await stranger.browser.get(path)).status, 404);
});

test('no list of deliveries scans the table, by whatever it is filtered', async (t) => {
  const { made } = await scene();
  const { productId, endpointId } = made;
  await api.test.query(
    `with made as (
       insert into event (id, product_id, name, data, created_at)
       select time_ordered_id(), $1, 'purchase.completed', '{}', now() - n * interval '1 minute'
       from generate_series(1, 20000) n returning id, created_at
     ),
     told as (
       insert into delivery (id, event_id, endpoint_id, product_id, event_name, body, created_at)
       select first_id('text', gatehouse_now()) || upper(left(md5(id::text), 16)), id, $2, $1,
         case when random() < 0.01 then 'entitlement.created' else 'purchase.completed' end, '',
         created_at from made returning *
     )
     insert into delivery_state (delivery_id, endpoint_id, product_id, status, created_at)
     select id, endpoint_id, product_id, 'dead', created_at from told where random() < 0.3`,
    [productId, endpointId],
  );
  await api.test.query('analyze delivery, delivery_state');
  const place = { at: new Date(Date.now() - 86_400_000), id: 'evt_' };
  const since = new Date(Date.now() - 7 * 86_400_000);
  const filters = [
    {},
    { status: 'dead' as const },
    { status: 'succeeded' as const },
    { status: 'pending' as const },
    { eventName: 'entitlement.created' },
    { endpointId },
    { since },
    { endpointId, status: 'dead' as const, eventName: 'purchase.completed', since },
  ];
  for (const filter of filters) {
    const selected = selectDeliveries(api.database.em(), { productId, filter, place }).compile();
    const text = selected.sql.replace(/\$(\d+)/g, (_, n: string) => {
      const value = selected.parameters[Number(n) - 1];
      return `'${value instanceof Date ? value.toISOString() : String(value)}'`;
    });
    const plan = await api.test.query<{ 'QUERY PLAN': string }>(`explain ${text}`);
    const lines = plan.map((line) => line['QUERY PLAN']);
    const scans = lines.filter((line) =>
      /Scan.* on (delivery|delivery_state|attempt)\b|using delivery_/.test(line),
    );
    t.true(scans.length > 0);
    t.deepEqual(
      scans.filter((line) => line.includes('Seq Scan')),
      [],
      JSON.stringify(filter),
    );
  }
});

test('a delivery of the product is found by its id, and no other', async (t) => {
  const { made, path, browser } = await scene();
  const id = await rows.delivery(made);
  const elsewhere = await scene();
  const foreign = await rows.delivery(elsewhere.made);
  for (const typed of [id, `  ${id} `, `delivery:${id}`]) {
    const found = await browser.get(`${path}?id=${encodeURIComponent(typed)}`);
    t.is(found.headers.get('location'), `${path}/${id}`, typed);
  }
  for (const typed of [foreign, 'evt_x', "'; select", 'x'.repeat(64)]) {
    const missed = await browser.get(`${path}?id=${encodeURIComponent(typed)}`);
    t.is(missed.status, 200, typed);
    t.regex(await missed.text(), /No delivery of this product has this ID/);
  }
});

test('an endpoint leads to its deliveries, and a delivery to its endpoint', async (t) => {
  const { made, path, product, browser, team } = await scene();
  const id = await rows.delivery(made);
  const endpoint = `/console/products/${product.slug}/endpoints/${made.endpointId}`;
  for (const by of [browser, team.members.viewer.browser]) {
    t.true((await (await by.get(`${path}/${id}`)).text()).includes(`href="${endpoint}"`));
    const page = await (await by.get(endpoint)).text();
    t.true(page.includes(`href="${path}?endpoint=${made.endpointId}"`));
  }
  await api.test.query('update webhook_endpoint set deleted_at = now() where id = $1', [
    made.endpointId,
  ]);
  t.false((await (await browser.get(`${path}/${id}`)).text()).includes(`href="${endpoint}"`));
});

test('an endpoint counts its own days and what is in trouble at it alone', async (t) => {
  const { made, product, browser } = await scene();
  const url = 'https://other.example/in';
  const { id: other } = await api.seed.endpoint({ productId: product.id, url, slot: 2 });
  for (const status of ['succeeded', 'dead', 'held'] as const) {
    await rows.delivery({ ...made, status, minutesAgo: 3 * 1_440 });
  }
  await rows.delivery({ ...made, status: 'retrying', dueInMinutes: 5 });
  await rows.delivery({ ...made, endpointId: other });
  const path = `/console/products/${product.slug}/endpoints`;
  const read = async (id: string) => (await browser.get(`${path}/${id}`)).text();
  const html = await read(made.endpointId);
  t.regex(html, /By day of creation: accepted 1, in progress 1, dead, held or cancelled 2\./);
  t.regex(html, /This endpoint works and missed 2 deliveries in the last 14 days\./);
  t.regex(html, /2 deliveries missed/);
  t.true(html.includes(`/recoveries?endpoint=${made.endpointId}"`));
  t.is(html.match(/data-delivery=/g)?.length, 4);
  const well = await read(other);
  t.regex(well, /By day of creation: accepted 1, in progress 0, dead, held or cancelled 0\./);
  t.notRegex(well, /missed|is failing/);
  await api.test.query('update webhook_endpoint set failing_since = now() where id = $1', [
    made.endpointId,
  ]);
  t.regex(
    await read(made.endpointId),
    /This endpoint is failing: 1 delivery dead, 1 retrying, 1 held\.[^]*Since/,
  );
  t.regex(await (await browser.get(path)).text(), /hooks\.example is failing: 1 delivery dead/);
});

test('a flooded endpoint hides nothing of the others', async (t) => {
  const { made, product, browser } = await scene();
  const url = 'https://other.example/in';
  const { id: other } = await api.seed.endpoint({ productId: product.id, url, slot: 2 });
  const missed = await rows.delivery({ ...made, endpointId: other, status: 'dead' });
  await api.test.query(
    `insert into delivery_state (delivery_id, product_id, endpoint_id, status, created_at)
     select d.delivery_id || n, d.product_id, $2, 'dead', d.created_at
     from delivery_state d, generate_series(1, 1100) n where d.delivery_id = $1`,
    [missed, made.endpointId],
  );
  const path = `/console/products/${product.slug}/endpoints`;
  const read = async (id: string) => (await browser.get(`${path}/${id}`)).text();
  t.regex(await read(made.endpointId), /missed 999\+ deliveries/);
  t.regex(await read(other), /missed 1 delivery in/);
});

test('a recovery is offered for what no retry sends any more', async (t) => {
  const { made, path, product, browser } = await scene();
  await rows.delivery({ ...made, status: 'retrying', dueInMinutes: 5 });
  await api.test.query('update webhook_endpoint set failing_since = now() where id = $1', [
    made.endpointId,
  ]);
  const endpoint = `/console/products/${product.slug}/endpoints/${made.endpointId}`;
  const read = async () =>
    Promise.all([path, endpoint].map(async (of) => (await browser.get(of)).text()));
  for (const html of await read()) {
    t.regex(html, /1 delivery retrying\./);
    t.notRegex(html, /recover what it missed/);
  }
  await rows.delivery({ ...made, status: 'held' });
  for (const html of await read()) t.regex(html, /recover what it missed/);
});

test('the states of deliveries are tabs that count trouble and keep the other filters', async (t) => {
  const { made, path, browser } = await scene();
  await rows.delivery({ ...made, status: 'dead' });
  await rows.delivery({ ...made, status: 'dead' });
  const read = async (query: string) => (await browser.get(path + query)).text();
  const html = await read('?status=dead');
  t.regex(html, /status=dead" aria-current="page"\s*>Dead <small>2</);
  const filtered = await read('?status=dead&event=purchase.completed');
  const tabs = /aria-label="State of deliveries">([^]*?)<\/nav>/.exec(filtered)![1]!;
  t.regex(tabs, /event=purchase\.completed[^"]*status=dead" aria-current="page"\s*>Dead<\/a/);
  t.regex(tabs, /event=purchase\.completed[^"]*status=held"\s*>Held<\/a/);
  t.regex(html, /Failing in the last 14 days: 2 deliveries dead\./);
});
