import { html } from '@prairielearn/html';
import { z } from 'zod';
import { recordAudit } from '../../../domain/audit/audit.repository.ts';
import {
  listDeadLetteredMessages,
  sendDeadLetteredAgain,
  type DeadLetteredMessage,
  type DeadLetteredMessages,
} from '../../../domain/outbox/outbox.repository.ts';
import { redirect } from '../../http/response.ts';
import { actorOf } from '../../console/managed-product.ts';
import { cursor, matching, formBody } from '../../http/fields.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { defineRoute, OPERATOR_PAGE, OPERATOR_FORM } from '../../http/route.ts';
import { smallButton } from '../../html/form.ts';
import { listCard } from '../../html/parts/list-card.ts';
import { shortInstant } from '../../html/dates.ts';
import { withNotice } from '../../html/notices.ts';
import { MESSAGES, operatorPage, writeWaiting } from '../operator.page.ts';
import { showOperatorPage } from '../show-operator-page.ts';

const number = matching(/^[1-9]\d{0,17}$/, 18);

const showDeadLetteredMessages = defineRoute({
  ...OPERATOR_PAGE,
  path: MESSAGES,
  summary: 'List failed jobs',
  input: { query: z.object({ before: cursor(number) }) },
  async handler(context) {
    const { before } = context.query;
    const found = await listDeadLetteredMessages(context.services.database.em(), before);
    const token = sessionFormToken(context);
    return showOperatorPage(context, ({ jobs }) =>
      messagesPage({ found, before, total: writeWaiting(jobs), token }),
    );
  },
});

const sendMessageAgain = defineRoute({
  ...OPERATOR_FORM,
  path: MESSAGES,
  summary: 'Send a failed job again',
  proof: 'fresh',
  input: { body: formBody({ message: number }) },
  async handler(context) {
    const by = actorOf(context);
    const { message: id } = context.body;
    const isSent = await context.services.database.transaction(async (em) => {
      const sent = await sendDeadLetteredAgain(em, id);
      if (!sent) return false;
      const detail = { to: sent.workflowId };
      await recordAudit(em, { by, action: 'message.sent_again', subject: id, detail });
      return true;
    });
    return redirect(withNotice(MESSAGES, isSent ? 'message_sent' : 'unchanged'));
  },
});

type Props = { found: DeadLetteredMessages; before: string | null; total: string; token: string };

function messagesPage({ found, before, total, token }: Props) {
  const content = listCard({
    label: 'Failed jobs',
    rows: found.lines,
    empty: {
      title: 'No failed jobs',
      sentence: 'A background job appears here after ten failures.',
    },
    columns: {
      Job: to,
      Error: ({ lastError }) => html`<small class="id">${lastError ?? 'Unknown'}</small>`,
      'Failed (UTC)': {
        cell: ({ deadLetteredAt }) => shortInstant(deadLetteredAt),
        isNumber: true,
      },
      Decision: ({ id, workflowId }) =>
        smallButton({
          action: MESSAGES,
          token,
          hidden: { message: id },
          button: 'Run again',
          label: `Run again: ${workflowId}`,
        }),
    },
    pages: { path: MESSAGES, before, next: found.next, total },
  });
  return operatorPage({
    section: MESSAGES,
    title: 'Failed jobs',
    lead: 'These background jobs failed ten times. Run them again once the cause is fixed.',
    content,
  });
}

function to({ workflowId, workflowType, message }: DeadLetteredMessage) {
  const word = message['kind'];
  return html`<strong>${workflowType}</strong
    >${typeof word === 'string' ? `, ${word}` : ''}<br /><small class="id">${workflowId}</small>`;
}

export const routes = [showDeadLetteredMessages, sendMessageAgain];
