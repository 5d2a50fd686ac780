// Rows that are old, and rows that are not yet.
import type { TestDatabase } from '../engines/database.ts';

/** Of each thing some that are over and one that is not. */
export async function addAuthorizations(
  { query }: Pick<TestDatabase, 'query'>,
  { personId, productId }: { personId: string; productId: string },
) {
  await query(
    `insert into oauth_client (id, product_id, kind, name) values ('c', $1, 'public', 'App')`,
    [productId],
  );
  const columns = 'client_id, person_id, scope';
  const bound = `'c', '${personId}'::uuid, 'identity'`;
  await query(
    `insert into pending_authorization (token_hash, created_at, redirect_uri, ${columns})
     select convert_to(name, 'utf8'), gatehouse_now() - age, 'u', ${bound} from (values
       ('old request', interval '61 minutes'), ('new request', interval '59 minutes')) g (name, age)`,
  );
  await query(
    `insert into authorization_code (code_hash, created_at, consumed_at, redirect_uri, ${columns})
     select convert_to(name, 'utf8'), gatehouse_now() - age,
       case when is_used then gatehouse_now() - age end, 'u', ${bound}
     from (values ('fresh code', interval '4 minutes', false), ('unused code', '61 minutes', false),
       ('used code', '29 days', true), ('old code', '31 days', true)) g (name, age, is_used)`,
  );
  await query(
    `insert into access_token (token_hash, expires_at, ${columns})
     select convert_to(name, 'utf8'), gatehouse_now() - age, ${bound} from (values
       ('expired token', interval '29 days'), ('dead token', interval '31 days')) g (name, age)`,
  );
}

/** A row of the trail with its address. */
export async function addTrail(
  { query }: Pick<TestDatabase, 'query'>,
  { personId, subject }: { personId: string; subject: string },
) {
  await query(
    `with trail as (
       insert into audit (id, actor_id, action, subject)
       select time_ordered_id(), $1, 'team.renamed', $2 returning id)
     insert into audit_address (audit_id, ip) select id, '192.0.2.7' from trail`,
    [personId, subject],
  );
}

/** Long over and open. */
export async function addInvitations({ query }: Pick<TestDatabase, 'query'>, personId: string) {
  const [team] = await query<{ id: string }>(
    `insert into team (id, name) values (gen_random_uuid(), 'T') returning id`,
  );
  await query(
    `insert into team_invitation (id, team_id, address, role, invited_by, expires_at)
     select gen_random_uuid(), $1, name || '@example.com', 'viewer', $2, gatehouse_now() + ends
     from (values ('old', interval '-8 days'), ('new', interval '-6 days')) g (name, ends)`,
    [team!.id, personId],
  );
}
