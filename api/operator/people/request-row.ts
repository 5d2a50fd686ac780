import { html, type HtmlSafeString } from '@prairielearn/html';
import type { PersonLine } from '../../../domain/identity/operators/people-list.repository.ts';
import { answersOf } from './answers.page.ts';
import { instant } from '../../html/dates.ts';

/** Who asks for verification since when, with the answers, and what can be decided. */
export function requestRow(person: PersonLine, decisions: HtmlSafeString | string = '') {
  const { id, handle, displayName, email, isEmailVerified, requestedAt } = person;
  return html`<li class="request" data-request="${handle}">
    <p>
      <a href="/operator/people/${id}">${displayName}</a>
      <small>@${handle}</small>
      <small class="id">${email}${isEmailVerified ? '' : ', not confirmed'}</small>
      ${requestedAt === null ? '' : html`<small>${instant(requestedAt)}</small>`}
    </p>
    <div>${answersOf(person)} ${decisions}</div>
  </li>`;
}
