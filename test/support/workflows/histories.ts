import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { ROOT } from '../repository/imports.ts';

export const HISTORIES = join(ROOT, 'test', 'histories');

export type RecordedRun = {
  name: string;
  workflowType: string;
  history: ReturnType<typeof historyFromJSON>;
  result: unknown;
};

/** What was recorded in test/histories, named after what happened in it. */
export function readRecordedRuns(): RecordedRun[] {
  return readdirSync(HISTORIES)
    .filter((file) => file.endsWith('.json'))
    .map((file) => {
      const recorded = JSON.parse(readFileSync(join(HISTORIES, file), 'utf8'));
      const history = historyFromJSON(recorded);
      const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
      const completed = history.events?.at(-1)?.workflowExecutionCompletedEventAttributes;
      const data = completed?.result?.payloads?.[0]?.data;
      return {
        name: file.replace(/\.json$/, ''),
        workflowType: started?.workflowType?.name ?? '',
        history,
        result: data ? JSON.parse(Buffer.from(data).toString()) : null,
      };
    });
}

/** What the activities of a run answered, one after the other. */
export function responsesIn({ history }: RecordedRun): string {
  const answers = (history.events ?? []).flatMap(
    (event) => event.activityTaskCompletedEventAttributes?.result?.payloads ?? [],
  );
  return answers.map(({ data }) => Buffer.from(data ?? []).toString()).join('\n');
}
