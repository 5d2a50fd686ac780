import { toArrayParameter } from '../../../platform/database/array-parameter.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { hashCredential, newUuid } from '../../shared/ids.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { lockPerson } from '../account.repository.ts';

export type PasskeyView = { id: string; name: string; createdAt: Date; lastUsedAt: Date | null };

export type NewPasskey = {
  personId: string;
  credentialId: string;
  publicKey: Uint8Array;
  counter: number;
  transports: string[];
  name: string;
};

const CHALLENGE_MINUTES = 5;
const MOST_PASSKEYS = 20;

/**
 * The use of a challenge. Registration asks for the password first and an assertion does not, so a
 * challenge for one of them must not serve the other.
 */
type ChallengeUse = 'new_passkey' | 'assertion';

type ChallengeKey = { cookie: string | null; use: ChallengeUse };

export type OpenChallenge = {
  challenge: string;
  /** The pending sign-up of a registration. */
  registrationId?: string | null;
};

/** Stores the challenge of this browser; an older challenge for the same use is dropped. */
export async function keepChallenge(
  em: EntityManager,
  { challenge, registrationId = null, ...key }: OpenChallenge & ChallengeKey,
): Promise<void> {
  await rows(
    em,
    `insert into passkey_challenge (cookie_hash, challenge, registration_id, expires_at)
     values (?, ?, ?, gatehouse_now() + ? * interval '1 minute')
     on conflict (cookie_hash) do update
       set challenge = excluded.challenge, registration_id = excluded.registration_id,
         expires_at = excluded.expires_at`,
    [hashOf(key), challenge, registrationId, CHALLENGE_MINUTES],
  );
}

/** Deletes the challenge whatever follows: it is answered once. */
export async function consumeChallenge(
  em: EntityManager,
  key: ChallengeKey,
): Promise<Required<OpenChallenge> | null> {
  const [found] = await rows<Required<OpenChallenge> & { isLiving: boolean }>(
    em,
    `delete from passkey_challenge where cookie_hash = ?
     returning challenge, registration_id as "registrationId", expires_at > gatehouse_now() as "isLiving"`,
    [hashOf(key)],
  );
  return found?.isLiving ? found : null;
}

function hashOf({ cookie, use }: ChallengeKey): Buffer {
  return hashCredential(`${use} ${cookie ?? ''}`);
}

export async function removeEndedChallenges(em: EntityManager): Promise<number> {
  const removed = await rows(
    em,
    `delete from passkey_challenge where cookie_hash in (
       select cookie_hash from passkey_challenge where expires_at <= gatehouse_now() limit 5000)
     returning 1`,
  );
  return removed.length;
}

export async function listPasskeys(em: EntityManager, personId: string): Promise<PasskeyView[]> {
  const found = await rows<PasskeyView>(
    em,
    `select id, name, created_at as "createdAt", last_used_at as "lastUsedAt"
     from passkey where person_id = ? order by created_at, id`,
    [personId],
  );
  return found.map(({ createdAt, lastUsedAt, ...passkey }) => ({
    ...passkey,
    createdAt: new Date(createdAt),
    lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt),
  }));
}

export async function listCredentialIds(em: EntityManager, personId: string): Promise<string[]> {
  const found = await rows<{ id: string }>(
    em,
    'select credential_id as id from passkey where person_id = ?',
    [personId],
  );
  return found.map(({ id }) => id);
}

/**
 * False when the passkey is registered already, or the person has too many. The person's row is
 * locked.
 */
export async function insertPasskey(em: EntityManager, passkey: NewPasskey): Promise<boolean> {
  const { personId, credentialId, publicKey, counter, transports, name } = passkey;
  await lockPerson(em, personId);
  const made = await rows(
    em,
    `insert into passkey
       (credential_id, id, person_id, public_key, counter, transports, name, is_unproven)
     select ?, ?, id, ?, ?, ?::text[], ?, email_verified_at is null from person
     where id = ? and (select count(*) from passkey where person_id = ?) < ?
     on conflict do nothing returning id`,
    [
      credentialId,
      newUuid(),
      Buffer.from(publicKey),
      counter,
      toArrayParameter(transports),
      name,
      personId,
      personId,
      MOST_PASSKEYS,
    ],
  );
  return made.length > 0;
}

export type KnownPasskey = { personId: string; publicKey: Buffer; counter: number };

/** Null for a sign-up's passkey until the address is confirmed. */
export async function findPasskey(
  em: EntityManager,
  credentialId: string,
): Promise<KnownPasskey | null> {
  const [found] = await rows<Omit<KnownPasskey, 'counter'> & { counter: string }>(
    em,
    `select k.person_id as "personId", k.public_key as "publicKey", k.counter
     from passkey k join person p on p.id = k.person_id and p.deleted_at is null
     where k.credential_id = ? and p.sign_up_browser is null`,
    [credentialId],
  );
  return found ? { ...found, counter: Number(found.counter) } : null;
}

/** False when the counter has not moved on: the authenticator may have been copied. */
export async function recordPasskeyUse(
  em: EntityManager,
  { credentialId, counter }: { credentialId: string; counter: number },
): Promise<boolean> {
  const used = await rows(
    em,
    `update passkey set counter = ?, last_used_at = gatehouse_now()
     where credential_id = ? and (counter < ? or (counter = 0 and ? = 0)) returning id`,
    [counter, credentialId, counter, counter],
  );
  return used.length > 0;
}

/**
 * Refused for the last passkey of a person without a password, under the person's row: of two that
 * are removed at once, one stays.
 */
export async function removePasskey(
  em: EntityManager,
  { personId, passkeyId }: { personId: string; passkeyId: string },
): Promise<{ isRemoved: boolean } | Refusal<'last_way_in'>> {
  await lockPerson(em, personId);
  const removed = await rows(
    em,
    `delete from passkey k using person p
     where k.id = ? and p.id = k.person_id and p.id = ? and (p.password_hash is not null
       or exists (select 1 from passkey other where other.person_id = p.id and other.id <> k.id))
     returning k.id`,
    [passkeyId, personId],
  );
  const left = await rows(em, 'select 1 from passkey where id = ? and person_id = ?', [
    passkeyId,
    personId,
  ]);
  return left.length === 0 ? { isRemoved: removed.length > 0 } : refuse('last_way_in');
}

/** Removes all passkeys, or those from before the confirmation of the address. */
export async function removePasskeys(
  em: EntityManager,
  { personId, onlyUnproven }: { personId: string; onlyUnproven: boolean },
): Promise<void> {
  await rows(em, 'delete from passkey where person_id = ? and (is_unproven or not ?::boolean)', [
    personId,
    onlyUnproven,
  ]);
}
