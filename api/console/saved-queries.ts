// The queries of docs/operating.md, as links: the Temporal UI keeps saved ones in one browser.
import { html, type HtmlSafeString } from '@prairielearn/html';
import { FAILING, RUNNING } from '../../workflows/contracts.ts';
import { workflowsUrl } from './workflow-url.ts';
import { MINUTE_MS } from '../../domain/shared/instant.ts';

/** The page that links a query: the page of workflows, or that of the thing with the id. */
type Scope = 'platform' | 'endpoint' | 'product' | 'person';

type SavedQuery = { title: string; scope: Scope; query: string };

const DELIVERIES = 'WorkflowType IN ("webhookDelivery", "deliveryCohort")';
const running = (type: string) => `WorkflowType = "${type}" AND ${RUNNING}`;
const STUCK = 'GatehouseDueAt < "<yyyy-mm-dd>T<hh:mm>:00Z"';
const status = (name: string) => `GatehouseStatus = "${name}"`;

const PLATFORM = 'platform' as const;

const ON_PLATFORM = {
  'Deliveries in trouble': `${DELIVERIES} AND ${RUNNING}`,
  'Deliveries dead today': `${DELIVERIES} AND ${status('dead')} AND CloseTime >= "<yyyy-mm-dd>T00:00:00Z"`,
  'Deliveries stuck for ten minutes': `${DELIVERIES} AND ${RUNNING} AND ${status('retrying')} AND ${STUCK}`,
  'Recoveries that are running': running('recoverDeliveries'),
  'Imports of listings that wait for a forge': `${running('listingImport')} AND ${status('waiting')}`,
  'Mails that wait for the mail server': running('sendMail'),
  'Payments that are clearing': `${running('purchaseClearing')} AND ${status('clearing')}`,
  'Subscriptions whose last renewal failed': `${running('subscriptionLifecycle')} AND ${status('past_due')}`,
  'Subscriptions stuck for ten minutes': `${running('subscriptionLifecycle')} AND ${STUCK}`,
  'Responses of the processor that this version does not understand': `WorkflowType IN ("purchaseClearing", "subscriptionLifecycle") AND ${RUNNING} AND ${status('dead_lettered')}`,
  'Months of the creator pool that are not paid yet': running('poolPeriod'),
  'Months of the creator pool that wait for an approval': `${running('poolPeriod')} AND ${status('in_review')}`,
  'Months of the creator pool that do not go on': `${running('poolPeriod')} AND ${status('stopped')}`,
  'Months of the creator pool stuck for ten minutes': `${running('poolPeriod')} AND ${STUCK}`,
  'Payouts of the creator pool in trouble': `${running('poolPayout')} AND ${status('retrying')}`,
  'Workflows whose tasks fail': FAILING,
};

export const SAVED_QUERIES: readonly SavedQuery[] = [
  ...Object.entries(ON_PLATFORM).map(([title, query]) => ({ title, scope: PLATFORM, query })),
  {
    title: 'Deliveries of this endpoint in trouble',
    scope: 'endpoint',
    query: `${DELIVERIES} AND ${RUNNING} AND GatehouseEndpoint = "<endpoint id>"`,
  },
  {
    title: 'Deliveries of this product in trouble',
    scope: 'product',
    query: `${DELIVERIES} AND ${RUNNING} AND GatehouseProduct = "<product id>"`,
  },
  {
    title: 'Subscriptions of this person',
    scope: 'person',
    query: `${running('subscriptionLifecycle')} AND GatehousePerson = "<person id>"`,
  },
];

const STUCK_MS = 10 * MINUTE_MS;

/** The dates of today, or of the instant since when something is stuck, and the id of the thing. */
export function fillQuery({ query }: SavedQuery, { now, id = '' }: { now: Date; id?: string }) {
  const isStuck = query.includes('<hh:mm>');
  const at = new Date(now.getTime() - (isStuck ? STUCK_MS : 0)).toISOString();
  return query
    .replace('<yyyy-mm-dd>', at.slice(0, 10))
    .replace('<hh:mm>', at.slice(11, 16))
    .replace(/<(endpoint|product|person) id>/, id);
}

type Viewer = Parameters<typeof workflowsUrl>[0];

/** The link to the query of one thing; nothing for everybody but operators. */
export function queryLink(
  viewer: Viewer,
  { scope, id }: { scope: Exclude<Scope, 'platform'>; id: string },
): HtmlSafeString | '' {
  const saved = SAVED_QUERIES.find((each) => each.scope === scope)!;
  const url = workflowsUrl(viewer, fillQuery(saved, { now: new Date(), id }));
  if (url === null) return '';
  return html`<p><a href="${url}" rel="noreferrer">${saved.title}, in Temporal</a></p>`;
}
