import { html, type HtmlSafeString } from '@prairielearn/html';
import type {
  RegistrationProblems,
  TypedClient,
} from '../../../domain/oauth/clients/client-registration.ts';
import type { ClientKind, UriRefusal } from '../../../domain/oauth/clients/redirect-uri.ts';
import type { NameProblem } from '../../../domain/shared/names.ts';
import { NAME_RESERVED, NO_WEB_ADDRESS } from '../../account/field-problems.ts';
import { field, select } from '../../html/parts/field.ts';
import { formFields } from '../../html/form.ts';
import { button } from '../../html/parts/button.ts';
import { cardFold } from '../../html/parts/fold.ts';
import { formToken } from '../../html/parts/form-token.ts';

/** The submitted form and its validation messages. */
export type ClientDraft = { typed: TypedClient; problems: RegistrationProblems };

const KINDS: { value: ClientKind; label: string }[] = [
  { value: 'confidential', label: 'Confidential: a web server that keeps a secret' },
  { value: 'public', label: 'Public: a single-page app, with PKCE' },
  { value: 'native', label: 'Native: a desktop or mobile app, with PKCE' },
];

const NAME_PROBLEMS: Record<NameProblem, string> = {
  required: 'Enter a name. People see it when they sign in to the app.',
  too_long: 'Use at most 80 characters.',
  unreadable: "Leave out characters that can't be shown.",
  reserved: NAME_RESERVED,
  web_address: NO_WEB_ADDRESS,
};

const URI_PROBLEMS: Record<UriRefusal, string> = {
  not_absolute: 'is not an absolute URI',
  too_long: 'is longer than 2,048 characters',
  fragment: 'has a fragment (#)',
  userinfo: 'has a user name or password',
  scheme:
    'must be https (or http on localhost, 127.0.0.1 or [::1]; for a native app http on 127.0.0.1 or [::1], or a scheme like com.example.app:/)',
  wildcard:
    'has a *, and a redirect URI must match character by character: register each one in full',
  localhost:
    'is on localhost, which a native app cannot use: enter http://127.0.0.1 and the same path, which stands for every port',
  not_loopback: 'must be on localhost, 127.0.0.1 or [::1] until you are a verified maker',
  control: 'has characters that must be percent-encoded',
};

/** Which loopback address a native app registers. */
export const NATIVE_PORTS = html`<p>
  <small class="muted">
    For a native app, use <code>http://127.0.0.1/cb</code> (or <code>http://[::1]/cb</code>):
    without a port it stands for every port. With a port, as in
    <code>http://127.0.0.1:8765/cb</code>, only that port works.
  </small>
</p>`;

type Props = {
  path: string;
  draft: ClientDraft | null;
  formToken: string;
  /** There is no client yet. */
  isOnly: boolean;
};

export const NEW_CLIENT = 'new-client';

export function newClientForm({ path, draft, formToken: token, isOnly }: Props): HtmlSafeString {
  const { name, kind, redirectUris } = draft?.problems ?? {};
  const problems = {
    name: name ? NAME_PROBLEMS[name] : null,
    kind: kind ? 'Choose a kind.' : null,
  };
  const fields = formFields(draft && { typed: draft.typed, problems }, { kind: 'confidential' });
  return cardFold({
    id: NEW_CLIENT,
    title: 'Create client',
    icon: 'plus',
    fact: 'Up to 20',
    isOpen: isOnly || draft !== null,
    content: html`<form method="post" action="${path}">
      ${formToken(token)} ${field(fields('name', { label: 'Name', hint: SHOWN_NAME }))}
      ${select(fields('kind', { label: 'Kind', options: KINDS }))}
      ${redirectUrisField(draft?.typed.redirectUris ?? '', redirectUris)} ${NATIVE_PORTS}
      ${button({ text: 'Create client', kind: 'primary' })}
    </form>`,
  });
}

const SHOWN_NAME = 'People see it when they sign in to your app.';

/** The field of redirect URIs, one a line, with its validation message. */
export function redirectUrisField(
  typed: string,
  problem: RegistrationProblems['redirectUris'],
): HtmlSafeString {
  return html`<label>
      Redirect URIs, one per line
      <textarea
        name="redirect_uris"
        rows="3"
        required
        spellcheck="false"
        ${problem ? html`aria-invalid="true" aria-describedby="redirect_uris-problem"` : ''}
      >
${typed}</textarea>
    </label>
    ${uriProblems(problem)}`;
}

function uriProblems(problem: RegistrationProblems['redirectUris']) {
  if (!problem) return '';
  return html`<p id="redirect_uris-problem" class="problem" role="alert">
    <small>${explainUris(problem)}</small>
  </p>`;
}

function explainUris(problem: NonNullable<RegistrationProblems['redirectUris']>) {
  if (problem === 'missing') return 'Enter at least one redirect URI.';
  if (problem === 'too_many') return 'Enter at most 20 redirect URIs.';
  return problem.map(
    ({ uri, reason }) => html`<code class="id">${uri}</code> ${URI_PROBLEMS[reason]}.<br />`,
  );
}
