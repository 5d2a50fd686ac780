import type { TestDatabase } from '../engines/database.ts';

const HERE = `= 'public'::regnamespace`;
// Partitions that are there for good, and not those of a month.
const ALSO_PARTS = `(c.relnamespace ${HERE}
  or c.relnamespace = 'partitions'::regnamespace and c.relname !~ '_[0-9]{4}_[0-9]{2}')`;
const isOwn = (oid: string) =>
  `not exists (select from pg_depend d where d.objid = ${oid} and d.deptype = 'e')`;
const squeezed = (text: string) =>
  String.raw`regexp_replace(btrim(${text}, E' \n'), '\s+', ' ', 'g')`;

/** Each row is one text: the name of the object and its definition. */
const QUERIES: Record<string, string> = {
  triggers: `select pg_get_triggerdef(g.oid)
      || case g.tgenabled when 'O' then '' else ' enabled=' || g.tgenabled::text end
    from pg_trigger g join pg_class c on c.oid = g.tgrelid
    where c.relnamespace ${HERE} and not g.tgisinternal`,
  // Each test database has a clock of its own in place of gatehouse_now.
  functions: `select format('%s(%s) returns %s, %s%s%s: %s', proname,
      pg_get_function_identity_arguments(oid), pg_get_function_result(oid),
      case provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end,
      case proparallel when 's' then ', parallel safe' end,
      case when prosecdef then ', security definer' end,
      case proname when 'gatehouse_now' then 'the clock' else ${squeezed('prosrc')} end)
    from pg_proc where pronamespace ${HERE} and ${isOwn('pg_proc.oid')}`,
  views: `select format('%s: %s', relname, ${squeezed('pg_get_viewdef(oid)')}) from pg_class
    where relnamespace ${HERE} and relkind in ('v', 'm')`,
  unloggedTables: `select relname from pg_class c
    where ${ALSO_PARTS} and relpersistence = 'u' and relkind in ('r', 'p')`,
  storageParameters: `select format('%s: %s', relname, option)
    from pg_class c, unnest(reloptions) option where ${ALSO_PARTS}`,
  partitionKeys: `select format('%s by %s', relname, pg_get_partkeydef(oid)) from pg_class
    where relnamespace ${HERE} and relkind = 'p'`,
  exclusions: `select format('%s: %s', conrelid::regclass, pg_get_constraintdef(oid))
    from pg_constraint where connamespace ${HERE} and contype = 'x'`,
  // Columns of indexes too.
  collations: `select format('%s.%s: %s', c.relname, a.attname, a.attcollation::regcollation)
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_type y on y.oid = a.atttypid
    where c.relnamespace ${HERE} and a.attnum > 0 and a.attcollation <> 0
      and a.attcollation <> y.typcollation`,
  grants: `select format('%s: %s', c.relname,
      string_agg(lower(r.privilege_type), ', ' order by r.privilege_type))
    from pg_class c, aclexplode(c.relacl) r
    where c.relnamespace ${HERE} and r.grantee = 'gatehouse_app'::regrole
      and c.relname <> 'test_clock'
    group by c.relname`,
  columnGrants: `select format('%s.%s: %s', c.relname, a.attname, lower(r.privilege_type))
    from pg_attribute a join pg_class c on c.oid = a.attrelid, aclexplode(a.attacl) r
    where c.relnamespace ${HERE} and r.grantee = 'gatehouse_app'::regrole`,
  schemaGrants: `select lower(r.privilege_type) from pg_namespace n, aclexplode(n.nspacl) r
    where n.oid ${HERE} and r.grantee in (0, 'gatehouse_app'::regrole)`,
  // Nobody but the owner: the application reaches a part through its table.
  partGrants: `select format('%s: %s', coalesce(c.relname, n.nspname), r.grantee::regrole)
    from pg_namespace n left join pg_class c on c.relnamespace = n.oid,
      aclexplode(coalesce(c.relacl, n.nspacl)) r
    where n.nspname = 'partitions' and r.grantee <> coalesce(c.relowner, n.nspowner)`,
  defaultGrants: `select format('%s: %s',
      case d.defaclobjtype when 'r' then 'tables' when 'S' then 'sequences' else 'routines' end,
      lower(r.privilege_type))
    from pg_default_acl d, aclexplode(d.defaclacl) r
    where d.defaclnamespace ${HERE} and r.grantee = 'gatehouse_app'::regrole`,
  functionGrants: `select format('%s: %s', p.proname, lower(r.privilege_type))
    from pg_proc p, aclexplode(p.proacl) r
    where p.pronamespace ${HERE} and ${isOwn('p.oid')} and r.grantee = 'gatehouse_app'::regrole`,
  strangersGrants: `select format('%s: %s', c.relname, lower(r.privilege_type))
    from pg_class c, aclexplode(c.relacl) r
    where c.relnamespace ${HERE} and r.grantee <> 'gatehouse_app'::regrole and r.grantee <> c.relowner`,
  roleAttributes: `select format('%s: %s', rolname, concat_ws(', ',
      case when rolsuper then 'superuser' end, case when rolcreatedb then 'createdb' end,
      case when rolcreaterole then 'createrole' end, case when rolbypassrls then 'bypassrls' end,
      case when rolreplication then 'replication' end, case when rolcanlogin then 'login' end))
    from pg_roles where rolname in ('gatehouse_app', 'gatehouse_owner')`,
};

/** The objects of a migrated database that no entity declares, by kind, sorted. */
export async function readDatabaseObjects({ query }: Pick<TestDatabase, 'query'>) {
  const found: Record<string, string[]> = {};
  for (const [kind, sql] of Object.entries(QUERIES)) {
    const rows = await query<Record<string, string>>(sql);
    found[kind] = rows.flatMap((row) => Object.values(row)).toSorted();
  }
  return found;
}
