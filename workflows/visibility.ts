// The search attributes and details of a run, for operators in Temporal.
import { defineSearchAttributeKey } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';

const product = defineSearchAttributeKey('GatehouseProduct', 'KEYWORD');
const person = defineSearchAttributeKey('GatehousePerson', 'KEYWORD');
const endpoint = defineSearchAttributeKey('GatehouseEndpoint', 'KEYWORD');
const event = defineSearchAttributeKey('GatehouseEvent', 'KEYWORD');
const status = defineSearchAttributeKey('GatehouseStatus', 'KEYWORD');
const attempt = defineSearchAttributeKey('GatehouseAttempt', 'INT');
const dueAt = defineSearchAttributeKey('GatehouseDueAt', 'DATETIME');

export type Visibility = {
  status: string;
  productId?: string;
  personId?: string;
  endpointId?: string;
  eventName?: string;
  attempt?: number;
  dueAt?: string | null;
  details: string;
};

export function updateVisibility(shown: Visibility): void {
  upsertSearchAttributes([
    { key: status, value: shown.status },
    ...(shown.productId === undefined ? [] : [{ key: product, value: shown.productId }]),
    ...(shown.personId === undefined ? [] : [{ key: person, value: shown.personId }]),
    ...(shown.endpointId === undefined ? [] : [{ key: endpoint, value: shown.endpointId }]),
    ...(shown.eventName === undefined ? [] : [{ key: event, value: shown.eventName }]),
    ...(shown.attempt === undefined ? [] : [{ key: attempt, value: shown.attempt }]),
    ...(shown.dueAt === undefined
      ? []
      : [{ key: dueAt, value: shown.dueAt === null ? null : new Date(shown.dueAt) }]),
  ]);
  setCurrentDetails(shown.details);
}

type LastResponse = { lastStatusCode: number | null; lastError: string | null };

export function lastResponseOf({ lastStatusCode, lastError }: LastResponse): string {
  return `last answer ${lastStatusCode ?? lastError ?? 'none yet'}`;
}

/** The details of a run that retries: the reason and what is ahead, without opening its history. */
export function describeRetries(described: {
  status: string;
  about: string;
  retry: string;
  dueAt: string | null;
  lastResponse: string;
}): string {
  const { status, about, retry, dueAt, lastResponse } = described;
  const ahead = dueAt === null ? '' : `; ${retry} due ${dueAt}`;
  return `${status}: ${about}${ahead}; ${lastResponse}`;
}

/** A wait for a person to read: `45 s`, `30 min`, `12 h`, `60 d`. */
export function inWords(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 2 * 3_600) return `${Math.round(seconds / 60)} min`;
  if (seconds < 48 * 3_600) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}
