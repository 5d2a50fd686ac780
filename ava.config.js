import { availableParallelism } from 'node:os';
import { basename } from 'node:path';

// Many files wait for half of their time: for Temporal, a browser, other processes.
const FILES_PER_CORE = 2;
const MOST_FILES = 8;

// What takes longest begins first, so that no core is idle at the end.
const LONGEST = [
  'access.property.test.ts',
  'money.property.test.ts',
  'pages.test.ts',
  'billing.test.ts',
  'faults.test.ts',
  'sweep.test.ts',
  'start.test.ts',
  'renewing.test.ts',
  'subscription-lifecycle.test.ts',
  'early-returns.test.ts',
  'refunds.test.ts',
  'main.test.ts',
  'webhook-delivery.test.ts',
  'wire.test.ts',
  'two-processes.test.ts',
  'account.test.ts',
  'teams.test.ts',
];

function placeOf(name) {
  const place = LONGEST.indexOf(name);
  return place === -1 ? LONGEST.length : place;
}

export default {
  files: ['test/**/*.test.ts'],
  extensions: ['ts'],
  // The Temporal SDK's native part crashes when a worker thread ends.
  workerThreads: false,
  // A tenth of loading is looking for links, and there are none.
  nodeArguments: ['--preserve-symlinks'],
  concurrency: Math.min(FILES_PER_CORE * availableParallelism(), MOST_FILES),
  timeout: '2m',
  // Not by folder: so files that wait run beside files that compute.
  sortTestFiles(one, other) {
    const [a, b] = [basename(one), basename(other)];
    return placeOf(a) - placeOf(b) || a.localeCompare(b) || one.localeCompare(other);
  },
};
