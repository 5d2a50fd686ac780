import { rows, type EntityManager } from '../../platform/database/database.ts';
import { writeCode, type CodeRequest } from './authorization.repository.ts';

/** Writes the person's consent and a code for it in one transaction. */
export async function grantCode(
  em: EntityManager,
  personId: string,
  request: CodeRequest,
): Promise<string> {
  const { clientId, scope } = request;
  await rows(
    em,
    `insert into consent (person_id, client_id, scopes, granted_at)
     values (?, ?, string_to_array(?, ' '), gatehouse_now())
     on conflict (person_id, client_id) do update
       set scopes = excluded.scopes, granted_at = excluded.granted_at, revoked_at = null`,
    [personId, clientId, scope],
  );
  return writeCode(em, personId, request);
}

/** A second click gets a code only while the first consent stands. */
export async function repeatCode(
  em: EntityManager,
  personId: string,
  request: CodeRequest,
): Promise<string | null> {
  const consent = await rows(
    em,
    `select 1 from consent where person_id = ? and client_id = ? and revoked_at is null for share`,
    [personId, request.clientId],
  );
  return consent.length === 0 ? null : writeCode(em, personId, request);
}

export type ConnectedApp = {
  clientId: string;
  name: string;
  productName: string | null;
  scopes: string[];
  grantedAt: Date;
};

/** The person's connected apps, the latest consent first. */
export async function listConnectedApps(
  em: EntityManager,
  personId: string,
): Promise<ConnectedApp[]> {
  const found = await rows<ConnectedApp>(
    em,
    `select k.client_id as "clientId", c.name, p.name as "productName", k.scopes,
       k.granted_at as "grantedAt"
     from consent k
     join oauth_client c on c.id = k.client_id and c.deleted_at is null
     left join product p on p.id = c.product_id
     where k.person_id = ? and k.revoked_at is null
     order by k.granted_at desc, k.client_id limit 200`,
    [personId],
  );
  return found.map((app) => ({ ...app, grantedAt: new Date(app.grantedAt) }));
}

/** Revokes an app's access: the consent first, so that no exchange under way outlives it. */
export async function revokeConsent(
  em: EntityManager,
  key: { personId: string; clientId: string },
): Promise<boolean> {
  const values = [key.personId, key.clientId];
  const revoked = await rows(
    em,
    `update consent set revoked_at = gatehouse_now()
     where person_id = ? and client_id = ? and revoked_at is null returning 1`,
    values,
  );
  await rows(
    em,
    `update access_token set revoked_at = gatehouse_now()
     where person_id = ? and client_id = ? and revoked_at is null`,
    values,
  );
  await rows(
    em,
    `delete from authorization_code where person_id = ? and client_id = ? and consumed_at is null`,
    values,
  );
  return revoked.length === 1;
}

// Requests before consents, consents before codes and tokens: consent pages and exchanges lock them
// in this order, so none outlives its end. Revoked tokens stay, because they are answered 404.
const ENDINGS = [
  'delete from pending_authorization where person_id = ?',
  'delete from consent where person_id = ?',
  'delete from authorization_code where person_id = ?',
  `update access_token set revoked_at = gatehouse_now() where person_id = ? and revoked_at is null`,
];

/** Ends all authorizations of a person. */
export async function endAuthorizations(em: EntityManager, personId: string): Promise<void> {
  for (const ending of ENDINGS) await rows(em, ending, [personId]);
}
