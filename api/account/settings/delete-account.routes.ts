import { html } from '@prairielearn/html';
import { LONGEST_PASSWORD } from '../../../domain/identity/new-password.ts';
import { findAccount } from '../../../domain/identity/account.repository.ts';
import { isNeededAsOwner } from '../../../domain/catalog/owner.repository.ts';
import { deleteAccount } from '../../../domain/identity/delete-account.command.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { page, redirect } from '../../http/response.ts';
import { HttpError } from '../../http/errors.ts';
import {
  defineRoute,
  type View,
  SESSION_PAGE,
  type SessionContext,
  SESSION_FORM,
} from '../../http/route.ts';
import { confirmation } from '../../html/parts/confirmation.ts';
import { button as linkButton } from '../../html/parts/button.ts';
import { oneStepPage } from '../one-step.ts';
import { withNotice } from '../../html/notices.ts';
import { CLEAR_SITE_DATA } from '../../http/security-headers.ts';
import { NO_SESSION_COOKIE } from '../../http/cookies.ts';
import { given, formBody } from '../../http/fields.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { validateReauthentication, reauthenticationForm } from './re-authentication.ts';

const PATH = '/settings/delete-account';

const OWNER =
  'You own products, or you are the only owner of a team. Remove or transfer your products, and make another member of each team an owner, before you delete your account.';

const SENTENCES = [
  "We remove your name, email address, passkeys and sessions. All apps lose access, and you can't sign in again.",
  "You lose everything you bought. Makers keep a record of each purchase, without your name. This can't be undone.",
];

const showDeleteAccount = defineRoute({
  ...SESSION_PAGE,
  path: PATH,
  summary: 'Ask before an account is deleted',
  input: {},
  async handler(context) {
    const isOwner = await isNeededAsOwner(
      context.services.database.em(),
      context.currentUser.personId,
    );
    return show(context, { isOwner });
  },
});

const eraseAccount = defineRoute({
  ...SESSION_FORM,
  path: PATH,
  summary: 'Delete the account',
  proof: 'none',
  input: { body: formBody({ password: given(LONGEST_PASSWORD).default('') }) },
  async handler(context) {
    const { services, body, currentUser } = context;
    const problem = await validateReauthentication(context, currentUser, body.password);
    if (problem) return show(context, { problem, status: 422 });
    const deleted = await deleteAccount(services.database.em(), currentUser.personId);
    if (!isRefusal(deleted)) {
      return redirect(withNotice('/sign-in', 'account_deleted'), {
        headers: CLEAR_SITE_DATA,
        cookies: [NO_SESSION_COOKIE],
      });
    }
    if (deleted.refused === 'became_owner') throw new HttpError('conflict', { message: OWNER });
    return show(context, { isOwner: true, status: 409 });
  },
});

type PageState = { isOwner?: boolean; problem?: string; status?: number };

async function show(context: SessionContext, state: PageState) {
  const account = await findAccount(context.services.database.em(), context.currentUser.personId);
  const hasPassword = account?.passwordHash !== null;
  const view = deletePage({ ...state, hasPassword, token: sessionFormToken(context) });
  return page(context, view, { status: state.status ?? 200 });
}

function deletePage(props: PageState & { hasPassword: boolean; token: string }): View {
  const { isOwner, problem, hasPassword, token } = props;
  const wayOut = { path: '/settings/security', label: 'Keep account' };
  const button = 'Delete account';
  const proof = reauthenticationForm({ hasPassword, problem });
  return oneStepPage({
    title: 'Delete account',
    content: isOwner
      ? html`<p>${OWNER}</p>
          ${linkButton({ text: 'Go to the console', href: '/console', kind: 'primary', size: 'large' })}`
      : confirmation({ action: PATH, token, button, sentences: SENTENCES, wayOut, ...proof }),
  });
}

export const routes = [showDeleteAccount, eraseAccount];
