import type { Client } from '@temporalio/client';
import type { Database } from '../platform/database/database.ts';
import type { Logger } from '../platform/log.ts';
import type { Encryptor, TokenSigner } from '../domain/shared/secrets.ts';
import type { Mailer } from '../clients/mail.ts';
import type { PublicHttp } from '../clients/public-http.ts';
import type { Repositories } from '../clients/repositories/repositories.ts';
import type { Processor } from '../clients/processor/processor.ts';
import type { Claims } from '../domain/webhooks/deliveries/claims.command.ts';
import type { ClaimedDelivery } from '../domain/webhooks/deliveries/claim-deliveries.query.ts';
import type { Outcome } from '../domain/webhooks/deliveries/record-attempts.query.ts';

export type DeliverySender = {
  /** Signs the stored bytes and posts them; every response is an outcome. */
  send(delivery: ClaimedDelivery): Promise<Outcome>;
};

/** What activities use, made once per process. */
export type Services = {
  database: Database;
  client: Client;
  taskQueuePrefix: string;
  processor: Processor;
  claims: Claims;
  sender: DeliverySender;
  mailer: Mailer;
  http: Pick<PublicHttp, 'get'>;
  repositories: Repositories;
  signer: TokenSigner;
  encryptor: Encryptor;
  baseUrl: string;
  /** The operator's address in mails. */
  support: string;
  logger: Logger;
};
