import { rows, type EntityManager } from '../../platform/database/database.ts';
import { newUuid } from '../shared/ids.ts';
import type { AuditAction } from './audit-actions.ts';

/** The person and the address of an action; no person at the command line. */
export type Actor = { personId: string | null; ip: string | null };

export type AuditEntry = {
  by: Actor;
  action: AuditAction;
  /** Id or name of the subject. */
  subject: string;
  teamId?: string | null;
  productId?: string | null;
  /** What changed: never a secret, never an email address. */
  detail?: Record<string, string | number | boolean | null | readonly string[]>;
};

/** Belongs in the transaction of the action. */
export async function recordAudit(em: EntityManager, entry: AuditEntry): Promise<void> {
  const { by, action, subject, teamId = null, productId = null, detail = {} } = entry;
  await rows(
    em,
    `insert into audit (id, actor_id, action, subject, team_id, product_id, detail, ip)
     values (?, ?, ?, ?, ?, ?, ?::jsonb, ?)`,
    [newUuid(), by.personId, action, subject, teamId, productId, JSON.stringify(detail), by.ip],
  );
}

export type AuditLine = {
  id: string;
  at: Date;
  action: string;
  subject: string;
  /** The person to whom the action was done. */
  subjectPerson: { id: string; handle: string } | null;
  /** Null for the command line. */
  actor: { id: string; handle: string } | null;
  team: { id: string; name: string } | null;
  product: { id: string; name: string } | null;
  detail: Record<string, unknown>;
  ip: string | null;
};

export type AuditFilter = {
  /** The start of the action's name: `client.` */
  action?: string | undefined;
  /** The person who acted, or to whom the action was done. */
  personId?: string | undefined;
  productId?: string | undefined;
  /** Null: actions for no team. */
  teamId?: string | null | undefined;
};

/** `next` is the id of the last entry shown when older ones follow. */
export type AuditPage = { lines: AuditLine[]; next: string | null };

const PAGE = 50;
const UUID = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';

/**
 * Lists entries, the newest first, before a given one; each entry has its place by instant and id.
 */
export async function listAudit(
  em: EntityManager,
  { filter, before = null }: { filter: AuditFilter; before?: string | null },
): Promise<AuditPage> {
  const conditions = conditionsOf(filter);
  if (before !== null)
    conditions.push(['(x.at, x.id) < (select at, id from audit where id = ?)', before]);
  const { personId } = filter;
  // Each arm reads one index backwards, no further than a page.
  const arms: Condition[][] = personId
    ? [[['x.actor_id = ?', personId]], [['x.subject = ?', personId]]]
    : [[]];
  const found = arms.map((arm) => selectKeys([...arm, ...conditions]));
  const lines = await rows<AuditLine & { at: Date | string }>(
    em,
    `select a.id, a.at, a.action, a.subject, a.detail, a.ip,
       case when s.id is not null then json_build_object('id', s.id, 'handle', s.handle) end
         as "subjectPerson",
       case when p.id is not null then json_build_object('id', p.id, 'handle', p.handle) end as actor,
       case when t.id is not null then json_build_object('id', t.id, 'name', t.name) end as team,
       case when r.id is not null then json_build_object('id', r.id, 'name', r.name) end as product
     from (${found.map(({ sql }) => sql).join(' union ')}) found
     join audit a using (id)
     left join person p on p.id = a.actor_id
     left join person s on s.id = case when a.subject ~ ? then a.subject::uuid end
     left join team t on t.id = a.team_id
     left join product r on r.id = a.product_id
     order by a.at desc, a.id desc limit ?`,
    [...found.flatMap(({ values }) => values), UUID, PAGE + 1],
  );
  const shown = lines.slice(0, PAGE).map((line) => ({ ...line, at: new Date(line.at) }));
  return { lines: shown, next: lines.length > PAGE ? shown.at(-1)!.id : null };
}

type Condition = [sql: string, ...values: string[]];

function conditionsOf({ action, productId, teamId }: AuditFilter): Condition[] {
  const conditions: Condition[] = [];
  if (action) conditions.push(['x.action collate "C" ^@ ?', action]);
  if (productId) conditions.push(['x.product_id = ?', productId]);
  if (teamId === null) conditions.push(['x.team_id is null']);
  if (teamId) conditions.push(['x.team_id = ?', teamId]);
  return conditions;
}

function selectKeys(conditions: Condition[]) {
  const where = conditions.map(([sql]) => sql).join(' and ') || 'true';
  return {
    sql: `(select x.id from audit x where ${where} order by x.at desc, x.id desc limit ${PAGE + 1})`,
    values: conditions.flatMap(([, ...values]) => values),
  };
}

/** Removes one batch of IP addresses that are older than 90 days, and returns their number. */
export async function forgetOldAddresses(em: EntityManager): Promise<number> {
  const forgotten = await rows(
    em,
    `update audit set ip = null where id in (
       select id from audit
       where ip is not null and at <= gatehouse_now() - interval '90 days'
       order by at limit 5000) returning 1`,
  );
  return forgotten.length;
}
