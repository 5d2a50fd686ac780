import { sql, type ExpressionBuilder } from 'kysely';
import { jsonObjectFrom } from 'kysely/helpers/postgres';
import type { EntityManager } from '../../platform/database/database.ts';
import { ago, NEW_ID } from '../../platform/database/expressions.ts';
import { toPage } from '../../platform/database/to-page.ts';
import { kysely, type Tables } from '../kysely.ts';
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
  const { by, teamId = null, productId = null, detail = {}, action, subject } = entry;
  const { personId: actorId, ip } = by;
  const values = { id: NEW_ID, actorId, action, subject, teamId, productId, detail };
  await kysely(em)
    .with('recorded', (db) => db.insertInto('audit').values(values).returning('id'))
    .insertInto('auditAddress')
    .columns(['auditId', 'ip'])
    .expression(({ cast, selectFrom, val }) => {
      const address = cast<string>(val(ip), 'text');
      return selectFrom('recorded')
        .select(['id', address.as('ip')])
        .where(address, 'is not', null);
    })
    .execute();
}

export type AuditFilter = {
  /** The start of the action's name: `client.` */
  action?: string | undefined;
  /** The person who acted, or to whom the action was done. */
  personId?: string | undefined;
  productId?: string | undefined;
  /** Is null for the actions for no team. */
  teamId?: string | null | undefined;
};

type Selection = { filter: AuditFilter; before?: string | null };

export type AuditPage = Awaited<ReturnType<typeof listAudit>>;
export type AuditLine = AuditPage['lines'][number];

const PAGE = 50;
// Addresses are dropped with their month.
const ADDRESS_SHOWN_FOR = '90 days';
const UUID = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';

/**
 * Lists entries, the newest first, before a given one; the position of an entry is its instant and id.
 * `next` is the id of the last entry shown when older ones follow. The command line is no actor.
 */
export async function listAudit(em: EntityManager, selection: Selection) {
  const people = kysely(em).selectFrom('person').select(['person.id', 'person.handle']);
  const teams = kysely(em).selectFrom('team').select(['team.id', 'team.name']);
  const products = kysely(em).selectFrom('product').select(['product.id', 'product.name']);
  const entries = await kysely(em)
    .selectFrom(selectKeys(em, selection).as('found'))
    .innerJoin('audit', 'audit.id', 'found.id')
    .leftJoin('auditAddress', (join) =>
      join
        .onRef('auditAddress.auditId', '=', 'audit.id')
        .on('audit.at', '>', ago(ADDRESS_SHOWN_FOR)),
    )
    .select(['audit.id', 'audit.at', 'audit.action', 'audit.subject', 'audit.detail'])
    .select('auditAddress.ip')
    .select(({ eb, ref }) => [
      jsonObjectFrom(people.where('person.id', '=', ref('audit.actorId'))).as('actor'),
      jsonObjectFrom(people.where('person.id', '=', subjectAsId(eb))).as('subjectPerson'),
      jsonObjectFrom(people.where('person.id', '=', personInDetail(eb))).as('detailPerson'),
      jsonObjectFrom(teams.where('team.id', '=', ref('audit.teamId'))).as('team'),
      jsonObjectFrom(products.where('product.id', '=', ref('audit.productId'))).as('product'),
    ])
    .orderBy('audit.at', 'desc')
    .orderBy('audit.id', 'desc')
    .limit(PAGE + 1)
    .execute();
  return toPage(entries, PAGE, ({ id }) => id);
}

const subjectAsId = ({ case: when, cast }: ExpressionBuilder<Tables, 'audit'>) =>
  when().when('audit.subject', '~', UUID).then(cast<string>('audit.subject', 'uuid')).end();

/** The person to whom something was done, where the subject is another thing. */
const personInDetail = ({ case: when, cast }: ExpressionBuilder<Tables, 'audit'>) => {
  const given = sql<string>`audit.detail->>'personId'`;
  return when().when(given, '~', UUID).then(cast<string>(given, 'uuid')).end();
};

/** Each arm of a person reads one index backwards, no further than a page. */
function selectKeys(em: EntityManager, selection: Selection) {
  const { personId } = selection.filter;
  const keys = selectNewest(em, selection);
  if (!personId) return keys;
  const [acted, subject] = [
    keys.where('actorId', '=', personId),
    keys.where('subject', '=', personId),
  ];
  return kysely(em)
    .selectFrom(acted.as('acted'))
    .select('id')
    .union(kysely(em).selectFrom(subject.as('subject')).select('id'));
}

function selectNewest(em: EntityManager, { filter, before = null }: Selection) {
  const { action, productId, teamId } = filter;
  let keys = kysely(em)
    .selectFrom('audit')
    .select('id')
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(PAGE + 1);
  if (action) keys = keys.where(sql<string>`action collate "C"`, '^@', action);
  if (productId) keys = keys.where('productId', '=', productId);
  if (teamId === null) keys = keys.where('teamId', 'is', null);
  if (teamId) keys = keys.where('teamId', '=', teamId);
  if (before === null) return keys;
  return keys.where(({ eb, refTuple, selectFrom }) =>
    eb(
      refTuple('at', 'id'),
      '<',
      selectFrom('audit').select(['at', 'id']).where('id', '=', before).$asTuple('at', 'id'),
    ),
  );
}
