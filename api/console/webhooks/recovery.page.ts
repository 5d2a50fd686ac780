import { html } from '@prairielearn/html';
import type { RecoveryView } from '../../../domain/webhooks/recoveries/recovery.repository.ts';
import type { View } from '../../http/route.ts';
import { instant } from '../../html/layout.ts';
import { card } from '../../html/parts/card.ts';
import { productFrame, productPath, type FramedProduct } from '../console-frame.ts';
import { describeFilter, recoveryMark, trailTo } from './recoveries.page.ts';

type Props = { product: FramedProduct; recovery: RecoveryView; workflowUrl: string | null };

const REFRESH_S = 3;

/** The page asks for itself again while the recovery runs, without script. */
export function recoveryPage({ product, recovery, workflowUrl }: Props): View {
  const { status, done, total, queued, startedByHandle, createdAt, finishedAt } = recovery;
  const isRunning = status === 'running';
  return {
    title: `Recovery of ${product.name}`,
    ...(isRunning ? { refreshAfterS: REFRESH_S } : {}),
    ...productFrame(product, '/deliveries', 'Recovery', {
      trail: [
        ...trailTo(product),
        { path: `${productPath(product.slug)}/recoveries`, label: 'Recover deliveries' },
      ],
      mark: recoveryMark(status),
    }),
    content: html`${card({
      title: isRunning ? 'Sending again' : 'Sent again',
      body: html`<p>
          <label>
            ${done} of ${total} deliveries checked, ${queued} queued again
            <progress value="${done}" max="${Math.max(1, total)}"></progress>
          </label>
        </p>
        <dl class="named">
          <dt>Filter</dt>
          <dd>${describeFilter(recovery)}</dd>
          <dt>Started</dt>
          <dd>${instant(createdAt)} by @${startedByHandle}</dd>
          ${
            finishedAt === null
              ? ''
              : html`<dt>Completed</dt>
                  <dd>${instant(finishedAt)}</dd>`
          }
          ${
            workflowUrl === null
              ? ''
              : html`<dt>Workflow</dt>
                  <dd><a href="${workflowUrl}" rel="noreferrer">Workflow in Temporal</a></dd>`
          }
        </dl>`,
      foot: isRunning
        ? 'This page updates automatically.'
        : 'Each is an ordinary delivery again, with its own attempts.',
    })}`,
  };
}
