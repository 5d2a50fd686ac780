import { rows, type EntityManager } from '../../platform/database/database.ts';
import { hashCredential, newCredential } from '../shared/ids.ts';
import type { KeptRequest } from './consent.repository.ts';

/** The request that the code is for. */
export type CodeRequest = Pick<KeptRequest, 'clientId' | 'redirectUri' | 'scope' | 'challenge'>;

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

async function writeCode(
  em: EntityManager,
  personId: string,
  { clientId, redirectUri, scope, challenge }: CodeRequest,
): Promise<string> {
  const code = newCredential('gac_');
  await rows(
    em,
    `insert into authorization_code (code_hash, client_id, person_id, redirect_uri, scope, challenge)
     values (?, ?, ?, ?, ?, ?)`,
    [hashCredential(code), clientId, personId, redirectUri, scope, challenge],
  );
  return code;
}
