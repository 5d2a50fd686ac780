// The routes of the creator pool for operators.
import type { Route } from '../../http/route.ts';
import { excludeOneEvidence, showExclusions } from './exclusions.routes.ts';
import { recordOutcome } from './outcome.routes.ts';
import { confirmOwner, downloadYearlyTotals, showPoolPayouts } from './payouts.routes.ts';
import {
  approvePoolPeriod,
  downloadPoolFile,
  previewPeriod,
  showApprovalCode,
  showPeriod,
} from './period.routes.ts';
import { decideOnPoolProduct } from './review.routes.ts';
import { showPeriods } from './periods.routes.ts';
import { changePoolSettings, showPoolSettings } from './pool-settings.routes.ts';

export const poolRoutes: readonly Route[] = [
  showPeriods,
  showPeriod,
  approvePoolPeriod,
  showApprovalCode,
  previewPeriod,
  downloadPoolFile,
  decideOnPoolProduct,
  showPoolPayouts,
  confirmOwner,
  recordOutcome,
  downloadYearlyTotals,
  showExclusions,
  excludeOneEvidence,
  showPoolSettings,
  changePoolSettings,
];
