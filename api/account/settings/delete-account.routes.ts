import { html } from '@prairielearn/html';
import { z } from 'zod';
import { LONGEST_PASSWORD } from '../../../domain/identity/new-password.ts';
import {
  erasePerson,
  findAccount,
  lockPerson,
} from '../../../domain/identity/account.repository.ts';
import type { CurrentUser } from '../../../domain/identity/current-user.repository.ts';
import { isNeededAsOwner } from '../../../domain/catalog/owner.repository.ts';
import { closeCheckoutsOf } from '../../../domain/billing/checkout/checkout.repository.ts';
import { closeMembershipsOf } from '../../../domain/billing/memberships/membership.repository.ts';
import { closeSubscriptionsOf } from '../../../domain/billing/product-subscriptions/subscription.repository.ts';
import { withdrawAllAccess } from '../../../domain/entitlements/withdrawal.repository.ts';
import { endAuthorizations } from '../../../domain/oauth/revoke-consents.command.ts';
import { forgetInvitations } from '../../../domain/teams/invitation.repository.ts';
import { leaveTeams, lockTeamsOf } from '../../../domain/teams/team.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { page, redirect } from '../../http/response.ts';
import { HttpError } from '../../http/errors.ts';
import {
  defineRoute,
  type RouteContext,
  type HttpResponse,
  type View,
  SESSION_PAGE,
} from '../../http/route.ts';
import { confirmation, emptyState } from '../../html/form.ts';
import { withNotice } from '../../html/notices.ts';
import { CLEAR_SITE_DATA } from '../../http/security-headers.ts';
import { NO_SESSION_COOKIE } from '../../http/cookies.ts';
import { given } from '../../http/fields.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { validateReauthentication, ownerProof } from './re-authentication.ts';

const PATH = '/settings/delete-account';

const OWNER =
  'You own products, or you are the only owner of a team. Remove or transfer your products, and make another member of each team an owner, before you delete your account.';

const SENTENCES = [
  "We remove your name, email address, passkeys and sessions. All apps lose access, and you can't sign in again.",
  "You lose everything you bought. Sellers keep a record of each purchase, without your name. This can't be undone.",
];

const showDeleteAccount = defineRoute({
  ...SESSION_PAGE,
  path: PATH,
  summary: 'Ask before an account is deleted',
  input: {},
  errors: ['unavailable'],
  async handler(context) {
    const isOwner = await isNeededAsOwner(
      context.services.database.em(),
      context.currentUser.personId,
    );
    return show(context, { isOwner });
  },
});

const deleteAccount = defineRoute({
  method: 'POST',
  path: PATH,
  summary: 'Delete the account',
  proof: 'none',
  credential: 'session',
  limit: 'settings',
  input: {
    body: { kind: 'form', shape: z.object({ password: given(LONGEST_PASSWORD).default('') }) },
  },
  statuses: [303, 409, 422],
  errors: [
    'invalid_request',
    'unauthorized',
    'forbidden',
    'conflict',
    'rate_limited',
    'unavailable',
  ],
  async handler(context) {
    const { services, body, currentUser } = context;
    const problem = await validateReauthentication(context, currentUser, body.password);
    if (problem) return show(context, { problem, status: 422 });
    const isDeleted = await services.database.transaction((em) => erase(em, currentUser.personId));
    if (!isDeleted) return show(context, { isOwner: true, status: 409 });
    return redirect(withNotice('/sign-in', 'account_deleted'), {
      headers: CLEAR_SITE_DATA,
      cookies: [NO_SESSION_COOKIE],
    });
  },
});

/**
 * Returns false while a product or team needs this owner. Locks the person last, in the order of
 * grants and consents. The second round removes access and consents given before that lock.
 */
async function erase(em: EntityManager, personId: string): Promise<boolean> {
  if (await isNeededAsOwner(em, personId)) return false;
  await endAuthorizations(em, personId);
  await closeSubscriptionsOf(em, personId);
  await closeMembershipsOf(em, personId);
  await withdrawAllAccess(em, personId);
  await lockTeamsOf(em, personId);
  await lockPerson(em, personId);
  // A team that added the person before the lock is visible now. No team can add the person after
  // the lock.
  await lockTeamsOf(em, personId);
  if (await isNeededAsOwner(em, personId)) throw new HttpError('conflict', { message: OWNER });
  // Closes subscriptions opened before the lock; a checkout locks the person's row.
  await closeSubscriptionsOf(em, personId);
  await closeMembershipsOf(em, personId);
  await closeCheckoutsOf(em, personId);
  await endAuthorizations(em, personId);
  await leaveTeams(em, personId);
  await forgetInvitations(em, personId);
  await withdrawAllAccess(em, personId);
  await erasePerson(em, personId);
  return true;
}

type Said = { isOwner?: boolean; problem?: string; status?: number };

async function show(
  context: RouteContext & { currentUser: CurrentUser },
  said: Said,
): Promise<HttpResponse> {
  const account = await findAccount(context.services.database.em(), context.currentUser.personId);
  const hasPassword = account?.passwordHash !== null;
  const view = deletePage({ ...said, hasPassword, token: sessionFormToken(context) });
  return page(context, view, { status: said.status ?? 200 });
}

function deletePage(props: Said & { hasPassword: boolean; token: string }): View {
  const { isOwner, problem, hasPassword, token } = props;
  const wayOut = { path: '/settings/security', label: 'Keep account' };
  const button = 'Delete account';
  const proof = ownerProof({ hasPassword, problem });
  return {
    title: 'Delete account',
    content: html`
      <div class="narrow">
        <h1>Delete account</h1>
        ${
          isOwner
            ? emptyState(OWNER, { path: '/console', label: 'Go to the console' })
            : confirmation({ action: PATH, token, button, sentences: SENTENCES, wayOut, ...proof })
        }
      </div>
    `,
  };
}

export const routes = [showDeleteAccount, deleteAccount];
