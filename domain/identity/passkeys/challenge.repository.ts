import type { EntityManager } from '../../../platform/database/database.ts';
import { fromNow, NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { hashCredential } from '../../shared/ids.ts';

const CHALLENGE = '5 minutes';

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
  const kept = { challenge, registrationId, expiresAt: fromNow(CHALLENGE) };
  await kysely(em)
    .insertInto('passkeyChallenge')
    .values({ cookieHash: hashKey(key), ...kept })
    .onConflict((conflict) => conflict.column('cookieHash').doUpdateSet(kept))
    .execute();
}

/** Deletes the challenge whatever follows: it is answered once. */
export async function consumeChallenge(
  em: EntityManager,
  key: ChallengeKey,
): Promise<Required<OpenChallenge> | null> {
  const found = await kysely(em)
    .deleteFrom('passkeyChallenge')
    .where('cookieHash', '=', hashKey(key))
    .returning(['challenge', 'registrationId'])
    .returning(({ eb }) => eb('expiresAt', '>', NOW).$castTo<boolean>().as('isLiving'))
    .executeTakeFirst();
  return found?.isLiving ? found : null;
}

function hashKey({ cookie, use }: ChallengeKey): Buffer {
  return hashCredential(`${use} ${cookie ?? ''}`);
}

export async function removeEndedChallenges(em: EntityManager): Promise<number> {
  const removed = await kysely(em)
    .deleteFrom('passkeyChallenge')
    .where('cookieHash', 'in', ({ selectFrom }) =>
      selectFrom('passkeyChallenge')
        .select('cookieHash')
        .where('expiresAt', '<=', NOW)
        .limit(5_000),
    )
    .executeTakeFirst();
  return Number(removed.numDeletedRows);
}
