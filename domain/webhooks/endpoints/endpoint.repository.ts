// Changes of a product's endpoints: each is one conditional statement, so that of two clicks one
// counts.
import {
  countEndpoints,
  lockWithOwner,
  MOST_ENDPOINTS_OF_ONE_OWNER,
} from '../../catalog/ownership/ownership.repository.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { newSecret } from '../../shared/ids.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import type { Sealer } from '../../shared/secrets.ts';
import { openEndpointSecret } from './endpoint-secret.ts';

export type EndpointKey = { productId: string; endpointId: string };
export type Target = { url: string; events: readonly string[] };

/** An HMAC key, prefix included. The row stores it sealed, because signing needs it. */
export function newEndpointSecret(): string {
  return `whsec_${newSecret()}`;
}

/**
 * Takes the first free of a product's ten slots, while the rows of owner and product are locked.
 */
export async function createEndpoint(
  em: EntityManager,
  wanted: Target & EndpointKey & { sealedSecret: string },
): Promise<{ endpointId: string } | Refusal<'too_many' | 'too_many_of_owner' | 'moved'>> {
  const { productId, endpointId, url, events, sealedSecret } = wanted;
  const owner = await lockWithOwner(em, productId);
  if (owner === null) return refuse('moved');
  const owned = await countEndpoints(em, owner, productId);
  if (owned >= MOST_ENDPOINTS_OF_ONE_OWNER) return refuse('too_many_of_owner');
  const made = await rows(
    em,
    `insert into webhook_endpoint (id, product_id, slot, url, events, sealed_secret)
     select ?::uuid, ?::uuid, min(n), ?, ?::text[], ? from generate_series(1, 10) n
     where not exists (select 1 from webhook_endpoint e
       where e.product_id = ?::uuid and e.slot = n and e.deleted_at is null)
     having min(n) is not null returning 1`,
    [endpointId, productId, url, asArray(events), sealedSecret, productId],
  );
  return made.length === 1 ? { endpointId } : refuse('too_many');
}

/** Waiting deliveries go to the new address. False when the product has no such endpoint. */
export async function changeTarget(
  em: EntityManager,
  { productId, endpointId }: EndpointKey,
  { url, events }: Target,
): Promise<boolean> {
  const changed = await rows(
    em,
    `update webhook_endpoint set url = ?, events = ?::text[]
     where id = ? and product_id = ? and deleted_at is null returning 1`,
    [url, asArray(events), endpointId, productId],
  );
  return changed.length === 1;
}

const CHANGES = {
  disable: { set: 'disabled_at = gatehouse_now()', where: 'disabled_at is null' },
  enable: { set: 'disabled_at = null', where: 'disabled_at is not null' },
  delete: { set: 'deleted_at = gatehouse_now()', where: 'true' },
} as const;

export type EndpointChange = keyof typeof CHANGES;

/**
 * Deliveries read this before each attempt. False when nothing changes, or there is no endpoint.
 */
export async function changeState(
  em: EntityManager,
  { productId, endpointId }: EndpointKey,
  change: EndpointChange,
): Promise<boolean> {
  const { set, where } = CHANGES[change];
  const changed = await rows(
    em,
    `update webhook_endpoint set ${set}
     where id = ? and product_id = ? and deleted_at is null and ${where} returning 1`,
    [endpointId, productId],
  );
  return changed.length === 1;
}

/** Names the current secret without revealing it. */
export const SECRET_VERSION = `left(encode(sha256(convert_to(sealed_secret, 'UTF8')), 'hex'), 16)`;

type Rotation = { sealedSecret: string; replaces: string; windowDays: number };

/**
 * The current secret becomes the previous one, which signs too until the window ends; an older
 * previous secret signs no more. Of two clicks one replaces the secret that both have seen.
 */
export async function rotateSecret(
  em: EntityManager,
  { productId, endpointId }: EndpointKey,
  { sealedSecret, replaces, windowDays }: Rotation,
): Promise<boolean> {
  const rotated = await rows(
    em,
    `update webhook_endpoint set sealed_secret = ?,
       previous_sealed_secret = case when days > 0 then sealed_secret end,
       previous_until = case when days > 0 then gatehouse_now() + days * interval '1 day' end
     from (select ?::int as days) as asked
     where id = ? and product_id = ? and deleted_at is null and ${SECRET_VERSION} = ? returning 1`,
    [sealedSecret, windowDays, endpointId, productId, replaces],
  );
  return rotated.length === 1;
}

export type Secrets = {
  current: string;
  /** Set while it signs too. */
  previous: { secret: string; until: Date } | null;
};

type SealedRow = {
  sealedSecret: string;
  previousSealedSecret: string | null;
  previousUntil: string | null;
};

export async function openSecrets(
  em: EntityManager,
  { productId, endpointId }: EndpointKey,
  sealer: Sealer,
): Promise<Secrets | null> {
  const [found] = await rows<SealedRow>(
    em,
    `select sealed_secret as "sealedSecret", previous_until as "previousUntil",
       case when previous_until > gatehouse_now() then previous_sealed_secret end
         as "previousSealedSecret"
     from webhook_endpoint where id = ? and product_id = ? and deleted_at is null`,
    [endpointId, productId],
  );
  if (!found) return null;
  const { sealedSecret, previousSealedSecret, previousUntil } = found;
  const open = (sealed: string) => openEndpointSecret(sealer, endpointId, sealed);
  const previous =
    previousSealedSecret === null
      ? null
      : { secret: open(previousSealedSecret), until: new Date(previousUntil!) };
  return { current: open(sealedSecret), previous };
}

function asArray(texts: readonly string[]): string {
  return `{${texts.map((text) => JSON.stringify(text)).join(',')}}`;
}
