// Responses that the code does not understand: kept with their events, never guessed at.
import type { EntityManager } from '../../platform/database/database.ts';
import {
  parkEvents,
  type Subject,
} from '../../domain/billing/processor-inbox/handled-event.repository.ts';
import { ProcessorFault, UnknownProcessorState } from '../../clients/processor/processor.ts';
import type { Services } from '../index.ts';

/** The services that dead-lettering needs. */
export type Hands = Pick<Services, 'database' | 'processor' | 'logger'>;

type Asked = Subject & {
  /** Set when a subscription of the purchase is read. */
  subscriptionId?: string;
  /** The events behind the reading: they wait for an operator, or for a better reading. */
  eventIds: string[];
};

/** Reads a purchase or a membership at the processor; null when the response was dead-lettered. */
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
  /** The subject in the log. */
  subject: Record<string, string>;
  park(em: EntityManager, reason: string): Promise<void>;
};

/** The same for every other reading. */
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
