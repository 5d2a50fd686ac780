import { html } from '@prairielearn/html';
import type { SettingLine } from '../../../domain/pool/period/setting.repository.ts';
import { form } from '../../html/form.ts';
import { instant } from '../../html/layout.ts';
import { table } from '../../html/table.ts';
import { writeCount } from '../../html/status-labels.ts';
import type { View } from '../../http/route.ts';
import { POOL_SETTINGS, poolPage } from './pool.page.ts';

export type SettingDraft = {
  share: string;
  minimum: string;
  problems: { share?: string; minimum?: string };
};

type Props = { settings: SettingLine[]; draft: SettingDraft | null; token: string };

export function settingsPage({ settings, draft, token }: Props): View {
  const [latest] = settings;
  const content = html`
    <p>
      The share of the fees that goes to the pool is that in force at the end of a month. A payout
      below the minimum waits for a later month; the minimum is that in force at the approval.
    </p>
    <div class="slim">
      ${form({
        action: POOL_SETTINGS,
        token,
        button: 'Save',
        fields: [
          {
            label: 'Share in basis points',
            name: 'share',
            value: draft?.share ?? String(latest?.poolShareBps ?? ''),
            hint: 'A whole number from 0 to 10,000. 7,000 is 70%.',
            problem: draft?.problems.share,
          },
          {
            label: 'Minimum payout in minor units',
            name: 'minimum',
            value: draft?.minimum ?? String(latest?.minimumMinor ?? ''),
            hint: 'A whole number from 1. In every currency: 1,000 is 10.00 USD and 1,000 JPY.',
            problem: draft?.problems.minimum,
          },
        ],
      })}
    </div>
    ${table({
      label: 'Settings of the pool',
      rows: settings,
      empty: 'Nothing is set.',
      columns: [
        {
          heading: 'Basis points',
          cell: ({ poolShareBps }: SettingLine) => writeCount(poolShareBps),
        },
        { heading: 'Minimum', cell: ({ minimumMinor }) => writeCount(minimumMinor) },
        {
          heading: 'Since',
          cell: ({ since }) => (since.getTime() === 0 ? 'From the start' : instant(since)),
        },
        { heading: 'Set by', cell: ({ setBy }) => setBy ?? '-' },
      ],
    })}
  `;
  return poolPage({ current: POOL_SETTINGS, title: 'Share and minimum', content });
}
