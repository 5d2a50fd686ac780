// Responses that the code does not understand: kept with their events, never guessed at.
import type { EntityManager } from '../../platform/database/database.ts';
import {
  deadLetterEvents,
  type Subject,
} from '../../domain/billing/processor-inbox/covered-events.repository.ts';
import { ProcessorFault, UnknownProcessorState } from '../../clients/processor/processor.ts';
import type { Services } from '../services.ts';

/** The services that a dead-lettering uses. */
export type DeadLetterServices = Pick<Services, 'database' | 'processor' | 'logger'>;

type ReadSubject = Subject & {
  /** Set when a subscription of the purchase is read. */
  subscriptionId?: string;
  /** The events behind the reading: they wait for an operator, or for a better reading. */
  eventIds: string[];
};

/** What comes of asking the processor about a purchase or a membership; null where its answer was dead-lettered. */
export function orDeadLetter<Result>(
  services: DeadLetterServices,
  { eventIds, ...subject }: ReadSubject,
  work: () => Promise<Result>,
): Promise<Result | null> {
  const processor = services.processor.kind;
  return orDeadLetterBy(
    services,
    {
      subject,
      deadLetter: (em, reason) => deadLetterEvents(em, { ...subject, processor, eventIds, reason }),
    },
    work,
  );
}

type DeadLetterable = {
  /** What the log says that it is about. */
  subject: Record<string, string>;
  deadLetter(em: EntityManager, reason: string): Promise<void>;
};

/**
 * Does the work on anything that the processor is asked about; a state that we do not understand
 * becomes a dead letter.
 */
export async function orDeadLetterBy<Result>(
  { database, logger }: Pick<DeadLetterServices, 'database' | 'logger'>,
  { subject, deadLetter }: DeadLetterable,
  work: () => Promise<Result>,
): Promise<Result | null> {
  try {
    return await work();
  } catch (error) {
    if (!isNotUnderstood(error)) throw error;
    const reason = error.message;
    logger.error({ alert: 'processor_state', ...subject, reason }, 'dead-lettered');
    await database.transaction((em) => deadLetter(em, reason));
    return null;
  }
}

function isNotUnderstood(error: unknown): error is Error {
  return (
    error instanceof UnknownProcessorState || (error instanceof ProcessorFault && error.isPermanent)
  );
}
