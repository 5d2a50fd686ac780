import type { Client } from '@temporalio/client';
import type { Database } from '../platform/database/database.ts';
import type { Logger } from '../platform/log.ts';
import type { Sealer, TokenSigner } from '../domain/shared/secrets.ts';
import type { Mailer } from '../clients/mail.ts';
import type { Processor } from '../clients/processor/processor.ts';
import type { Claims } from './webhooks/delivery-claims.ts';
import type { DeliverySender } from './webhooks/send-delivery.ts';

/** What activities use, made once per process. */
export type Services = {
  database: Database;
  client: Client;
  taskQueuePrefix: string;
  processor: Processor;
  claims: Claims;
  sender: DeliverySender;
  mailer: Mailer;
  signer: TokenSigner;
  sealer: Sealer;
  baseUrl: string;
  /** The operator's address in mails. */
  support: string;
  logger: Logger;
};
