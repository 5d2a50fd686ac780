import {
  findManagedProduct,
  holdManagedProduct,
  listProductChoices,
  type ManagedProduct,
} from '../../domain/catalog/product.repository.ts';
import { countTroubles } from '../../domain/product-figures/waiting.repository.ts';
import type { CurrentUser } from '../../domain/identity/current-user.repository.ts';
import type { Actor } from '../../domain/audit/audit.repository.ts';
import type { EntityManager } from '../../platform/database/database.ts';
import { isAllowed, PERMISSIONS, type Action } from '../../domain/teams/permissions.ts';
import {
  decideCredentialRights,
  type CredentialRefusal,
} from '../../domain/catalog/credential-trial.ts';
import {
  decideProductRights,
  type RightsRefusal,
  isBarred,
  type Rights,
} from '../../domain/teams/suspension.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import { ONCE_VERIFIED } from '../html/notices.ts';
import { isReference } from '../../domain/catalog/product-reference.ts';
import { HttpError } from '../http/errors.ts';
import { describeRoles, type FramedProduct } from './console-frame.ts';
import {
  SESSION_PAGE,
  type HttpResponse,
  type RouteContext,
  type SessionContext,
} from '../http/route.ts';

export type ProductCall = RouteContext & { currentUser: CurrentUser; params: { ref: string } };

/** A product, and a way to read what the navigation of its pages shows. */
type ShownProduct = ManagedProduct & Required<Pick<FramedProduct, 'readNavigation'>>;

/**
 * Loads the product. Throws 404 for a person without a role, so the existence of a draft stays
 * hidden.
 */
export async function loadManaged(
  context: ProductCall,
  action: Action = 'see',
): Promise<ShownProduct> {
  const product = await find(context);
  if (!product || product.state === 'removed') throw new HttpError('not_found');
  requireAllowed(product, action);
  return product;
}

/**
 * Loads the product for sales pages, which stay after a removal. An operator may refund a removed
 * product.
 */
export async function loadSold(
  context: ProductCall,
  action: 'see' | 'see_statements' | 'refund' = 'see',
): Promise<ShownProduct> {
  const product = await find(context);
  if (!product) throw new HttpError('not_found');
  if (product.state !== 'removed') requireAllowed(product, action);
  else if (!isAllowed(product.roles, 'see_statements')) throw new HttpError('not_found');
  else if (action === 'refund' && refundBlockReason(product)) requireAllowed(product, action);
  return product;
}

/** A page or a file of what `loadSold` loads. */
export const SOLD_PAGE = {
  ...SESSION_PAGE,
  limit: 'settings',
} as const;

async function find({ services, params, currentUser }: ProductCall): Promise<ShownProduct | null> {
  if (!isReference(params.ref)) return null;
  const em = services.database.em();
  const product = await findManagedProduct(em, { manager: currentUser, ref: params.ref });
  if (!product) return null;
  // A form that leads on, and a file, show none.
  const readNavigation = async () => {
    const [others, waiting] = await Promise.all([
      listProductChoices(services.database.em(), currentUser.personId),
      countTroubles(services.database.em(), product.id),
    ]);
    return { others, waiting };
  };
  return { ...product, readNavigation };
}

/** Refuses with the reason, and with the roles that could do it. */
export function requireAllowed(rights: Rights, action: Action) {
  const decided = decideProductRights(rights, action);
  if (isRefusal(decided)) passRights(decided.refused, action);
}

/** Throws the error of a refusal for lost rights; returns every other reason. */
export function passRights<Reason extends string>(
  refused: Reason,
  action: Action,
): Exclude<Reason, RightsRefusal> {
  if (refused === 'not_found') throw new HttpError('not_found');
  if (refused === 'not_allowed') throw new HttpError('forbidden', { message: whyNot(action) });
  if (refused === 'suspended') {
    throw new HttpError('forbidden', { message: suspensionReason(action) });
  }
  return refused as Exclude<Reason, RightsRefusal>;
}

/**
 * Holds the rights for a change of what is sold, inside its transaction: the role and the
 * verification of the owners are lost before the change, which is refused then, or after it.
 */
export async function holdAllowed(
  em: EntityManager,
  { currentUser }: { currentUser: CurrentUser },
  { product: { id: productId }, action }: { product: Pick<ManagedProduct, 'id'>; action: Action },
): Promise<void> {
  const product = await holdManagedProduct(em, { manager: currentUser, productId });
  if (!product) throw new HttpError('not_found');
  requireAllowed(product, action);
}

function whyNot(action: Action): string {
  const { what, roles } = PERMISSIONS[action];
  return `Your role does not allow you to ${what}. Roles that can: ${describeRoles(roles)}.`;
}

/** The reason why nobody in a suspended team performs the action. */
function suspensionReason(action: Action): string {
  return `Nobody can ${PERMISSIONS[action].what} in this team: ${ALL_REVOKED}`;
}

export const ALL_REVOKED =
  'the verification of all of its owners was revoked. An owner requests verification again under Verified maker.';

/** The audit entry of an action on a product. */
export function auditEntryOn(
  context: SessionContext,
  { id: productId, ownerTeamId: teamId }: ManagedProduct,
) {
  return { by: actorOf(context), productId, teamId };
}

/** The person of a request who changes a product. */
export function managerOf({ ctx, currentUser }: SessionContext) {
  const { personId, isOperator, isEmailVerified } = currentUser;
  return { personId, isOperator, isEmailVerified, ip: ctx.ip };
}

export function actorOf({ ctx, currentUser }: SessionContext): Actor {
  return { personId: currentUser.personId, ip: ctx.ip };
}

const SOLD_ELSEWHERE =
  'This product is sold elsewhere, so it has no keys, clients, endpoints, grants or prices here.';

/** Returns the reason why these roles may not perform the action; null if they may. */
export function integrationBlockReason(product: ManagedProduct): string | null {
  return blockReasonFor(product, 'integrate');
}

/** Returns the reason why these roles may not retry a delivery; operators may, from an alert on. */
export function retryBlockReason(product: ManagedProduct): string | null {
  return product.roles.includes('operator') ? null : integrationBlockReason(product);
}

/** Explains why a person may not change keys, clients or endpoints. */
const CREDENTIAL_REASONS = {
  sold_elsewhere: SOLD_ELSEWHERE,
  not_verified: `You can ${PERMISSIONS.integrate.what} ${ONCE_VERIFIED}`,
  not_allowed: whyNot('integrate'),
};

/** What a person may do with the keys and clients of a product; a builder has a trial at first. */
export type CredentialRights = {
  blockReason: string | null;
  /** Test keys, and clients and endpoints on loopback addresses, and no others. */
  isTrial: boolean;
};

export function credentialRightsOf(
  { currentUser }: { currentUser: CurrentUser },
  product: ManagedProduct,
): CredentialRights {
  const rights = decideCredentialRights(product, currentUser);
  if (!isRefusal(rights)) return { ...rights, blockReason: null };
  if (rights.refused === 'not_found') throw new HttpError('not_found');
  return { isTrial: false, blockReason: CREDENTIAL_REASONS[rights.refused] };
}

/** Throws the error of a refusal for lost rights; returns every other reason. */
export function passCredentialRights<Reason extends string>(
  refused: Reason,
): Exclude<Reason, CredentialRefusal> {
  if (refused === 'not_found') throw new HttpError('not_found');
  if (Object.hasOwn(CREDENTIAL_REASONS, refused)) {
    const message = CREDENTIAL_REASONS[refused as keyof typeof CREDENTIAL_REASONS];
    throw new HttpError('forbidden', { message });
  }
  return refused as Exclude<Reason, CredentialRefusal>;
}

/** Returns the reason why these roles may not grant access; null if they may. */
export function grantBlockReason(product: ManagedProduct): string | null {
  return blockReasonFor(product, 'grant');
}

/** Returns the reason why these roles may not set prices; null if they may. */
export function priceBlockReason(product: ManagedProduct): string | null {
  return blockReasonFor(product, 'price');
}

/** Returns the reason why these roles may not refund; null if they may. */
export function refundBlockReason(product: ManagedProduct): string | null {
  const isLeftBehind = product.state === 'removed' && product.roles.includes('operator');
  return isLeftBehind ? null : roleBlockReason(product, 'refund');
}

function blockReasonFor(product: ManagedProduct, action: Action): string | null {
  return product.delivery === 'entitlement_api' ? roleBlockReason(product, action) : SOLD_ELSEWHERE;
}

/** Returns the reason, with the roles that may; null if these roles may. */
export function roleBlockReason(rights: Rights, action: Action): string | null {
  const { roles } = rights;
  if (isAllowed(roles, action)) return isBarred(rights, action) ? suspensionReason(action) : null;
  if (!roles.includes('lone_builder')) return whyNot(action);
  const { what } = PERMISSIONS[action];
  return `You can ${what} ${ONCE_VERIFIED}`;
}

type Changing<HandlerContext> = {
  blockReasonOf: (product: ManagedProduct) => string | null;
  /** Shows the page with the reason. */
  show: (context: HandlerContext, product: ManagedProduct) => Promise<HttpResponse>;
};

/** Returns the product, or the page with the reason why it is read-only. */
export async function loadChangeable<HandlerContext extends ProductCall>(
  context: HandlerContext,
  { blockReasonOf, show }: Changing<HandlerContext>,
): Promise<ManagedProduct | HttpResponse> {
  const product = await loadManaged(context);
  if (blockReasonOf(product) === null) return product;
  return { ...(await show(context, product)), status: 422 };
}

export function isResponse(loaded: ManagedProduct | HttpResponse): loaded is HttpResponse {
  return 'status' in loaded;
}
