import { html } from '@prairielearn/html';
import { z } from 'zod';
import { erasePerson, lockPerson } from '../../../domain/identity/account.store.ts';
import { isNeededAsOwner } from '../../../domain/catalog/ownership.store.ts';
import { endMemberships } from '../../../domain/entitlements/membership.store.ts';
import { forgetInvitations } from '../../../domain/teams/invitation.store.ts';
import { leaveTeams, lockTeamsOf } from '../../../domain/teams/team.store.ts';
import type { EntityManager } from '../../../domain/platform/database.ts';
import { page, redirect } from '../../answer.ts';
import { defineRoute, type AnyCall } from '../../route.ts';
import { confirmation, emptyState } from '../../views/forms.ts';
import { withNotice } from '../../views/notices.ts';
import { noSessionCookie } from '../cookies.ts';
import { explain, given } from '../fields.ts';
import { sessionFormToken } from '../sessions.ts';
import { isOwnPassword } from './credentials.routes.ts';

const PATH = '/settings/delete-account';

const SENTENCES = [
  'Your name, your addresses, your passkeys and your sessions are removed, and all apps lose their access. You cannot sign in again.',
  'What you have bought stays in the books of its sellers, without your name. This cannot be undone.',
];

export const showDeleteAccount = defineRoute({
  method: 'GET',
  path: PATH,
  summary: 'Asks before an account is deleted',
  credential: 'session',
  limit: null,
  input: {},
  statuses: [200, 303],
  errors: ['unavailable'],
  async handler(call) {
    const isOwner = await isNeededAsOwner(call.services.database.em(), call.visitor.personId);
    return page(call, deletePage(call, { isOwner, problem: null }));
  },
});

export const deleteAccount = defineRoute({
  method: 'POST',
  path: PATH,
  summary: 'Delete my account',
  credential: 'session',
  limit: 'settings',
  input: { body: { kind: 'form', shape: z.object({ password: given }) } },
  statuses: [303, 409, 422],
  errors: ['invalid_request', 'unauthorized', 'forbidden', 'rate_limited', 'unavailable'],
  async handler(call) {
    const { services, body, visitor } = call;
    if (!(await isOwnPassword(call, visitor, body.password))) {
      const problem = explain('wrong_password');
      return page(call, deletePage(call, { isOwner: false, problem }), { status: 422 });
    }
    const isDeleted = await services.database.transaction((em) => erase(em, visitor.personId));
    if (!isDeleted) {
      return page(call, deletePage(call, { isOwner: true, problem: null }), { status: 409 });
    }
    return redirect(withNotice('/sign-in', 'account_deleted'), {
      cookies: [noSessionCookie(services.config.baseUrl)],
    });
  },
});

/** False while something needs its owner. */
async function erase(em: EntityManager, personId: string): Promise<boolean> {
  await lockPerson(em, personId);
  await lockTeamsOf(em, personId);
  if (await isNeededAsOwner(em, personId)) return false;
  await leaveTeams(em, personId);
  await forgetInvitations(em, personId);
  await endMemberships(em, personId);
  await erasePerson(em, personId);
  return true;
}

function deletePage(call: AnyCall, props: { isOwner: boolean; problem: string | null }) {
  const { isOwner, problem } = props;
  const wayOut = { path: '/settings/security', label: 'Keep my account' };
  return {
    title: 'Delete my account',
    content: html`
      <div class="narrow">
        <h1>Delete my account</h1>
        ${
          isOwner
            ? emptyState(
                'You own products, or you are the only owner of a team. Remove or hand them over first.',
                {
                  path: '/console',
                  label: 'To the console',
                },
              )
            : confirmation({
                action: PATH,
                token: sessionFormToken(call),
                button: 'Delete my account for good',
                sentences: SENTENCES,
                wayOut,
                fields: [
                  {
                    label: 'Your password',
                    name: 'password',
                    type: 'password',
                    autocomplete: 'current-password',
                    problem,
                  },
                ],
              })
        }
      </div>
    `,
  };
}
