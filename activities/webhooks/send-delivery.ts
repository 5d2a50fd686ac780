import type { Logger } from '../../platform/log.ts';
import type { Sealer } from '../../domain/shared/secrets.ts';
import type { ClaimedDelivery } from '../../domain/webhooks/dispatch/claim.query.ts';
import type { Outcome } from '../../domain/webhooks/dispatch/record.query.ts';
import { openEndpointSecret } from '../../domain/webhooks/endpoints/endpoint-secret.ts';
import { envelopeHeaders } from '../../domain/webhooks/envelope-headers.ts';
import { signatureHeader } from '../../domain/webhooks/signature.ts';
import { isSuccess, type PublicHttp } from '../../clients/public-http.ts';

export type DeliverySender = {
  /** Signs the stored bytes and posts them; every response is an outcome. */
  send(delivery: ClaimedDelivery): Promise<Outcome>;
};

type Parts = {
  logger: Logger;
  http: PublicHttp;
  sealer: Sealer;
  countAttempt: (outcome: string) => void;
};

// A sealing key is missing from the configuration: the delivery is retried, and the log raises it.
const UNSIGNED: Outcome = {
  durationMs: 0,
  statusCode: null,
  error: 'signing',
  ip: null,
  bodyStart: null,
};

export function createDeliverySender({
  http,
  sealer,
  countAttempt,
  logger,
}: Parts): DeliverySender {
  const sign = (delivery: ClaimedDelivery) => {
    const { endpointId, sealedSecret, body } = delivery;
    const previousSealedSecret = previousOf(delivery);
    const unixS = Math.floor(Date.now() / 1_000);
    const signWith = (sealed: string) =>
      signatureHeader(openEndpointSecret(sealer, endpointId, sealed), body, unixS);
    return {
      current: signWith(sealedSecret),
      previous: previousSealedSecret && signWith(previousSealedSecret),
    };
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

/** The rotation window counts when the delivery is signed, not when it was claimed. */
function previousOf({ previousSealedSecret, previousForMs, claimedAt }: ClaimedDelivery) {
  const isOver = performance.now() - claimedAt >= (previousForMs ?? 0);
  return isOver ? null : previousSealedSecret;
}
