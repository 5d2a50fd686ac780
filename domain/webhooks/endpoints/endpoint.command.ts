// Changes of a product's webhook endpoints. A verification, a change of a role, a transfer and other
// changes of the product's endpoints wait for the owner's row, which every change locks.
import { inTransaction, type EntityManager } from '../../../platform/database/database.ts';
import { recordAudit, type AuditEntry } from '../../audit/audit.repository.ts';
import { decideCredentialRights, type CredentialRefusal } from '../../catalog/credential-trial.ts';
import {
  countEndpoints,
  lockWithOwner,
  MOST_ENDPOINTS_OF_ONE_OWNER,
  type Owner,
} from '../../catalog/owner.repository.ts';
import { findManagedProduct, type ActingManager } from '../../catalog/product.repository.ts';
import { mailOwners } from '../../notifications/recipients.repository.ts';
import { isRefusal, refuse, type Refusal } from '../../shared/refusal.ts';
import type { Encryptor } from '../../shared/secrets.ts';
import {
  changeState,
  findEndpointUrl,
  findFreeSlot,
  insertEndpoint,
  isUrlTaken,
  updateTarget,
  type EndpointChange,
  type EndpointKey,
  type Target,
} from './endpoint.repository.ts';
import { openSecrets, rotateSecret, type Secrets } from './secret-rotation.repository.ts';
import { isLoopbackEndpoint } from './loopback-endpoint.ts';

export type Change = {
  by: ActingManager;
  /** The installation sends webhooks to loopback addresses: there is a trial. */
  isLoopbackReachable: boolean;
};

export type RightsRefusal = Refusal<CredentialRefusal | 'transferred'>;

type Held = { isTrial: boolean; owner: Owner; teamId: string | null };

/** Adds an endpoint in the first free of a product's ten slots. */
export async function addEndpoint(
  em: EntityManager,
  input: Change & EndpointKey & Target & { encryptedSecret: string },
): Promise<
  | { endpointId: string }
  | RightsRefusal
  | Refusal<'not_loopback' | 'too_many_of_owner' | 'too_many' | 'duplicate'>
> {
  return inTransaction(em, async (em) => {
    const { productId, endpointId, url, events } = input;
    const held = await holdRights(em, input);
    if (isRefusal(held)) return held;
    if (held.isTrial && !isLoopbackEndpoint(url)) return refuse('not_loopback');
    const owned = await countEndpoints(em, held.owner, productId);
    if (owned >= MOST_ENDPOINTS_OF_ONE_OWNER) return refuse('too_many_of_owner');
    const slot = await findFreeSlot(em, productId);
    if (slot === undefined) return refuse('too_many');
    if (await isUrlTaken(em, input)) return refuse('duplicate');
    await insertEndpoint(em, { ...input, slot });
    const detail = { host: new URL(url).host, events };
    await audit(em, { ...input, ...held }, { action: 'endpoint.created', detail });
    return { endpointId };
  });
}

type OneRefusal = RightsRefusal | Refusal<'unknown' | 'read_only'>;

/** Changes the URL and the events of an endpoint. */
export async function changeEndpoint(
  em: EntityManager,
  input: Change & EndpointKey & Target,
): Promise<{ changed: true } | OneRefusal | Refusal<'not_loopback' | 'duplicate'>> {
  return inTransaction(em, async (em) => {
    const { url, events } = input;
    const held = await holdRightsToOne(em, input);
    if (isRefusal(held)) return held;
    if (held.isTrial && !isLoopbackEndpoint(url)) return refuse('not_loopback');
    if (await isUrlTaken(em, input)) return refuse('duplicate');
    if (!(await updateTarget(em, input, input))) return refuse('unknown');
    const detail = { host: new URL(url).host, events };
    await audit(em, { ...input, ...held }, { action: 'endpoint.changed', detail });
    return { changed: true };
  });
}

const DONE = { disable: 'disabled', enable: 'enabled', delete: 'deleted' } as const;

/** Disables, enables or deletes an endpoint. */
export async function changeEndpointState(
  em: EntityManager,
  input: Change & EndpointKey & { change: EndpointChange },
): Promise<{ changed: true } | OneRefusal | Refusal<'unchanged'>> {
  return inTransaction(em, async (em) => {
    const { change } = input;
    const held = await holdRightsToOne(em, input);
    if (isRefusal(held)) return held;
    if (!(await changeState(em, input, change))) return refuse('unchanged');
    await audit(em, { ...input, ...held }, { action: `endpoint.${DONE[change]}` });
    return { changed: true };
  });
}

/** Opens the secrets of an endpoint, and mails the owners that somebody saw them. */
export async function revealEndpointSecrets(
  em: EntityManager,
  input: Change & EndpointKey & { encryptor: Encryptor },
): Promise<Secrets | OneRefusal> {
  return inTransaction(em, async (em) => {
    const held = await holdRightsToOne(em, input);
    if (isRefusal(held)) return held;
    return reveal(em, { ...input, ...held }, { action: 'endpoint.secret_shown' });
  });
}

/** Replaces the secret that the person has seen, and opens the new one. */
export async function rotateEndpointSecret(
  em: EntityManager,
  input: Change &
    EndpointKey & {
      encryptor: Encryptor;
      encryptedSecret: string;
      replaces: string;
      windowDays: number;
    },
): Promise<Secrets | OneRefusal | Refusal<'already_rotated'>> {
  return inTransaction(em, async (em) => {
    const held = await holdRightsToOne(em, input);
    if (isRefusal(held)) return held;
    if (!(await rotateSecret(em, input, input))) return refuse('already_rotated');
    const detail = { window_days: input.windowDays };
    return reveal(em, { ...input, ...held }, { action: 'endpoint.secret_rotated', detail });
  });
}

/** Holds the person's rights to the product's endpoints until the transaction ends. */
export async function holdRights(
  em: EntityManager,
  { productId, by, isLoopbackReachable }: Change & { productId: string },
): Promise<Held | RightsRefusal> {
  const owner = await lockWithOwner(em, productId);
  if (owner === null) return refuse('transferred');
  const product = await findManagedProduct(em, { manager: by, ref: productId });
  const rights = decideCredentialRights(product, by);
  if (isRefusal(rights)) return rights;
  const { isTrial } = rights;
  if (isTrial && !isLoopbackReachable) return refuse('not_verified');
  return { isTrial, owner, teamId: product!.ownerTeamId };
}

/** An endpoint with another address than a loopback one is read-only in a trial. */
async function holdRightsToOne(
  em: EntityManager,
  input: Change & EndpointKey,
): Promise<Held | OneRefusal> {
  const held = await holdRights(em, input);
  if (isRefusal(held)) return held;
  const url = await findEndpointUrl(em, input);
  if (url === null) return refuse('unknown');
  return held.isTrial && !isLoopbackEndpoint(url) ? refuse('read_only') : held;
}

type Audited = Change & EndpointKey & Held;

async function reveal(
  em: EntityManager,
  input: Audited & { encryptor: Encryptor },
  entry: Pick<AuditEntry, 'action' | 'detail'>,
): Promise<Secrets | Refusal<'unknown'>> {
  const secrets = await openSecrets(em, input, input.encryptor);
  if (secrets === null) return refuse('unknown');
  await audit(em, input, entry);
  await mailOwners(em, 'endpoint_secret_shown', input);
  return secrets;
}

async function audit(
  em: EntityManager,
  { by, productId, endpointId, teamId }: Audited,
  entry: Pick<AuditEntry, 'action' | 'detail'>,
): Promise<void> {
  await recordAudit(em, { ...entry, by, subject: endpointId, productId, teamId });
}
