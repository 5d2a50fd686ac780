// The queries of docs/operating.md, as links: the Temporal UI keeps saved ones in one browser.
import { html, type HtmlSafeString } from '@prairielearn/html';
import { FAILING, RUNNING } from '../../workflows/contracts.ts';
import { workflowsUrl } from './workflow-url.ts';
import { MINUTE_MS } from '../../domain/shared/instant.ts';

const DELIVERIES = 'WorkflowType IN ("webhookDelivery", "deliveryCohort")';

/** The page that links a query: the page of workflows, or that of the thing with the id. */
type Scope = 'platform' | 'endpoint' | 'product' | 'person';

type SavedQuery = { title: string; scope: Scope; query: string };

export const SAVED_QUERIES: readonly SavedQuery[] = [
  {
    title: 'Deliveries in trouble',
    scope: 'platform',
    query: `${DELIVERIES} AND ${RUNNING}`,
  },
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
    title: 'Deliveries dead today',
    scope: 'platform',
    query: `${DELIVERIES} AND GatehouseStatus = "dead" AND CloseTime >= "<yyyy-mm-dd>T00:00:00Z"`,
  },
  {
    title: 'Deliveries stuck for ten minutes',
    scope: 'platform',
    query: `${DELIVERIES} AND ${RUNNING} AND GatehouseStatus = "retrying" AND GatehouseDueAt < "<yyyy-mm-dd>T<hh:mm>:00Z"`,
  },
  {
    title: 'Recoveries that are running',
    scope: 'platform',
    query: `WorkflowType = "recoverDeliveries" AND ${RUNNING}`,
  },
  {
    title: 'Mails that wait for the mail server',
    scope: 'platform',
    query: `WorkflowType = "sendMail" AND ${RUNNING}`,
  },
  {
    title: 'Payments that are clearing',
    scope: 'platform',
    query: `WorkflowType = "purchaseClearing" AND ${RUNNING} AND GatehouseStatus = "clearing"`,
  },
  {
    title: 'Subscriptions whose last renewal failed',
    scope: 'platform',
    query: `WorkflowType = "subscriptionLifecycle" AND ${RUNNING} AND GatehouseStatus = "past_due"`,
  },
  {
    title: 'Subscriptions of this person',
    scope: 'person',
    query: `WorkflowType = "subscriptionLifecycle" AND ${RUNNING} AND GatehousePerson = "<person id>"`,
  },
  {
    title: 'Subscriptions stuck for ten minutes',
    scope: 'platform',
    query: `WorkflowType = "subscriptionLifecycle" AND ${RUNNING} AND GatehouseDueAt < "<yyyy-mm-dd>T<hh:mm>:00Z"`,
  },
  {
    title: 'Responses of the processor that this version does not understand',
    scope: 'platform',
    query: `WorkflowType IN ("purchaseClearing", "subscriptionLifecycle") AND ${RUNNING} AND GatehouseStatus = "dead_lettered"`,
  },
  {
    title: 'Months of the creator pool that are not paid yet',
    scope: 'platform',
    query: `WorkflowType = "poolPeriod" AND ${RUNNING}`,
  },
  {
    title: 'Months of the creator pool that wait for an approval',
    scope: 'platform',
    query: `WorkflowType = "poolPeriod" AND ${RUNNING} AND GatehouseStatus = "in_review"`,
  },
  {
    title: 'Months of the creator pool that do not go on',
    scope: 'platform',
    query: `WorkflowType = "poolPeriod" AND ${RUNNING} AND GatehouseStatus = "stopped"`,
  },
  {
    title: 'Months of the creator pool stuck for ten minutes',
    scope: 'platform',
    query: `WorkflowType = "poolPeriod" AND ${RUNNING} AND GatehouseDueAt < "<yyyy-mm-dd>T<hh:mm>:00Z"`,
  },
  {
    title: 'Payouts of the creator pool in trouble',
    scope: 'platform',
    query: `WorkflowType = "poolPayout" AND ${RUNNING} AND GatehouseStatus = "retrying"`,
  },
  {
    title: 'Workflows whose tasks fail',
    scope: 'platform',
    query: FAILING,
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
