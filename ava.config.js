import { availableParallelism } from 'node:os';
import { basename } from 'node:path';

// Many files wait for half of their time: for Temporal, a browser, other processes.
const FILES_PER_CORE = 2;
const MOST_FILES = 8;

// What takes longest begins first, so that no core is idle at the end.
const LONGEST = [
  'faults/billing.test.ts',
  'billing/access.property.test.ts',
  'faults/faults.test.ts',
  'billing/money.property.test.ts',
  'journeys/sign-in.test.ts',
  'workflows/pool-period.test.ts',
  'workflows/sweep.test.ts',
  'dev/start.test.ts',
  'billing/buying.test.ts',
  'products/products.test.ts',
  'api/two-processes.test.ts',
  'workflows/pool-year.test.ts',
  'journeys/renewing.test.ts',
  'http/wire.test.ts',
  'account/account.test.ts',
  'journeys/buying.test.ts',
  'workflows/upkeep.test.ts',
  'security/lockouts.test.ts',
  'workflows/webhook-delivery.test.ts',
  'workflows/money-cases.test.ts',
  'worker/main.test.ts',
  'journeys/without-script.test.ts',
  'processor-inbox/early-returns.test.ts',
  'v1/v1.test.ts',
  'teams/teams.test.ts',
  'journeys/pages.test.ts',
];

function placeOf(path) {
  const place = LONGEST.findIndex((ending) => path.endsWith(`/${ending}`));
  return place === -1 ? LONGEST.length : place;
}

export default {
  files: ['test/**/*.test.ts'],
  extensions: ['ts'],
  require: ['./test/support/engines/exit.ts'],
  // The Temporal SDK's native part crashes when a worker thread ends.
  workerThreads: false,
  // A tenth of loading is looking for links, and there are none.
  nodeArguments: ['--preserve-symlinks'],
  concurrency: Math.min(FILES_PER_CORE * availableParallelism(), MOST_FILES),
  timeout: '2m',
  // Not by folder: so files that wait run beside files that compute.
  sortTestFiles(one, other) {
    const byName = basename(one).localeCompare(basename(other));
    return placeOf(one) - placeOf(other) || byName || one.localeCompare(other);
  },
};
