// What the processor says and this code does not understand: never guessed at, never lost.
import type { EntityManager } from '../../platform/database/database.ts';
import {
  parkEvents,
  type Subject,
} from '../../domain/billing/processor-inbox/handled-event.repository.ts';
import { ProcessorFault, UnknownProcessorState } from '../../clients/processor/processor.ts';
import type { Services } from '../index.ts';

/** What it takes to park. */
export type Hands = Pick<Services, 'database' | 'processor' | 'logger'>;

type Asked = Subject & {
  /** Where it is asked about a subscription of that purchase. */
  subscriptionId?: string;
  /** What made us ask: it waits for a human, or for a better answer. */
  eventIds: string[];
};

/** What comes of asking the processor about a purchase or a membership; null where its answer was parked. */
export function orPark<Result>(
  hands: Hands,
  { eventIds, ...subject }: Asked,
  work: () => Promise<Result>,
): Promise<Result | null> {
  const processor = hands.processor.kind;
  return orParkBy(
    hands,
    { subject, park: (em, reason) => parkEvents(em, { ...subject, processor, eventIds, reason }) },
    work,
  );
}

type Parking = {
  /** What the log says that it is about. */
  subject: Record<string, string>;
  park(em: EntityManager, reason: string): Promise<void>;
};

/** The same of anything else that the processor is asked about. */
export async function orParkBy<Result>(
  { database, logger }: Pick<Hands, 'database' | 'logger'>,
  { subject, park }: Parking,
  work: () => Promise<Result>,
): Promise<Result | null> {
  try {
    return await work();
  } catch (fault) {
    if (!isNotUnderstood(fault)) throw fault;
    const reason = fault.message;
    logger.error({ alert: 'processor_state', ...subject, reason }, 'parked');
    await database.transaction((em) => park(em, reason));
    return null;
  }
}

function isNotUnderstood(fault: unknown): fault is Error {
  return (
    fault instanceof UnknownProcessorState || (fault instanceof ProcessorFault && fault.isPermanent)
  );
}
