import type pg from 'pg';
import type { Count } from '../../limits/rate-window.query.ts';
import {
  hashCredential,
  isClientId,
  isWellFormedCredential,
  newCredential,
} from '../../shared/ids.ts';
import { sha256Base64url } from '../../shared/secrets.ts';
import { toChallenge } from './code-verifier.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { ago } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { askForToken, punishReplay } from './exchange-code.query.ts';
import type { ExchangeRequest, TokenFields } from './decide-exchange.ts';
import { decideExchangeRefusal, type ExchangeRefusal } from './explain-exchange-refusal.ts';
import { CODE_SECONDS } from './lifetimes.ts';

export type TokenWindow = {
  name: string;
  limit: number;
  /** The caller's address, and its limit for unproven requests a minute. */
  address: string;
  addressLimit: number;
};

export type TokenQuestion = {
  clientId: string | null;
  secret: string | null;
  window: TokenWindow;
  /** Is null when the request asks for nothing that exists: it is counted all the same. */
  exchange: ExchangeRequest | null;
};

/** The product is that of the client; null for a first-party one. */
type IssuedToken = { token: string; scope: string; productId: string | null };

export type TokenAnswer = {
  isProven: boolean;
  /** Proven by a secret, or by a code that is the client's own. */
  isOwn: boolean;
  count: Count;
  limit: number;
  /** The code's first exchange; null means invalid_grant. Of concurrent exchanges one succeeds. */
  issued: IssuedToken | null;
};

/**
 * Counts the request, proves the client and exchanges the code: in this order, and each step only
 * when the one before allows it. Null when the client is unknown.
 */
export async function exchangeCode(
  pool: pg.Pool,
  { clientId, secret, window, exchange }: TokenQuestion,
): Promise<TokenAnswer | null> {
  if (clientId === null || !isClientId(clientId)) return null;
  const token = newCredential('gat_');
  const code = toCode(exchange);
  const answered = await askForToken(pool, {
    clientId,
    bucket: `${window.name}:${clientId}`,
    unprovenBucket: `${window.name}_unproven:${clientId}:${window.address}`,
    addressBucket: `${window.name}_unproven:${window.address}`,
    limit: window.limit,
    addressLimit: window.addressLimit,
    hasSecret: secret !== null,
    secretHash: secret && isWellFormedCredential(secret, 'gcs_') ? hashCredential(secret) : null,
    tokenHash: hashCredential(token),
    ...code,
  });
  if (!answered) return null;
  const { isProven, isOwn, n, limit, resetS, scope, productId } = answered;
  const isTried = isProven && n <= limit && code.codeHash !== null;
  if (isTried && scope === null) await punishReplay(pool, { clientId, ...code });
  const issued = scope === null ? null : { token, scope, productId };
  return { isProven, isOwn, count: { n, resetS }, limit, issued };
}

/** Counts a request without an exchange and proves its client. */
export async function proveClient(
  pool: pg.Pool,
  question: Omit<TokenQuestion, 'exchange'>,
): Promise<TokenAnswer | null> {
  return exchangeCode(pool, { ...question, exchange: null });
}

type Code = { codeHash: Buffer | null; redirectUri: string; challenge: string | null };

function toCode(exchange: ExchangeRequest | null): Code {
  const { code, redirectUri, verifier } = exchange ?? { code: '', redirectUri: '', verifier: null };
  const codeHash = isWellFormedCredential(code, 'gac_') ? hashCredential(code) : null;
  return { codeHash, redirectUri, challenge: toChallenge(verifier, sha256Base64url) };
}

/** Read after the refusal: the exchange itself stays one statement. */
export async function findGrantRefusal(
  em: EntityManager,
  clientId: string,
  { code: given, redirectUri, verifier }: TokenFields,
): Promise<ExchangeRefusal> {
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
  return decideExchangeRefusal(
    {
      kind: client.kind,
      redirectUri,
      verifier,
      isCodeWellFormed: isWellFormedCredential(code, 'gac_'),
      challenge: toChallenge(verifier, sha256Base64url),
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
