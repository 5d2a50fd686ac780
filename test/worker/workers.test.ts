import test from 'ava';
import { taskQueuesOf } from '../../worker/workers.ts';
import { TASK_QUEUES } from '../../workflows/contracts.ts';

test('workers of all named roles together serve every task queue', (t) => {
  const served = taskQueuesOf(['dispatch', 'money', 'access', 'deliveries', 'upkeep']);
  t.deepEqual(served.toSorted(), [...TASK_QUEUES].toSorted());
  t.deepEqual(taskQueuesOf(['money', 'access']), ['money', 'access']);
});
