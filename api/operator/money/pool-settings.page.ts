import { html } from '@prairielearn/html';
import type { SettingLine } from '../../../domain/pool/period/setting.repository.ts';
import { form, formFields, type Draft } from '../../html/form.ts';
import { listCard } from '../../html/parts/list-card.ts';
import { writeBasisPoints, writeCount } from '../../html/numbers.ts';
import { shortInstant } from '../../html/dates.ts';
import { card } from '../../html/parts/card.ts';
import type { View } from '../../http/route.ts';
import { POOL_SETTINGS, operatorPage } from '../operator.page.ts';

export type SettingDraft = Draft<'share' | 'minimum'>;

type Props = { settings: SettingLine[]; draft: SettingDraft | null; token: string };

export function settingsPage({ settings, draft, token }: Props): View {
  const [latest] = settings;
  const fields = formFields(draft, {
    share: String(latest?.poolShareBps ?? ''),
    minimum: String(latest?.minimumMinor ?? ''),
  });
  const content = html`
    ${card({
      title: 'Change share and minimum',
      body: html`${form({
        action: POOL_SETTINGS,
        token,
        isMain: true,
        button: 'Save share and minimum',
        fields: [
          fields('share', {
            label: 'Share of the fees',
            unit: 'basis points',
            hint: 'A whole number from 0 to 10,000. 7,000 is 70 %.',
          }),
          fields('minimum', {
            label: 'Minimum payout',
            unit: 'minor units',
            hint: 'A whole number from 1. In every currency: 1,000 is 10.00 USD and 1,000 JPY.',
          }),
        ],
      })}`,
      foot: 'The share in force at the end of a month counts for it. A payout below the minimum waits for a later month; the minimum in force at the approval counts.',
    })}
    ${listCard({
      title: 'Settings over time',
      label: 'Settings of the pool',
      rows: settings,
      empty: { title: 'Nothing is set', sentence: 'Set a share before the first month ends.' },
      columns: {
        'Since (UTC)': ({ since }: SettingLine) =>
          since.getTime() === 0 ? 'From the start' : shortInstant(since),
        'Set by': ({ setBy }) => (setBy === null ? '' : `@${setBy}`),
        Share: {
          cell: ({ poolShareBps }) =>
            html`${writeBasisPoints(poolShareBps)}<br /><small>${writeCount(poolShareBps)}</small>`,
          isNumber: true,
        },
        Minimum: { cell: ({ minimumMinor }) => writeCount(minimumMinor), isNumber: true },
      },
    })}
  `;
  return operatorPage({
    section: POOL_SETTINGS,
    title: 'Share and minimum',
    lead: 'What part of the Member fees goes to products, and from which sum it is paid.',
    content,
  });
}
