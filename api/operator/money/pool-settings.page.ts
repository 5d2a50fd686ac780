import { html } from '@prairielearn/html';
import type { SettingLine } from '../../../domain/pool/period/setting.repository.ts';
import { form, formFields, type Draft } from '../../html/form.ts';
import { instant } from '../../html/layout.ts';
import { table } from '../../html/table.ts';
import { writeCount } from '../../html/status-labels.ts';
import type { View } from '../../http/route.ts';
import { POOL_SETTINGS, poolPage } from './pool.page.ts';

export type SettingDraft = Draft<'share' | 'minimum'>;

type Props = { settings: SettingLine[]; draft: SettingDraft | null; token: string };

export function settingsPage({ settings, draft, token }: Props): View {
  const [latest] = settings;
  const fields = formFields(draft, {
    share: String(latest?.poolShareBps ?? ''),
    minimum: String(latest?.minimumMinor ?? ''),
  });
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
        isMain: true,
        fields: [
          fields('share', {
            label: 'Share in basis points',
            hint: 'A whole number from 0 to 10,000. 7,000 is 70%.',
          }),
          fields('minimum', {
            label: 'Minimum payout in minor units',
            hint: 'A whole number from 1. In every currency: 1,000 is 10.00 USD and 1,000 JPY.',
          }),
        ],
      })}
    </div>
    ${table({
      label: 'Settings of the pool',
      rows: settings,
      empty: 'Nothing is set.',
      columns: {
        'Basis points': ({ poolShareBps }: SettingLine) => writeCount(poolShareBps),
        Minimum: ({ minimumMinor }) => writeCount(minimumMinor),
        Since: ({ since }) => (since.getTime() === 0 ? 'From the start' : instant(since)),
        'Set by': ({ setBy }) => setBy ?? '-',
      },
    })}
  `;
  return poolPage({ current: POOL_SETTINGS, title: 'Share and minimum', content });
}
