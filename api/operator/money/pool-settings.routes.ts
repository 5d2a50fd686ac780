import { recordAudit } from '../../../domain/audit/audit.repository.ts';
import {
  listPoolSettings,
  setPoolSetting,
} from '../../../domain/pool/period/setting.repository.ts';
import { whole, formBody } from '../../http/fields.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { actorOf } from '../../console/managed-product.ts';
import { withNotice } from '../../html/notices.ts';
import { redirect } from '../../http/response.ts';
import {
  defineRoute,
  OPERATOR_FORM,
  OPERATOR_PAGE,
  type SessionContext,
} from '../../http/route.ts';
import { POOL_SETTINGS } from '../operator.page.ts';
import { settingsPage, type SettingDraft } from './pool-settings.page.ts';
import { showOperatorPage } from '../show-operator-page.ts';

const showPoolSettings = defineRoute({
  ...OPERATOR_PAGE,
  path: POOL_SETTINGS,
  summary: 'Show the settings of the creator pool',
  input: {},
  handler: (context) => show(context, null),
});

const MOST_BPS = 10_000;
/** The limit of prices. */
const MOST_MINOR = 999_999_999_999;

const changePoolSettings = defineRoute({
  ...OPERATOR_FORM,
  path: POOL_SETTINGS,
  summary: 'Set the share and the minimum of the creator pool',
  proof: 'fresh',
  input: { body: formBody({ share: whole(8), minimum: whole(16) }) },
  async handler(context) {
    const [share, minimum] = [context.body.share.trim(), context.body.minimum.trim()];
    const poolShareBps = readWhole(share, { from: 0, to: MOST_BPS });
    const minimumMinor = readWhole(minimum, { from: 1, to: MOST_MINOR });
    if (poolShareBps === null || minimumMinor === null) {
      const problems = {
        ...(poolShareBps === null ? { share: 'Enter a whole number from 0 to 10,000.' } : {}),
        ...(minimumMinor === null
          ? { minimum: 'Enter a whole number from 1 to 999,999,999,999.' }
          : {}),
      };
      const typed = { share: share.slice(0, 20), minimum: minimum.slice(0, 20) };
      return show(context, { typed, problems });
    }
    const byId = context.currentUser.personId;
    const isChanged = await context.services.database.transaction(async (em) => {
      const set = await setPoolSetting(em, { poolShareBps, minimumMinor, byId });
      if (!set) return false;
      const { before } = set;
      const detail = {
        share: `${before.poolShareBps} to ${poolShareBps}`,
        minimum: `${before.minimumMinor} to ${minimumMinor}`,
      };
      const entry = { action: 'pool.setting_set', subject: 'pool_setting', detail } as const;
      await recordAudit(em, { by: actorOf(context), ...entry });
      return true;
    });
    return redirect(withNotice(POOL_SETTINGS, isChanged ? 'pool_setting_set' : 'unchanged'));
  },
});

function readWhole(typed: string, { from, to }: { from: number; to: number }): number | null {
  const value = /^\d{1,12}$/.test(typed) ? Number(typed) : null;
  return value === null || value < from || value > to ? null : value;
}

async function show(context: SessionContext, draft: SettingDraft | null) {
  const settings = await listPoolSettings(context.services.database.em());
  const view = settingsPage({ settings, draft, token: sessionFormToken(context) });
  return showOperatorPage(context, view, draft === null ? {} : { status: 422 });
}

export const routes = [showPoolSettings, changePoolSettings];
