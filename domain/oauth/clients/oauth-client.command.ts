// Changes of the OAuth clients of a product or of the platform.
import { inTransaction, type EntityManager } from '../../../platform/database/database.ts';
import { recordAudit } from '../../audit/audit.repository.ts';
import { holdCredentialRights, type HeldRights } from '../../catalog/credential-trial.command.ts';
import type { CredentialRefusal } from '../../catalog/credential-trial.ts';
import type { ActingManager } from '../../catalog/product.repository.ts';
import { mailOwners } from '../../notifications/recipients.repository.ts';
import { isRefusal, refuse, type Refusal } from '../../shared/refusal.ts';
import {
  decideRedirectUris,
  decideRegistration,
  type RegistrationProblems,
  type TypedClient,
} from './client-registration.ts';
import {
  expireReplacedSecret,
  listLiveSlots,
  writeSecret,
  type ClientKey,
} from './client-secret.repository.ts';
import {
  countClients,
  createClient,
  listRedirectUris,
  lockClient,
  lockOwner,
  replaceRedirectUris,
  updateClient,
  type ClientChange,
} from './oauth-client.repository.ts';
import { isLoopbackUri, type ClientKind } from './redirect-uri.ts';

const MOST_CLIENTS = 20;

/** The product's own clients, or with null those of the platform, which an operator changes. */
type Change = { productId: string | null; by: ActingManager };

/** Registers a client of an owner, who has at most twenty. */
export async function registerClient(
  em: EntityManager,
  { productId, by, typed }: Change & { typed: TypedClient },
): Promise<
  | { clientId: string; secret: string | null }
  | { problems: RegistrationProblems }
  | Refusal<CredentialRefusal | 'too_many'>
> {
  return inTransaction(em, async (em) => {
    const rights = await holdRights(em, { productId, by });
    if (isRefusal(rights)) return rights;
    const isFirstParty = productId === null;
    const decision = decideRegistration(typed, { ...rights, isFirstParty });
    if ('problems' in decision) return decision;
    await lockOwner(em, productId);
    if ((await countClients(em, productId)) >= MOST_CLIENTS) return refuse('too_many');
    const made = await createClient(em, { productId, ...decision.registration });
    const { clientId } = made;
    await audit(em, { productId, by, clientId, ...rights }, 'created');
    if (made.secret !== null) await mailOwners(em, 'client_secret_made', { productId });
    return made;
  });
}

/** A client with another redirect URI than a loopback one is not for a trial. */
type ClientRefusal = CredentialRefusal | 'unknown' | 'live';

/** Disables, enables or deletes a client, or changes whether it is sent the issuer. */
export async function changeClient(
  em: EntityManager,
  input: Change & ClientKey & { change: ClientChange },
): Promise<{ changed: true } | Refusal<ClientRefusal>> {
  return inTransaction(em, async (em) => {
    const { clientId, change } = input;
    const held = await holdClientRights(em, input);
    if (isRefusal(held)) return held;
    await updateClient(em, clientId, change);
    await audit(em, { ...input, ...held }, change);
    return { changed: true };
  });
}

/** The time for which a replaced secret still works. */
const OVERLAP = '48 hours';

/** Adds a secret beside the old one, which works on for the overlap; at most two are live. */
export async function rotateClientSecret(
  em: EntityManager,
  input: Change & ClientKey,
): Promise<{ secret: string } | Refusal<ClientRefusal | 'two_live' | 'not_confidential'>> {
  return inTransaction(em, async (em) => {
    const { productId, clientId } = input;
    const held = await holdClientRights(em, input);
    if (isRefusal(held)) return held;
    if (held.kind !== 'confidential') return refuse('not_confidential');
    const live = await listLiveSlots(em, clientId);
    const free = [1, 2].find((slot) => !live.includes(slot));
    if (free === undefined) return refuse('two_live');
    await expireReplacedSecret(em, { clientId, overlap: OVERLAP });
    const secret = await writeSecret(em, clientId, free);
    await audit(em, { ...input, ...held }, 'rotate');
    await mailOwners(em, 'client_secret_made', { productId });
    return { secret };
  });
}

/** Replaces the redirect URIs of a client, one a line. With a problem nothing is changed. */
export async function changeRedirectUris(
  em: EntityManager,
  input: Change & ClientKey & { typed: string },
): Promise<
  | { redirectUris: string[] }
  | { problem: NonNullable<RegistrationProblems['redirectUris']> }
  | Refusal<ClientRefusal>
> {
  return inTransaction(em, async (em) => {
    const { clientId, typed } = input;
    const held = await holdClientRights(em, input);
    if (isRefusal(held)) return held;
    const decision = decideRedirectUris(typed, held);
    if ('problem' in decision) return decision;
    await replaceRedirectUris(em, clientId, { kind: held.kind, ...decision });
    await audit(em, { ...input, ...held }, 'redirect_uris');
    return decision;
  });
}

async function holdRights(
  em: EntityManager,
  { productId, by }: Change,
): Promise<HeldRights | Refusal<CredentialRefusal>> {
  if (productId === null) {
    return by.isOperator ? { isTrial: false, teamId: null } : refuse('not_allowed');
  }
  return holdCredentialRights(em, { productId, by });
}

/**
 * The client's redirect URIs and the rights cannot change until the transaction ends. They are locked
 * in the order of a consent: the client, then the person.
 */
async function holdClientRights(
  em: EntityManager,
  { productId, clientId, by }: Change & ClientKey,
): Promise<(HeldRights & { kind: ClientKind }) | Refusal<ClientRefusal>> {
  const kind = await lockClient(em, { productId, clientId });
  if (kind === null) return refuse('unknown');
  const rights = await holdRights(em, { productId, by });
  if (isRefusal(rights)) return rights;
  const isLoopback = async () => (await listRedirectUris(em, clientId)).every(isLoopbackUri);
  return rights.isTrial && !(await isLoopback()) ? refuse('live') : { ...rights, kind };
}

async function audit(
  em: EntityManager,
  { by, productId, teamId, clientId }: Change & ClientKey & HeldRights,
  done: ClientChange | 'created' | 'rotate' | 'redirect_uris',
): Promise<void> {
  await recordAudit(em, { by, productId, teamId, action: `client.${done}`, subject: clientId });
}
