import { html, type HtmlSafeString } from '@prairielearn/html';
import type { BuilderDecision } from '../../../domain/identity/operators/builder.repository.ts';
import type { PersonLine } from '../../../domain/identity/operators/people-list.repository.ts';
import { smallButton } from '../../html/form.ts';

const BUTTONS: Record<BuilderDecision, string> = {
  verify: 'Verify',
  decline: 'Decline',
  withdraw: 'Revoke',
};

/** The decisions that are open about somebody, each a button. `from` is the list to go back to. */
export function decisionButtons(
  person: PersonLine,
  { token, from }: { token: string; from: string },
): HtmlSafeString | string {
  const open = openDecisions(person);
  if (open.length === 0) return '-';
  return html`<div class="actions">
    ${open.map((decision) =>
      smallButton({
        action: `/operator/people/${person.id}/builder`,
        token,
        hidden: { decision, from },
        button: BUTTONS[decision],
      }),
    )}
  </div>`;
}

function openDecisions(person: PersonLine): BuilderDecision[] {
  const { verifiedAt, requestedAt, isEmailVerified, deletedAt } = person;
  if (deletedAt !== null) return [];
  if (verifiedAt !== null) return ['withdraw'];
  const open: BuilderDecision[] = isEmailVerified ? ['verify'] : [];
  return requestedAt === null ? open : [...open, 'decline'];
}
