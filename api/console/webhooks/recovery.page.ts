import { html } from '@prairielearn/html';
import type { RecoveryView } from '../../../domain/webhooks/recoveries/recovery.repository.ts';
import type { View } from '../../http/route.ts';
import { card } from '../../html/parts/card.ts';
import { instant } from '../../html/dates.ts';
import { factList } from '../../html/parts/facts.ts';
import { productFrame, productPath, type FramedProduct } from '../console-frame.ts';
import { describeFilter, recoveryPill, trailTo } from './recoveries.page.ts';

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
      state: recoveryPill(status),
    }),
    content: html`${card({
      title: isRunning ? 'Sending again' : 'Sent again',
      body: html`<p>
          <label>
            ${done} of ${total} deliveries checked, ${queued} queued again
            <progress value="${done}" max="${Math.max(1, total)}"></progress>
          </label>
        </p>
        ${factList([
          ['Filter', describeFilter(recovery)],
          ['Started', html`${instant(createdAt)} by @${startedByHandle}`],
          finishedAt && ['Completed', instant(finishedAt)],
          workflowUrl !== null && [
            'Workflow',
            html`<a href="${workflowUrl}" rel="noreferrer">Workflow in Temporal</a>`,
          ],
        ])}`,
      foot: isRunning
        ? 'This page updates automatically.'
        : 'Each is an ordinary delivery again, with its own attempts.',
    })}`,
  };
}
