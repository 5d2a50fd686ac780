import { hmacSha256Hex } from '../../../domain/shared/secrets.ts';
import { recordProcessorEvent } from '../../../domain/billing/processor-inbox/inbox.repository.ts';
import { ApiError } from '../../../packages/simulator/api/api-error.ts';
import {
  attemptPayment,
  findSession,
  findSessionOfIntent,
} from '../../../packages/simulator/records/checkout.repository.ts';
import { transaction } from '../../../packages/simulator/database.ts';
import {
  listDisputes,
  moveDispute,
  openDispute,
  type DisputeStatus,
} from '../../../packages/simulator/records/dispute.repository.ts';
import type { CardOutcome } from '../../../packages/simulator/page/cards.ts';
import { insertRefund } from '../../../packages/simulator/records/refund.repository.ts';
import { expireSession, settleDue } from '../../../packages/simulator/settlement.ts';
import { WEBHOOK_SECRET } from '../purchases/simulator.ts';
import type { World } from './world.ts';

const HOUR_MS = 3_600_000;

const ARROWS: Record<string, DisputeStatus[]> = {
  warning_needs_response: ['needs_response'],
  needs_response: ['won', 'lost'],
  won: ['lost'],
  lost: ['won'],
};

/** What buyers, banks and the processor do by themselves, and the words that tell us of it. */
export async function createBank(world: World) {
  const { shop, database, simulator } = world;
  const { query, advance } = shop.database;
  const [before] = await query<{ number: string }>(
    'select coalesce(max(number), 0) as number from simulator.event',
  );

  return {
    ...createBooks(world),
    ...createReturns(world),
    pay: (sessionId: string, outcome: CardOutcome) =>
      attemptPayment(simulator, { sessionId, outcome }),
    expire: (sessionId: string) => expireSession(simulator, sessionId),

    async wait(hours: number): Promise<void> {
      await advance(hours * HOUR_MS);
      while (await settleDue(simulator));
    },

    /** Everything that the processor has said since then, in its order. */
    async words(): Promise<string[]> {
      const said = await query<{ body: string }>(
        'select body from simulator.event where number > $1 order by number',
        [before!.number],
      );
      return said.map(({ body }) => body);
    },

    /** Signed, read and kept as a request of the processor is. */
    async hear(body: string): Promise<void> {
      const at = Math.floor(Date.now() / 1_000);
      const mac = hmacSha256Hex(WEBHOOK_SECRET, Buffer.from(`${at}.${body}`));
      const event = shop.processor.readEvent(Buffer.from(body), `t=${at},v1=${mac}`);
      const { isLive: _, ...said } = event!;
      await database.transaction((em) =>
        recordProcessorEvent(em, { processor: 'simulator', ...said }),
      );
    },
  };
}

/** Money that goes back outside of the platform. */
function createReturns({ simulator }: World) {
  return {
    /** In the processor's dashboard; more than is left is refused there. */
    async refund(intentId: string | null, amountMinor: number): Promise<void> {
      if (intentId === null) return;
      const given = { payment_intent: intentId, amount: amountMinor, metadata: {} };
      try {
        await transaction(simulator, (client) => insertRefund(client, given));
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
      }
    },

    /** Of what was paid; the same dispute moves on, where a bank moves it so. */
    async dispute(intentId: string | null, status: DisputeStatus): Promise<void> {
      const session = intentId ? await findSessionOfIntent(simulator, intentId) : null;
      if (session?.intent?.status !== 'succeeded') return;
      const asked = { payment_intent: session.intent.id, created: {}, limit: 1 };
      const [known] = await listDisputes(simulator, asked);
      if (known && !ARROWS[known.status]?.includes(status)) return;
      await transaction(simulator, (client) =>
        known
          ? moveDispute(client, { id: known.id, status })
          : openDispute(client, { session, status }),
      );
    },
  };
}

/** What the processor has of a story's sessions. */
function createBooks({ shop, simulator }: World) {
  const { query } = shop.database;
  return {
    /** The payments that have come, renewals among them; the oldest first. */
    async charges(sessionIds: string[]): Promise<string[]> {
      const paid = await query<{ id: string }>(
        `select id from simulator.payment_intent
         where session_id = any($1) and status = 'succeeded' order by created_at, id`,
        [sessionIds],
      );
      return paid.map(({ id }) => id);
    },

    /** Something clears, or is on its way back. */
    async isMoving(sessionIds: string[]): Promise<boolean> {
      const moving = await query(
        `select 1 from simulator.payment_intent i where i.session_id = any($1)
           and (i.status = 'processing' or exists (select from simulator.refund r
             where r.intent_id = i.id and r.settles_at is not null)) limit 1`,
        [sessionIds],
      );
      return moving.length > 0;
    },

    /** A card was refused there: only its end will tell us which session the words of it are about. */
    async isUnreadable(lostSessionIds: string[]): Promise<boolean> {
      if (lostSessionIds.length === 0) return false;
      const unread = await query(
        `select 1 from simulator.checkout_session s
           join simulator.payment_intent i on i.session_id = s.id
           join processor_event_body b on b.body #>> '{data,object,id}' = i.id
           join processor_event e on e.body_id = b.id
         where s.id = any($1) and s.status = 'open' and e.handled_at is null limit 1`,
        [lostSessionIds],
      );
      return unread.length > 0;
    },

    async chargeOf(sessionId: string): Promise<string | null> {
      return (await findSession(simulator, sessionId))?.intent?.id ?? null;
    },
  };
}
