import type { EntityManager } from '../../../platform/database/database.ts';
import { ago } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { hashCredential, isWellFormedCredential } from '../../shared/ids.ts';
import { sha256Base64url } from '../../shared/secrets.ts';
import { decideGrantRefusal, type GrantRefusal } from './grant-refusal.ts';
import { CODE_SECONDS } from './lifetimes.ts';
import type { TokenFields } from './token-request.ts';

/** Read after the refusal: the exchange itself stays one statement. */
export async function findGrantRefusal(
  em: EntityManager,
  clientId: string,
  { code: given, redirectUri, verifier }: TokenFields,
): Promise<GrantRefusal> {
  const code = given ?? '';
  const client = await kysely(em)
    .selectFrom('oauthClient')
    .leftJoin('authorizationCode', (join) =>
      join
        .onRef('authorizationCode.clientId', '=', 'oauthClient.id')
        .on('authorizationCode.codeHash', '=', hashCredential(code)),
    )
    .where('oauthClient.id', '=', clientId)
    .select(['oauthClient.kind', 'redirectUri', 'challenge', 'consumedAt'])
    .select(({ eb }) =>
      eb('authorizationCode.createdAt', '<=', ago(`${CODE_SECONDS} seconds`))
        .$castTo<boolean | null>()
        .as('isExpired'),
    )
    .executeTakeFirstOrThrow();
  return decideGrantRefusal(
    {
      kind: client.kind,
      redirectUri,
      verifier,
      isCodeWellFormed: isWellFormedCredential(code, 'gac_'),
      challenge: verifier === null ? null : sha256Base64url(verifier),
    },
    client.redirectUri === null
      ? null
      : {
          redirectUri: client.redirectUri,
          challenge: client.challenge,
          isUsed: client.consumedAt !== null,
          isExpired: client.isExpired === true,
        },
  );
}
