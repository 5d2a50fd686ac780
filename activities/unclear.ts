// What the processor says and this code does not understand: never guessed at, never lost.
import { parkEvents } from '../domain/selling/inbox/handled-event.store.ts';
import { ProcessorFault, UnknownProcessorState } from './clients/processor.ts';
import type { Services } from './index.ts';

/** What it takes to park. */
export type Hands = Pick<Services, 'database' | 'processor' | 'logger'>;

type Asked = {
  purchaseId: string;
  /** Where it is asked about a subscription of that purchase. */
  subscriptionId?: string;
  /** What made us ask: it waits for a human, or for a better answer. */
  eventIds: string[];
};

/** What comes of asking the processor; null where its answer was not understood, and is parked. */
export async function orPark<Result>(
  { database, processor, logger }: Hands,
  asked: Asked,
  work: () => Promise<Result>,
): Promise<Result | null> {
  try {
    return await work();
  } catch (fault) {
    if (!isNotUnderstood(fault)) throw fault;
    const { eventIds, ...subject } = asked;
    const { purchaseId } = subject;
    const reason = fault.message;
    logger.error({ alert: 'processor_state', ...subject, reason }, 'parked');
    const parked = { processor: processor.kind, eventIds, reason, purchaseId };
    await database.transaction((em) => parkEvents(em, parked));
    return null;
  }
}

export function isNotUnderstood(fault: unknown): fault is Error {
  return (
    fault instanceof UnknownProcessorState || (fault instanceof ProcessorFault && fault.isPermanent)
  );
}
