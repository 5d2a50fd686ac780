// Endpoints of a product: each change is one conditional statement, so that of two clicks one counts.
import { rows, type EntityManager } from '../platform/database.ts';
import { newSecret } from '../platform/ids.ts';
import { refuse, type Refusal } from '../platform/refusal.ts';
import type { Sealer } from '../platform/secrets.ts';
import { openEndpointSecret } from './endpoint-secret.ts';

export type EndpointKey = { productId: string; endpointId: string };
export type Target = { url: string; events: readonly string[] };

// How often somebody else may take the slot that was free a moment ago: there are ten.
const TRIES = 20;

/** HMAC keys, prefix included. Sealed in the row: signing needs them. */
export function newEndpointSecret(): string {
  return `whsec_${newSecret()}`;
}

/** Takes the first of a product's ten slots that is free; the unique index decides between two. */
export async function createEndpoint(
  em: EntityManager,
  wanted: Target & EndpointKey & { sealedSecret: string },
): Promise<{ endpointId: string } | Refusal<'too_many'>> {
  const { productId, endpointId, url, events, sealedSecret } = wanted;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const [taken] = await rows<{ slot: number | null; isMade: boolean }>(
      em,
      `with free as (
         select min(n) as slot from generate_series(1, 10) n where not exists (
           select 1 from webhook_endpoint e
           where e.product_id = ?::uuid and e.slot = n and e.deleted_at is null)
       ), made as (
         insert into webhook_endpoint (id, product_id, slot, url, events, sealed_secret)
         select ?::uuid, ?::uuid, slot, ?, ?::text[], ? from free where slot is not null
         on conflict (product_id, slot) where deleted_at is null do nothing returning 1
       ) select slot, exists (select 1 from made) as "isMade" from free`,
      [productId, endpointId, productId, url, asArray(events), sealedSecret],
    );
    if (taken!.isMade) return { endpointId };
    if (taken!.slot === null) break;
  }
  return refuse('too_many');
}

/** What is still to be sent goes to the new address. False where the product has no such endpoint. */
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

/** Deliveries read this before each attempt. False where it was so before, or there is no endpoint. */
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

/** Names the secret that an endpoint has now, without telling anything of it. */
export const SECRET_VERSION = `left(encode(sha256(convert_to(sealed_secret, 'UTF8')), 'hex'), 16)`;

type Rotation = { sealedSecret: string; replaces: string; windowDays: number };

/**
 * The secret of now becomes the previous one, which signs too until the window is over; one that was
 * the previous until now signs no more. Of two clicks one replaces the secret that both have seen.
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
  /** Only while it signs too. */
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
