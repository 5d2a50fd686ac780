import { ApplicationFailure } from '@temporalio/common';
import { LRUCache } from 'lru-cache';
import { isSuccess, type PublicHttp } from '../../clients/public-http.ts';
import { MINUTE_MS } from '../../domain/shared/instant.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import type { Encryptor } from '../../domain/shared/secrets.ts';
import type {
  ClaimedDelivery,
  RetryAttempt,
} from '../../domain/webhooks/deliveries/claim-deliveries.query.ts';
import {
  loadDelivery,
  type DeliveryProgress,
  type DeliveryReport,
} from '../../domain/webhooks/deliveries/delivery.repository.ts';
import { recordAttempts } from '../../domain/webhooks/deliveries/record-attempts.command.ts';
import type {
  Outcome,
  SentDelivery,
} from '../../domain/webhooks/deliveries/record-attempts.query.ts';
import {
  retryCohortNow,
  retryDeliveryNow,
} from '../../domain/webhooks/deliveries/retry.command.ts';
import type { SeenRetry } from '../../domain/webhooks/deliveries/retry.repository.ts';
import { envelopeHeaders, signDelivery } from '../../domain/webhooks/deliveries/sign-delivery.ts';
import { decryptEndpointSecret } from '../../domain/webhooks/endpoints/endpoint-secret-encryption.ts';
import type { Logger } from '../../platform/log.ts';
import type { DeliverySender, Services } from '../services.ts';
import { recoverBatch } from '../../domain/webhooks/recoveries/recovery.command.ts';

export function createDeliveryActivities(services: Services) {
  const { database, claims } = services;

  /**
   * Throws when the row is missing: there is nothing to do, now or later, and the workflow fails
   * and ends.
   */
  async function load(deliveryId: string): Promise<DeliveryProgress> {
    const found = await loadDelivery(database.em(), deliveryId);
    if (found) return found;
    throw ApplicationFailure.nonRetryable(`There is no delivery ${deliveryId}.`, 'DeliveryGone');
  }

  return {
    async readDelivery({ deliveryId }: { deliveryId: string }): Promise<DeliveryReport> {
      return { ...(await load(deliveryId)), isEarly: false };
    },

    /**
     * Makes one step of one attempt group when the row agrees that it is due; a repeat after a
     * crash is the same step.
     */
    async attemptDelivery(attempt: RetryAttempt): Promise<DeliveryReport> {
      const claimed = await claims.retry(attempt);
      if (claimed?.is === 'claimed') await sendAndRecord(services, [claimed.delivery]);
      const state = await load(attempt.deliveryId);
      const isSame = state.run === attempt.run && state.step === attempt.step;
      const isEarly = isSame && state.status === 'retrying';
      if (isEarly && claimed?.is === 'busy')
        state.remainingMs = claims.throttle.reserveDelayMs(claimed.endpointId);
      return { ...state, isEarly };
    },

    /** An operator's Update: the number of retries that are due now because of it. */
    async retryDeliveryNow({ deliveryId, run, step }: SeenRetry): Promise<number> {
      const retried = await retryDeliveryNow(database.em(), { deliveryId, run, step });
      return isRefusal(retried) ? 0 : 1;
    },

    /** Makes the retry of one delivery of a cohort due, or of all. */
    async retryCohortNow(input: { cohort: string; deliveryId: string | null }): Promise<number> {
      return retryCohortNow(database.em(), input);
    },

    recoverBatch: ({ recoveryId }: { recoveryId: string }) =>
      recoverBatch(database.em(), recoveryId),
  };
}

/**
 * Each may wait 2 seconds for a connection and 2 for the statement, after a send of 10: within the 35
 * of the activity.
 */
const MAX_TRIES = 2;

type SendingParts = Pick<Services, 'database' | 'claims' | 'sender' | 'logger'>;

/**
 * Sends claimed deliveries at once, and records their outcomes: in one statement, or as the caller
 * says.
 */
export async function sendAndRecord(
  services: SendingParts,
  deliveries: readonly ClaimedDelivery[],
  record: (sent: SentDelivery[]) => Promise<void> | void = (sent) =>
    recordAttempts(services, { sent, maxTries: MAX_TRIES }),
): Promise<void> {
  const { claims, sender } = services;
  const send = async (delivery: ClaimedDelivery) => {
    const outcome = await sender.send(delivery);
    claims.throttle.note(delivery.endpointId, outcome.durationMs);
    return { delivery, outcome };
  };
  await record(await Promise.all(deliveries.map(send)));
}

type Parts = {
  logger: Logger;
  http: PublicHttp;
  encryptor: Encryptor;
  countAttempt: (outcome: string) => void;
};

// An encryption key is missing from the configuration: the delivery is retried, and the log raises it.
const UNSIGNED: Outcome = {
  durationMs: 0,
  statusCode: null,
  error: 'signing',
  ip: null,
  bodyStart: null,
};

export function createDeliverySender({
  http,
  encryptor,
  countAttempt,
  logger,
}: Parts): DeliverySender {
  const openSecret = createSecretReader(encryptor);
  const sign = (delivery: ClaimedDelivery) => {
    const { endpointId, encryptedSecret, body } = delivery;
    const previousEncryptedSecret = previousOf(delivery);
    const atUnixS = Math.floor(Date.now() / 1_000);
    const secrets = {
      current: openSecret(endpointId, encryptedSecret),
      previous: previousEncryptedSecret && openSecret(endpointId, previousEncryptedSecret),
    };
    return signDelivery({ secrets, body, atUnixS });
  };
  const trySign = (delivery: ClaimedDelivery) => {
    try {
      return sign(delivery);
    } catch (error) {
      logger.error({ alert: 'secret_unreadable', deliveryId: delivery.id, err: error }, 'unsigned');
      return null;
    }
  };
  return {
    async send(delivery) {
      const signatures = trySign(delivery);
      if (!signatures) {
        countAttempt('signing');
        return { ...UNSIGNED };
      }
      const headers = envelopeHeaders(delivery.eventName, signatures);
      const response = await http.post(delivery.url, { headers, body: delivery.body });
      const { statusCode, error: networkError, ip, bodyStart, durationMs, isSent } = response;
      const error = networkError ?? (isSuccess(statusCode) ? null : ('http_status' as const));
      countAttempt(error ?? 'succeeded');
      const sent = isSent ? signatures : undefined;
      return { durationMs, statusCode, error, ip, bodyStart, signatures: sent };
    },
  };
}

/**
 * Remembers opened secrets for a minute, by their encrypted text: a rotated secret is another entry.
 */
function createSecretReader(
  encryptor: Encryptor,
): (endpointId: string, encrypted: string) => string {
  const secrets = new LRUCache<string, string>({ max: 1_000, ttl: MINUTE_MS, ttlAutopurge: true });
  return (endpointId, encrypted) => {
    const key = `${endpointId} ${encrypted}`;
    const known = secrets.get(key);
    if (known !== undefined) return known;
    const secret = decryptEndpointSecret(encryptor, endpointId, encrypted);
    secrets.set(key, secret);
    return secret;
  };
}

/** The rotation window counts when the delivery is signed, not when it was claimed. */
function previousOf({ previousEncryptedSecret, previousForMs, claimedAt }: ClaimedDelivery) {
  const isOver = performance.now() - claimedAt >= (previousForMs ?? 0);
  return isOver ? null : previousEncryptedSecret;
}
