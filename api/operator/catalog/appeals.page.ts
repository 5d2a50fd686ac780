import { html, type HtmlSafeString } from '@prairielearn/html';
import type { AppealLine, AppealPage } from '../../../domain/seal/appeal.repository.ts';
import { productPath } from '../../console/console-frame.ts';
import { CRITERION_WORDS, describeValue, STATE_WORDS } from '../../console/catalog/seal-labels.ts';
import { smallButton } from '../../html/form.ts';
import { day, instant } from '../../html/layout.ts';
import { BY_NAME, table } from '../../html/table.ts';
import type { View } from '../../http/route.ts';
import { operatorPage, SEALS } from '../operator.page.ts';

type Props = { found: AppealPage; after: string | null; token: string };

export function appealsPage({ found, after, token }: Props): View {
  const content = html`
    <p>
      An appeal says why a review is wrong about a product. A restored seal is held until the next
      review, which decides again.
    </p>
    ${table({
      label: 'Appeals',
      rows: found.lines,
      empty: 'No open appeals.',
      columns: {
        Sent: ({ createdAt }: AppealLine) => instant(createdAt),
        Product: product,
        'Not met': unmet,
        Appeal: ({ text }) => html`<span class="typed">${text}</span>`,
        Actions: (line) => answers(line, token),
      },
      pages: { path: SEALS, before: after, next: found.next, names: BY_NAME },
    })}
  `;
  return operatorPage({ section: SEALS, title: 'Quality seals', content });
}

function product({ name, slug, state, noticeEndsAt, lostAt }: AppealLine): HtmlSafeString {
  const since = noticeEndsAt ?? lostAt;
  return html`<a href="${productPath(slug)}/seal">${name}</a><br />
    <small class="muted"
      >${STATE_WORDS[state ?? 'none']}${
        since === null ? '' : html`, ${noticeEndsAt === null ? 'on' : 'notice ends'} ${day(since)}`
      }</small
    >`;
}

function unmet({ review }: AppealLine): HtmlSafeString | string {
  const failed = review?.criteria.filter(({ result }) => result === 'failed') ?? [];
  if (failed.length === 0) return '-';
  return html`<ul>
    ${failed.map(
      (each) => html`<li>${CRITERION_WORDS[each.name].name}: ${describeValue(each)}</li>`,
    )}
  </ul>`;
}

function answers({ id, name }: AppealLine, token: string): HtmlSafeString {
  const answer = (outcome: string, button: string) =>
    smallButton({
      action: SEALS,
      token,
      hidden: { appeal: id, outcome },
      button,
      label: `${button} for ${name}`,
    });
  return html`<div class="actions">
    ${answer('restored', 'Restore seal')} ${answer('declined', 'Decline')}
  </div>`;
}
