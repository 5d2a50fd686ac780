import { addQueuedImport } from '../../../support/catalog/imports.ts';
import test from 'ava';
import { ROUTES } from '../../../../api/routes.ts';
import { listProductEndpoints } from '../../../../domain/webhooks/endpoints/endpoint-list.repository.ts';
import { newPublicId, newUuid } from '../../../../domain/shared/ids.ts';
import {
  isAllowed,
  mayChangeRole,
  ROLES,
  type Action,
  type Role,
} from '../../../../domain/teams/permissions.ts';
import { createDeliveryRows } from '../../../support/webhooks/delivery-rows.ts';
import { createSales } from '../../../support/purchases/sales.ts';
import { PIXEL } from '../../../support/http/picture-file.ts';
import { teams } from './scene.ts';

const { api } = teams;
const sales = createSales({ testDatabase: api.test, database: api.database });

type Fields = Record<string, string | File>;
type Swept = { action?: Action; fields?: Fields; may?: (role: Role) => boolean };

const PRODUCT = '/console/products/:ref';
const TEAM = '/console/teams/:team';
const CLIENT = { kind: 'confidential', name: 'Web', redirect_uris: 'https://app.example/cb' };
const SEEN = { run: '1', step: '1' };
const STAYING = { afterwards: 'stay' };
const ENDPOINT = { url: 'https://example.com/hook', events: 'purchase.completed' };
const PICTURE = new File([PIXEL], 'picture.webp', { type: 'image/webp' });
const UNKNOWN_PICTURE = '0'.repeat(32);

/** Pages of a product that ask for one action. */
const pagesOf = (action: Action, names: string) =>
  Object.fromEntries(names.split(' ').map((name) => [`GET ${PRODUCT}/${name}`, { action }]));
const SEEN_PAGES = pagesOf(
  'see',
  'diagnostics usage integrate requests disputes share seal audit purchases subscribers grants',
);
const MONEY_PAGES = pagesOf(
  'see_statements',
  'statements statements/:month statements/:month/entries.csv recurring recurring/months.csv pool pool/lines.csv pool/:month pool/:month/lines.csv',
);

/** What each route of a team or of its product needs; by default the action of the table. */
const NEEDED: Record<string, Swept> = {
  ...SEEN_PAGES,
  ...MONEY_PAGES,
  [`GET ${PRODUCT}`]: { action: 'see' },
  [`POST ${PRODUCT}/seal`]: { action: 'edit_listing', fields: { text: 'Look again.' } },
  [`GET ${PRODUCT}/clients`]: { action: 'see' },
  [`POST ${PRODUCT}/clients`]: { action: 'integrate', fields: CLIENT },
  [`POST ${PRODUCT}/clients/:client`]: { action: 'integrate', fields: { action: 'send_iss' } },
  [`POST ${PRODUCT}/clients/:client/redirect-uris`]: {
    action: 'integrate',
    fields: { redirect_uris: 'https://app.example/other' },
  },
  [`GET ${PRODUCT}/keys`]: { action: 'see' },
  [`POST ${PRODUCT}/keys`]: { action: 'integrate', fields: { name: 'Server', mode: 'test' } },
  [`POST ${PRODUCT}/keys/:key`]: { action: 'integrate', fields: { action: 'rotate' } },
  [`GET ${PRODUCT}/endpoints`]: { action: 'see' },
  [`POST ${PRODUCT}/endpoints`]: { action: 'integrate', fields: ENDPOINT },
  [`GET ${PRODUCT}/endpoints/:endpoint`]: { action: 'see' },
  [`POST ${PRODUCT}/endpoints/:endpoint`]: { action: 'integrate', fields: ENDPOINT },
  [`POST ${PRODUCT}/endpoints/:endpoint/state`]: {
    action: 'integrate',
    fields: { action: 'disable' },
  },
  [`POST ${PRODUCT}/endpoints/:endpoint/test`]: { action: 'integrate' },
  [`POST ${PRODUCT}/endpoints/:endpoint/secret`]: { action: 'integrate' },
  [`POST ${PRODUCT}/endpoints/:endpoint/rotate`]: {
    action: 'integrate',
    fields: { replaces: ':secret', window_days: '1' },
  },
  [`GET ${PRODUCT}/deliveries`]: { action: 'see' },
  [`GET ${PRODUCT}/deliveries/:delivery`]: { action: 'see' },
  [`POST ${PRODUCT}/deliveries/:delivery/retry`]: { action: 'integrate', fields: SEEN },
  [`POST ${PRODUCT}/deliveries/:delivery/retry-now`]: { action: 'integrate', fields: SEEN },
  [`GET ${PRODUCT}/recoveries`]: { action: 'see' },
  [`POST ${PRODUCT}/recoveries`]: {
    action: 'integrate',
    fields: { endpoint: '', event: '', status: 'both', since: ':since', until: '' },
  },
  [`GET ${PRODUCT}/recoveries/:recovery`]: { action: 'see' },
  [`GET ${PRODUCT}/purchases/:purchase`]: { action: 'see' },
  [`GET ${PRODUCT}/purchases/:purchase/refund`]: { action: 'refund' },
  [`POST ${PRODUCT}/purchases/:purchase/refund`]: {
    action: 'refund',
    fields: { amount: '1.00', reason: 'duplicate', refund: ':refund', payment: ':payment' },
  },
  [`GET ${PRODUCT}/purchases.csv`]: { action: 'refund' },
  [`GET ${PRODUCT}/subscribers/subscribers.csv`]: { action: 'refund' },
  [`GET ${PRODUCT}/usage/days.csv`]: { action: 'refund' },
  [`POST ${PRODUCT}/grants`]: {
    action: 'grant',
    fields: { person: ':person', starts_at: '', ends_at: '' },
  },
  [`POST ${PRODUCT}/grants/:grant`]: { action: 'grant', fields: { action: 'withdraw' } },
  [`GET ${PRODUCT}/transfer`]: { action: 'transfer' },
  [`POST ${PRODUCT}/transfer`]: { action: 'transfer', fields: { team: ':other' } },
  [`GET ${PRODUCT}/listing`]: { action: 'see' },
  [`POST ${PRODUCT}/listing`]: {
    action: 'edit_listing',
    fields: { name: 'Named', tagline: 'T.', delivery: 'entitlement_api', version: '1' },
  },
  [`POST ${PRODUCT}/listing/slug`]: {
    action: 'edit_listing',
    fields: { slug: 'swept-:random' },
  },
  [`GET ${PRODUCT}/imports`]: { action: 'edit_listing' },
  [`POST ${PRODUCT}/imports`]: {
    action: 'edit_listing',
    fields: { kind: 'page', address: 'https://paper.example/' },
  },
  [`GET ${PRODUCT}/imports/:import`]: { action: 'edit_listing' },
  [`POST ${PRODUCT}/imports/:import/apply`]: {
    action: 'edit_listing',
    fields: { version: '0', take: 'name' },
  },
  [`GET ${PRODUCT}/releases`]: { action: 'see' },
  [`POST ${PRODUCT}/releases`]: {
    action: 'edit_listing',
    fields: { version: ':random', published_on: '', notes: '' },
  },
  [`POST ${PRODUCT}/releases/:release/remove`]: { action: 'edit_listing' },
  [`POST ${PRODUCT}/listing/icon`]: { action: 'edit_listing', fields: { icon: PICTURE } },
  [`POST ${PRODUCT}/listing/screenshots`]: {
    action: 'edit_listing',
    fields: { alt: 'A list', screenshot: PICTURE },
  },
  [`POST ${PRODUCT}/listing/screenshots/replace`]: {
    action: 'edit_listing',
    fields: { screenshot: UNKNOWN_PICTURE, replacement: PICTURE },
  },
  [`POST ${PRODUCT}/listing/pictures`]: {
    action: 'edit_listing',
    fields: { action: 'remove_icon' },
  },
  [`GET ${PRODUCT}/prices`]: { action: 'see' },
  [`POST ${PRODUCT}/prices`]: { action: 'price', fields: { currency: 'EUR', amount: '9.50' } },
  [`POST ${PRODUCT}/prices/:currency`]: { action: 'price', fields: { action: 'base' } },
  [`GET ${PRODUCT}/selling`]: { action: 'see' },
  [`POST ${PRODUCT}/selling/state`]: { action: 'list', fields: { action: 'unlist' } },
  [`POST ${PRODUCT}/selling/operator`]: {
    action: 'answer_for_sales',
    fields: { action: 'answer' },
  },
  [`POST ${PRODUCT}/selling/payouts`]: {
    action: 'connect_payouts',
    fields: { action: 'connect' },
  },
  [`GET ${PRODUCT}/selling/payouts`]: {
    may: (role) => isAllowed([role], 'integrate') || isAllowed([role], 'connect_payouts'),
  },
  [`GET ${PRODUCT}/selling/payouts/replace`]: { action: 'connect_payouts' },
  [`POST ${PRODUCT}/selling/payouts/replace`]: {
    action: 'connect_payouts',
    fields: { account: 'acct_former' },
  },
  [`POST ${PRODUCT}/selling/member`]: { action: 'price', fields: { action: 'include' } },
  [`GET ${PRODUCT}/remove`]: { action: 'remove_product' },
  [`POST ${PRODUCT}/remove`]: { action: 'remove_product', fields: { slug: ':ref' } },
  [`GET ${TEAM}`]: { action: 'see' },
  [`GET ${TEAM}/audit`]: { action: 'see' },
  [`GET ${TEAM}/usage`]: { action: 'see' },
  [`GET ${TEAM}/settings`]: { action: 'see' },
  [`POST ${TEAM}/rename`]: { action: 'manage_team', fields: { name: 'Renamed' } },
  [`POST ${TEAM}/members/:person`]: { action: 'manage_team', fields: { role: 'developer' } },
  [`GET ${TEAM}/members/:person/remove`]: { action: 'manage_team' },
  [`POST ${TEAM}/members/:person/remove`]: { action: 'manage_team' },
  [`GET ${TEAM}/members/:person/owner`]: { action: 'manage_owners' },
  [`POST ${TEAM}/members/:person/owner`]: { action: 'manage_owners', fields: STAYING },
  [`POST ${TEAM}/invitations`]: {
    may: (by) => mayChangeRole({ by, from: null, to: 'admin' }),
    fields: { email: 'swept@example.com', role: 'admin' },
  },
  [`POST ${TEAM}/invitations/:invitation/resend`]: { action: 'manage_team' },
  [`POST ${TEAM}/invitations/:invitation/withdraw`]: { action: 'manage_team' },
  [`GET ${TEAM}/leave`]: { action: 'see' },
  [`POST ${TEAM}/leave`]: { action: 'see' },
  [`GET ${TEAM}/delete`]: { action: 'delete_team' },
  [`POST ${TEAM}/delete`]: { action: 'delete_team' },
};

/** After these something else would be refused for another reason than the role. */
const SPOILING =
  /^POST .*\/(endpoints|state|retry.*|transfer|slug|remove|owner|resend|leave|delete)$/;

const swept = ROUTES.filter(({ path }) => path.startsWith(PRODUCT) || path.startsWith(TEAM));

test('every route of a team and of its products is swept', (t) => {
  const known = swept.map(({ method, path }) => `${method} ${path}`);
  t.deepEqual(known.toSorted(), Object.keys(NEEDED).toSorted());
});

/** A dead delivery, when it may be recovered from, and a recovery that is over. */
async function addDelivery(made: { productId: string; endpointId: string }) {
  const delivery = await createDeliveryRows(api.test).delivery({ ...made, status: 'dead' });
  const [row] = await api.test.query<{ id: string }>(
    `insert into recovery (id, product_id, statuses, since, until, total, status, started_by)
     select gen_random_uuid(), $1, '{dead}', now() - interval '1 day', now(), 0, 'completed', id
     from person limit 1 returning id`,
    [made.productId],
  );
  const since = new Date(Date.now() - 3_600_000).toISOString().slice(0, 16);
  return { delivery, recovery: row!.id, since };
}

/** A team, a product, somebody to change, an invitation, a client and another team; once over, it can be deleted. */
async function setScene(role: Role, { isOver = false } = {}) {
  const team = await teams.team([role]);
  const other = await teams.team([]);
  const product = await teams.productOf(team);
  const { person } = await teams.signedIn();
  await api.test.query(
    `insert into team_member values ($1, $2, 'viewer'), ($3, $4, 'owner'), ($1, $5, 'owner')`,
    [team.id, person.id, other.id, team.members[role].person.id, (await api.seed.person()).id],
  );
  const [invitation] = await api.test.query<{ id: string }>(
    `insert into team_invitation (id, team_id, address, role, invited_by, expires_at)
     values (gen_random_uuid(), $1, 'a@example.com', 'viewer', $2, now() + interval '1 day')
     returning id`,
    [team.id, team.members.owner.person.id],
  );
  const { clientId } = await api.seed.client({ product });
  const [key] = await api.test.query<{ id: string }>(
    'select id from api_key where product_id = $1 limit 1',
    [product.id],
  );
  const source = newPublicId('grant_');
  const granted = { productId: product.id, personId: person.id };
  await api.seed.grant(granted, { type: 'complimentary', source });
  const { id: endpointId } = await api.seed.endpoint({
    productId: product.id,
    url: 'https://example.com/other',
  });
  const [endpoint] = await listProductEndpoints(api.database.em(), product.id);
  const sale = await sales.paidSale(await sales.orderOf(product, api.seed));
  const values: Record<string, string> = {
    ref: product.slug,
    currency: 'USD',
    random: newUuid().slice(-12),
    team: team.id,
    other: other.id,
    person: person.id,
    invitation: invitation!.id,
    client: clientId,
    key: key!.id,
    grant: source,
    endpoint: endpointId,
    secret: endpoint!.secretVersion,
    ...(await addDelivery({ productId: product.id, endpointId })),
    purchase: sale.purchaseId,
    payment: String((await sales.paymentOf(sale))['id']),
    refund: newPublicId('re_'),
    release: newUuid(),
    import: await addQueuedImport(api.database, product.id),
    month: new Date().toISOString().slice(0, 7),
  };
  const fill = (text: string) => text.replaceAll(/:(\w+)/g, (_, name: string) => values[name]!);
  if (isOver) {
    await api.test.query(`update product set state = 'removed' where id = $1`, [product.id]);
  }
  return { browser: team.members[role].browser, fill };
}

/** Who gets a page that says why nothing may be changed, in place of 403. */
const REFUSED = [403, 422];

for (const role of ROLES) {
  test(`each route of a team and of its products asks the table: ${role}`, async (t) => {
    const kept = await setScene(role);
    for (const { method, path } of swept) {
      const { action, fields = {}, may } = NEEDED[`${method} ${path}`]!;
      const isRight = may ? may(role) : isAllowed([role], action!);
      const isSpoiling = isRight && SPOILING.test(`${method} ${path}`);
      const isOwn = isSpoiling || path === `${TEAM}/delete`;
      const scene = isOwn ? await setScene(role, { isOver: path === `${TEAM}/delete` }) : kept;
      const { status } = await ask(scene.browser, scene, { method, path, fields });
      const said = `${method} ${path}: ${status}`;
      t.is(isRight, status === 200 || status === 303, said);
      if (!isRight) t.true(REFUSED.includes(status), said);
    }
  });
}

test('those who are in no team of the product are told of nothing', async (t) => {
  const stranger = await teams.signedIn(await api.seed.person({ isBuilder: true }));
  const scene = await setScene('viewer');
  for (const { method, path } of swept) {
    const { fields = {} } = NEEDED[`${method} ${path}`]!;
    const { status } = await ask(stranger.browser, scene, { method, path, fields });
    t.is(status, 404, `${method} ${path}`);
  }
});

type Scene = Awaited<ReturnType<typeof setScene>>;
type Asked = { method: string; path: string; fields: Fields };

function ask(
  browser: Scene['browser'],
  { fill }: Pick<Scene, 'fill'>,
  { method, path, fields }: Asked,
): Promise<Response> {
  const action = fill(path);
  if (method === 'GET') return browser.get(action);
  const filled = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'string' ? fill(value) : value,
  ]);
  return browser.submit('/console/roles', { action, fields: Object.fromEntries(filled) });
}
