import { html } from '@prairielearn/html';
import type { RecoveryView } from '../../../domain/webhooks/recoveries/recovery.repository.ts';
import type { View } from '../../http/route.ts';
import { instant } from '../../html/layout.ts';
import { sentenceCase } from '../../html/status-labels.ts';
import { productFrame, productPath, type FramedProduct } from '../console-frame.ts';
import { describeFilter } from './recoveries.page.ts';

type Props = { product: FramedProduct; recovery: RecoveryView; workflowUrl: string | null };

const REFRESH_S = 3;

/** The page asks for itself again while the recovery runs, without script. */
export function recoveryPage({ product, recovery, workflowUrl }: Props): View {
  const { status, done, total, queued, startedByHandle, createdAt, finishedAt } = recovery;
  const isRunning = status === 'running';
  return {
    title: `Recovery of ${product.name}`,
    ...(isRunning ? { refreshAfterS: REFRESH_S } : {}),
    ...productFrame(
      product,
      '/deliveries',
      html`Recovery <small class="state" data-state="${status}">${sentenceCase(status)}</small>`,
    ),
    content: html`
      <p>
        <label>
          ${done} of ${total} deliveries checked, ${queued} queued again
          <progress value="${done}" max="${Math.max(1, total)}"></progress>
        </label>
      </p>
      <dl class="facts">
        <dt>Filter</dt>
        <dd>${describeFilter(recovery)}</dd>
        <dt>Started</dt>
        <dd>${instant(createdAt)} by ${startedByHandle}</dd>
        ${
          finishedAt === null
            ? ''
            : html`<dt>Completed</dt>
                <dd>${instant(finishedAt)}</dd>`
        }
      </dl>
      ${isRunning ? html`<p class="muted">This page updates automatically.</p>` : ''}
      ${
        workflowUrl === null
          ? ''
          : html`<p><a href="${workflowUrl}" rel="noreferrer">Workflow in Temporal</a></p>`
      }
      <ul class="links">
        <li><a href="${productPath(product.slug)}/deliveries">Deliveries</a></li>
        <li><a href="${productPath(product.slug)}/recoveries">Recoveries</a></li>
      </ul>
    `,
  };
}
