// Who may do what in the database: the owner all, the application what its statements do, the
// payment simulator nothing but in its own schema.
import type pg from 'pg';

export type Parties = { database: string; owner: string; app: string };

const ROWS = 'select, insert, update, delete';
const NEVER_DELETED = 'select, insert, update';

/** Tables in which the application may do less than read and write rows. */
const LIMITED: Record<string, string> = {
  migration: '',
  audit: 'select, insert',
  audit_address: 'select, insert',
  ledger_entry: 'select, insert',
  processor_event_body: 'select, insert',
  receipt: 'select, insert',
  charge_receipt: 'select, insert',
  price: 'select, insert, update (retired_at)',
  // Their triggers alone write them.
  included_span: 'select',
  team_stay: 'select',
  check_day: NEVER_DELETED,
  // Locking a table asks for the right to update it.
  platform_fee: NEVER_DELETED,
  pool_setting: NEVER_DELETED,
  pool_line: NEVER_DELETED,
  pool_payout: NEVER_DELETED,
  pool_period: NEVER_DELETED,
  usage_month: NEVER_DELETED,
  purchase: NEVER_DELETED,
  payment: NEVER_DELETED,
  refund: NEVER_DELETED,
  dispute: NEVER_DELETED,
  subscription: NEVER_DELETED,
  membership: NEVER_DELETED,
};

/** Within a transaction of the caller's, so that no running process is without its rights. */
export async function grantRights(admin: pg.Client, parties: Parties): Promise<void> {
  const { owner, app, database } = {
    owner: admin.escapeIdentifier(parties.owner),
    app: admin.escapeIdentifier(parties.app),
    database: admin.escapeIdentifier(parties.database),
  };
  await giveToOwner(admin, parties.owner);
  await admin.query(`
    revoke all on database ${database} from public, ${app};
    revoke all on schema public from public, ${app};
    revoke all on all tables in schema public from ${app};
    grant connect on database ${database} to ${app};
    grant all on schema public to ${owner};
    grant usage on schema public to ${app};
    grant ${ROWS} on all tables in schema public to ${app};
    grant usage on all sequences in schema public to ${app};
    grant execute on all routines in schema public to ${app};
    alter default privileges for role ${owner} in schema public grant ${ROWS} on tables to ${app};
    alter default privileges for role ${owner} in schema public grant usage on sequences to ${app};
    alter default privileges for role ${owner} in schema public grant execute on routines to ${app}`);
  for (const { name, isView } of await findRelations(admin)) {
    const rights = isView ? 'select' : LIMITED[name];
    if (rights === undefined) continue;
    const relation = `public.${admin.escapeIdentifier(name)}`;
    await admin.query(`revoke all on ${relation} from ${app}`);
    if (rights) await admin.query(`grant ${rights} on ${relation} to ${app}`);
  }
}

/** The payment simulator makes its own tables, in a schema of its own, and sees no other. */
export async function giveSimulatorSchema(
  admin: pg.Client,
  given: { database: string; role: string },
): Promise<void> {
  const role = admin.escapeIdentifier(given.role);
  const database = admin.escapeIdentifier(given.database);
  await admin.query(`
    revoke all on schema public from ${role};
    revoke all on all tables in schema public from ${role};
    grant connect on database ${database} to ${role};
    create schema if not exists simulator authorization ${role};
    alter schema simulator owner to ${role};
    alter role ${role} in database ${database} set search_path = simulator`);
}

/** What was made by another role, such as the server's superuser, becomes the owner's. */
async function giveToOwner(admin: pg.Client, owner: string): Promise<void> {
  const { rows } = await admin.query<{ statement: string }>(
    `select format('alter table %s owner to %I', c.oid::regclass, $1::text) as statement
     from pg_class c where c.relnamespace in ('public'::regnamespace, to_regnamespace('partitions'))
       and c.relkind in ('r', 'p', 'v', 'm') and c.relowner <> to_regrole(quote_ident($1))
       and not exists (select from pg_depend d
         where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
     union all
     select format('alter schema partitions owner to %I', $1::text) from pg_namespace
     where nspname = 'partitions' and nspowner <> to_regrole(quote_ident($1))
     union all
     select format('alter routine %s owner to %I', p.oid::regprocedure, $1::text)
     from pg_proc p where p.pronamespace = 'public'::regnamespace
       and p.proowner <> to_regrole(quote_ident($1))
       and not exists (select from pg_depend d
         where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`,
    [owner],
  );
  for (const { statement } of rows) await admin.query(statement);
}

async function findRelations(admin: pg.Client) {
  const { rows } = await admin.query<{ name: string; isView: boolean }>(
    `select relname as name, relkind in ('v', 'm') as "isView" from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm')`,
  );
  return rows;
}
